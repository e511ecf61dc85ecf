"""Writes when members were last heard from: lower bounds of when their sessions end.

Heartbeats stay in memory; a member's time is written at most twice per session timeout, for the
session sweep and the screens (docs/architecture.md, *Liveness*). Nothing here decides anything; a
write that fails is repeated later.
"""

import asyncio
import heapq
import logging
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import NamedTuple
from zlib import crc32

import psycopg

from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.group import Group, Millis, Session
from groups.event_loop import Slices
from groups.postgres import connections
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
        self._asked: set[str] = set()
        self._wake = asyncio.Event()
        self._connection: connections.Connection | None = None

    async def rung(self, group_id: str | None) -> None:
        """A client observes the group: write all its members at once."""
        if group_id is not None and group_id in self.coordinator.entries:
            self._asked.add(group_id)
            self._wake.set()

    def ask(self, group_ids: Iterable[str]) -> None:
        """Write all members of these groups at the next check: their notes are too old."""
        self._asked.update(group_ids)
        self._wake.set()

    async def run(self) -> None:
        """Check and write until cancelled."""
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_S):
                        await self._wake.wait()
                self._wake.clear()
                while self.coordinator.holds_lease and (notes := self.collect()):
                    await self._note(notes)
        finally:
            if self._connection is not None:
                await self._connection.close()

    def collect(self) -> list[Note]:
        """The notes to write now. Changes only this object's own state."""
        now, slices = self.coordinator.clock(), Slices(self.coordinator.monotonic)
        entries = self.coordinator.entries
        new = entries.keys() - self._noted.keys()
        for group_id in new:
            self._noted[group_id] = {}
            later = _spread(group_id, entries[group_id].group, now) if len(new) > FEW else 0
            heapq.heappush(self._due, (now + later, group_id))
        notes: list[Note] = []
        for group_id in self._asked & entries.keys():
            notes += self._of(group_id, entries[group_id].group, now, whole=True)
        asked, self._asked = self._asked, set()
        while self._due and self._due[0][0] <= now and not slices.is_over:
            _, group_id = heapq.heappop(self._due)
            entry = entries.get(group_id)
            if entry is None:
                self._noted.pop(group_id, None)
                continue
            if group_id not in asked:
                notes += self._of(group_id, entry.group, now, whole=False)
            heapq.heappush(self._due, (now + _until_next(entry.group, now), group_id))
        return sorted(notes)

    def _of(self, group_id: str, group: Group, now: Millis, *, whole: bool) -> list[Note]:
        noted = self._noted.setdefault(group_id, {})
        sessions = list(group.sessions(now))
        found = [
            Note(group_id, session)
            for session in sessions
            if session.heard_at != (before := noted.get(session.member_id))
            and (
                whole
                or before is None
                or session.heard_at - before >= session.timeout_ms / NOTES_PER_SESSION
            )
        ]
        if len(noted) > len(sessions):
            present = {session.member_id for session in sessions}
            for member_id in noted.keys() - present:
                del noted[member_id]
        return found

    async def _note(self, notes: list[Note]) -> None:
        waiting = iter(notes)
        while part := list(islice(waiting, ROWS_MAX)):
            try:
                await self._write(part)
            except (psycopg.Error, OSError) as error:
                logger.info("times of heartbeats could not be written: %s", error)
                return
            for group_id, session in part:
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


def _until_next(group: Group, now: Millis) -> Millis:
    """When to check the group again: often enough that no note of a live member expires."""
    shortest = min((session.timeout_ms for session in group.sessions(now)), default=0)
    return max(int(LOOK_S * 1000), shortest // (NOTES_PER_SESSION * LOOKS_PER_NOTE))


def _spread(group_id: str, group: Group, now: Millis) -> Millis:
    """A delay that spreads the checks of groups that were loaded together."""
    return crc32(group_id.encode()) % _until_next(group, now)
