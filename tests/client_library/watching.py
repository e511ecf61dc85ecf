"""Members inside a test: their reported changes, and waiting until a condition holds."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rollcall.client import Member, TopicPartition

PATIENCE_S = 90
"""Longer than any step takes, on a machine that does much else."""


class Watched:
    """One member, and the changes reported to its application."""

    def __init__(
        self,
        bootstrap: str | Sequence[str],
        group: str,
        topics: Iterable[str] | Mapping[str, int] = (),
        **options: Any,
    ) -> None:
        self.told: list[str] = []
        self.owned: set[TopicPartition] = set()
        """What its application was told to work on, and not to give up since."""
        self.member = Member(
            bootstrap,
            group,
            topics,
            on_assigned=self._assigned,
            on_revoked=lambda which: self._without("revoked", which),
            on_lost=lambda which: self._without("lost", which),
            **options,
        )

    def _assigned(self, which: frozenset[TopicPartition]) -> None:
        self._tell("assigned", which)
        self.owned |= which

    def _without(self, what: str, which: frozenset[TopicPartition]) -> None:
        self._tell(what, which)
        self.owned -= which

    def _tell(self, what: str, which: frozenset[TopicPartition]) -> None:
        self.told.append(f"{what} " + " ".join(f"{t}-{p}" for t, p in sorted(which)))

    @property
    def topics(self) -> set[str]:
        """The topics it works on now."""
        return {each.topic for each in self.owned}

    async def __aenter__(self) -> "Watched":
        await self.member.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.member.close()


async def until(holds: Callable[[], bool], what: str) -> None:
    """Wait until it holds; fails, saying what never came, after ``PATIENCE_S``."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not holds():
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"never: {what}") from None


def share(*members: Watched, of: int) -> bool:
    """Each has something, no partition has two owners, and together all of it."""
    owned = [each.owned for each in members]
    return all(owned) and sum(map(len, owned)) == len(frozenset().union(*owned)) == of
