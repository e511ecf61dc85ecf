"""A member of the demo that Rollcall's own library plays, in every protocol that it speaks.

What happens when is in ``plot.py``; what the library does, in docs/client.md.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any

from demo.cast import Kind, Part
from demo.progress import Progress
from rollcall.client import Member, MemberError, TopicPartition

SPEAKS: Mapping[str, Mapping[str, Any]] = {
    Kind.COOPERATIVE.name: {"protocol": "classic", "assignor": "cooperative-sticky"},
    Kind.CONSUMER.name: {"protocol": "consumer"},
    Kind.DRAFT.name: {"protocol": "draft"},
    Kind.COMMANDED.name: {"protocol": "commanded", "threads": 2},
}
"""What the library is told, by the kind of group."""

BEATS_PER_SESSION = 6
LEAVE_S = 10.0

Tell = Callable[[Collection[int]], None]


class LibraryMember:
    """A worker that commits what it pretends to have done."""

    def __init__(self, part: Part, tell: Tell) -> None:
        self.part = part
        self._tell = tell
        self._progress = Progress(part.seed)
        self._working: asyncio.Task[None] | None = None
        self._is_going = False
        self._member = Member(
            part.bootstrap,
            part.group,
            [part.topic],
            client_id=part.name,
            on_assigned=self._told,
            on_revoked=self._told,
            on_lost=self._told,
            session_timeout_ms=part.session_ms,
            heartbeat_interval_ms=part.session_ms // BEATS_PER_SESSION,
            heartbeat_frequency=BEATS_PER_SESSION,
            **SPEAKS[part.kind],
        )

    async def enter(self) -> None:
        """Begin to live."""
        await self._member.start()
        self._working = asyncio.create_task(self._work())

    async def leave(self) -> None:
        """Say goodbye and stop; that it works on nothing then goes without saying."""
        self._is_going = True
        await self._stop_work()
        await self._member.close(LEAVE_S)

    async def crash(self) -> None:
        """Stop without a word."""
        await self._stop_work()
        self._member.abandon()

    async def _stop_work(self) -> None:
        if self._working is not None:
            self._working.cancel()
            await asyncio.wait([self._working])

    def _told(self, _: object) -> None:
        if not self._is_going:
            self._tell([each.partition for each in self._member.assigned])

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(self.part.work_ms / 1000)
            with suppress(MemberError):  # a rebalance came between: the next time will do
                await self._commit()

    async def _commit(self) -> None:
        """Read a little further than the group had come to, and commit that."""
        held = {each.partition: each for each in self._member.assigned}
        unknown = self._progress.unknown(held)
        if unknown:
            known = await self._member.committed([held[number] for number in unknown])
            self._progress.begin({each.partition: at or 0 for each, at in known.items()})
        offsets = self._progress.advance()
        topic = self.part.topic
        await self._member.commit({TopicPartition(topic, p): at for p, at in offsets.items()})
