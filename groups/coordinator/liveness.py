"""Writes when members were last heard from: lower bounds of when their sessions end.

Heartbeats stay in memory; a member's time is written at most twice per session timeout, for the
session sweep and the screens (docs/architecture.md, *Liveness*). Nothing here decides anything; a
write that fails is repeated later.
"""

import asyncio
import heapq
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from itertools import islice
from typing import NamedTuple
from zlib import crc32

import psycopg

from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.group import Millis, Session
from groups.event_loop import Slices
from groups.postgres import connections
from groups.postgres.channels import Rung
from groups.store.sql import liveness as sql

logger = logging.getLogger(__name__)

LOOK_S = 1.0

NOTES_PER_SESSION = 2
"""A member's time is written at most this often per session timeout."""

LOOKS_PER_NOTE = 4
"""Checks of a group during the validity of a note: it is renewed long before the deadline that it
implies."""

ROWS_MAX = 2_000
"""Notes of one statement."""

SESSIONS_MAX = 500
"""Members that are looked at without a look at the clock: some two milliseconds."""

FEW = 100
"""New groups that are written at once. With slots come thousands: these are spread over the time in
which a note is due."""

SETTINGS = {"synchronous_commit": "off"}


class Note(NamedTuple):
    """A member's session to be written."""

    group_id: str
    session: Session


class Notes:
    """Checks each group in memory a few times per session, and writes times that are too old."""

    def __init__(self, coordinator: CoordinatorRuntime) -> None:
        self.coordinator = coordinator
        self._noted: dict[str, dict[str, Millis]] = {}
        self._due: list[tuple[Millis, str]] = []
        self._requested: set[str] = set()
        self._wake = asyncio.Event()
        self._connection: connections.Connection | None = None

    async def rung(self, rung: Rung) -> None:
        """A client observes these groups: write all their members at once."""
        self.request(rung or ())

    def request(self, group_ids: Iterable[str]) -> None:
        """Write all members of these groups at the next check: their notes are too old."""
        if here := self.coordinator.entries.keys() & set(group_ids):
            self._requested |= here
            self._wake.set()

    async def run(self) -> None:
        """Check and write until cancelled."""
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_S):
                        await self._wake.wait()
                self._wake.clear()
                while self.coordinator.holds_lease and (notes := await self.collect()):
                    await self._note(notes)
        finally:
            if self._connection is not None:
                await self._connection.close()

    async def collect(self) -> list[Note]:
        """The notes to write now: those of about ``ROWS_MAX`` members, and of whole groups. Other
        tasks run in between. Changes only this object's own state."""
        now, slices = self.coordinator.clock(), Slices(self.coordinator.monotonic)
        await self._meet(now, slices)
        notes: list[Note] = []
        done = set()
        # One that is asked for in the meantime is noted next time, and not twice in a statement.
        requested, self._requested = self._requested, set()
        while requested and len(notes) < ROWS_MAX:
            done.add(group_id := requested.pop())
            notes += await self._of(group_id, now, slices, whole=True)
        self._requested |= requested
        while self._due and self._due[0][0] <= now and len(notes) < ROWS_MAX:
            _, group_id = heapq.heappop(self._due)
            if group_id not in done:
                notes += await self._of(group_id, now, slices, whole=False)
            if (shortest := await self._shortest_session(group_id, now, slices)) is None:
                self._noted.pop(group_id, None)
            else:
                heapq.heappush(self._due, (now + _interval(shortest), group_id))
        return sorted(notes)

    async def _meet(self, now: Millis, slices: Slices) -> None:
        """Plan the first check of groups that are new here."""
        new = self.coordinator.entries.keys() - self._noted.keys()
        for group_id in new:
            later = 0
            if len(new) > FEW:
                shortest = await self._shortest_session(group_id, now, slices)
                later = crc32(group_id.encode()) % _interval(shortest or 0)
            self._noted[group_id] = {}
            heapq.heappush(self._due, (now + later, group_id))

    async def _sessions(
        self, group_id: str, now: Millis, slices: Slices
    ) -> AsyncIterator[list[Session]]:
        """The sessions of the group in slices; none if it is not in memory. It stays as it was at
        the first: a step makes another value."""
        entry = self.coordinator.entries.get(group_id)
        waiting = iter(()) if entry is None else entry.group.sessions(now)
        while part := list(islice(waiting, SESSIONS_MAX)):
            if slices.is_over:
                await slices.pause()
            yield part

    async def _shortest_session(self, group_id: str, now: Millis, slices: Slices) -> Millis | None:
        """The shortest session timeout of its members, 0 without members; None if the group is not
        in memory."""
        if group_id not in self.coordinator.entries:
            return None
        parts = self._sessions(group_id, now, slices)
        return min([min(s.timeout_ms for s in part) async for part in parts], default=0)

    async def _of(self, group_id: str, now: Millis, slices: Slices, *, whole: bool) -> list[Note]:
        noted = self._noted.get(group_id)
        if noted is None:  # not in memory, or new: then it is planned next, and noted as a whole
            return []
        gone, found = set(noted), []
        async for part in self._sessions(group_id, now, slices):
            gone.difference_update(session.member_id for session in part)
            found += [
                Note(group_id, session)
                for session in part
                if session.heard_at != (before := noted.get(session.member_id))
                and (
                    whole
                    or before is None
                    or session.heard_at - before >= session.timeout_ms / NOTES_PER_SESSION
                )
            ]
        for member_id in gone:
            noted.pop(member_id, None)
        return found

    async def _note(self, notes: list[Note]) -> None:
        waiting = iter(notes)
        while part := list(islice(waiting, ROWS_MAX)):
            try:
                await self._write(part)
            except (psycopg.Error, OSError) as error:
                logger.info("times of heartbeats could not be written: %s", error)
                return
            self.written(part)

    def written(self, notes: Iterable[Note]) -> None:
        """These notes are in the rows."""
        for group_id, session in notes:
            if group_id in self._noted:
                self._noted[group_id][session.member_id] = session.heard_at

    async def _write(self, notes: list[Note]) -> None:
        if self._connection is None or self._connection.closed:
            self._connection = await connections.connect("liveness", SETTINGS)
        now = self.coordinator.clock()
        await self._connection.execute(
            sql.NOTE.encode(),
            {
                "group_id": [note.group_id for note in notes],
                "member_id": [note.session.member_id for note in notes],
                "age_ms": [max(0, now - note.session.heard_at) for note in notes],
                "timeout_ms": [note.session.timeout_ms for note in notes],
            },
        )


def _interval(shortest: Millis) -> Millis:
    """How often to check a group: so that no note of a live member expires."""
    return max(int(LOOK_S * 1000), shortest // (NOTES_PER_SESSION * LOOKS_PER_NOTE))
