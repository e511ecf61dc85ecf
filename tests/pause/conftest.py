"""A server of this process, an operator who asks by rows, and members of the library."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from rollcall.client import Change, Member
from tests.in_process import other, prepare
from tests.server.conftest import served

__all__ = ["other", "served"]

BEATS: dict[str, Any] = {"heartbeat_interval_ms": 200, "heartbeat_frequency": 150}
"""Whoever is told by heartbeats is told soon; nobody's session is shorter for that."""

Join = Callable[..., Awaitable["Worker"]]


class Worker:
    """A member, and what its application has heard."""

    def __init__(self, address: str, group: str, **options: Any) -> None:
        self.heard: list[tuple[str, int]] = []
        hears = {
            f"on_{kind}": self._hears(kind)
            for kind in ("assigned", "revoked", "lost", "paused", "resumed")
        }
        self.member = Member(address, group, ["t"], **{**hears, **options})

    def _hears(self, kind: str) -> Callable[[Any], None]:
        return lambda partitions: self.heard.append((kind, len(partitions)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.member, name)

    @property
    def words(self) -> list[str]:
        """The kinds of what it has heard."""
        return [kind for kind, _ in self.heard]


@pytest.fixture
def _prepared(database_url: str, settings: Any) -> None:
    """Members of the consumer protocol get short heartbeat intervals, too."""
    prepare(database_url, settings)
    settings.GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS = 100
    settings.GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS = 200


@pytest.fixture
async def join() -> AsyncIterator[Join]:
    """Starts a member; all leave with the test."""
    workers: list[Worker] = []

    async def begin(address: str, group: str = "g", **options: Any) -> Worker:
        worker = Worker(address, group, **{**BEATS, **options})
        workers.append(worker)
        await worker.member.start()
        return worker

    yield begin
    for worker in workers:
        await worker.member.close(timeout_s=2)


def kinds(changes: list[Change]) -> list[str]:
    """Their kinds, in words."""
    return [change.kind.value for change in changes]
