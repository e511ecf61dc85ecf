"""How a node stops serving slots that it gives away: first it writes when their members were last
heard, so that their next owner goes on from there (``groups.core.earlier``).
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from typing import Final, Protocol

from groups.cluster.slot_rows import Service
from groups.core.errors import ErrorCode
from groups.reporting.liveness import Note
from groups.runtime.runtime import CoordinatorRuntime

NOTES_S: Final = 3.0
"""How long the last heartbeats may take to be written. Where they are missing the next owner gives
members their whole sessions."""


class LastHeartbeats(Protocol):
    """The part of ``groups.reporting.liveness`` that is needed here."""

    def complete(self, slots: Collection[int]) -> AsyncIterator[int]:
        """Write when all members of the slots' groups were heard; yields slots that are done."""

    def late(self, slots: Collection[int]) -> list[Note]:
        """What has changed since."""

    async def put(self, notes: Iterable[Note]) -> bool:
        """Write that too."""


class NoNotes:
    """The default: heartbeats are not written."""

    async def complete(self, slots: Collection[int]) -> AsyncIterator[int]:
        """No slot is."""
        for slot in list[int]():
            yield slot

    def late(self, slots: Collection[int]) -> list[Note]:
        """Nothing."""
        return []

    async def put(self, notes: Iterable[Note]) -> bool:
        """They are not."""
        return False


class Handover:
    """``dropped`` is called when slots are not served any more."""

    def __init__(self, coordinator: CoordinatorRuntime, dropped: Callable[[], None]) -> None:
        self.coordinator = coordinator
        self.dropped = dropped
        self.notes: LastHeartbeats = NoNotes()

    async def stop_serving(self, slots: Collection[int]) -> Service:
        """Answer no more requests for these slots; returns until when they were served. Most of the
        writing is done before, while they are served."""
        noted = set[int]()
        with suppress(TimeoutError):
            async with asyncio.timeout(NOTES_S):
                async for slot in self.notes.complete(slots):
                    noted.add(slot)
        late = self.notes.late(noted)
        until = self.coordinator.served(slots)
        self.coordinator.drop(slots, ErrorCode.NOT_COORDINATOR)
        self.dropped()
        return Service(until, noted if await self._put(late) else ())

    async def _put(self, late: Sequence[Note]) -> bool:
        if not late:
            return True
        with suppress(TimeoutError):
            async with asyncio.timeout(NOTES_S):
                return await self.notes.put(late)
        return False
