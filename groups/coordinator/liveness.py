"""Who was heard of when, noted for others: lower bounds of when sessions end.

Heartbeats stay in memory; a member's time is noted at most twice per session timeout, so that
the session sweep and the screens have something to go by (docs/architecture.md, *Liveness*).
Nothing here decides anything, and a note that fails is only a note that comes later.
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
"""A member's time is noted at most this often per session timeout."""

LOOKS_PER_NOTE = 4
"""How often a group is looked at while one note may stand: a note is renewed long before the
deadline that it names."""

ROWS_MAX = 2_000
"""Notes of one statement."""

FEW = 100
"""Groups that are noted at once when they are new. More came with slots, which may have thousands:
those are spread over the time in which a note is due."""

SETTINGS = {"synchronous_commit": "off"}


class Note(NamedTuple):
    """What is to be noted about one member."""

    group_id: str
    session: Session


class Notes:
    """Looks at each group in memory a few times per session, and notes what grew old."""

    def __init__(self, coordinator: CoordinatorRuntime) -> None:
        self.coordinator = coordinator
        self._noted: dict[str, dict[str, Millis]] = {}
        self._due: list[tuple[Millis, str]] = []
        self._asked: set[str] = set()
        self._wake = asyncio.Event()
        self._connection: connections.Connection | None = None

    async def rung(self, group_id: str | None) -> None:
        """Somebody watches the group: note all of it at once."""
        if group_id is not None and group_id in self.coordinator.entries:
            self._asked.add(group_id)
            self._wake.set()

    def ask(self, group_ids: Iterable[str]) -> None:
        """Note these groups whole at the next look: their notes are too old to go by."""
        self._asked.update(group_ids)
        self._wake.set()

    async def run(self) -> None:
        """Look and note until cancelled."""
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
        """What is to be noted now. Pure but for what this object remembers."""
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
                logger.info("who was heard of could not be noted: %s", error)
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
    """When to look at the group again: often enough that no note of a live member runs out."""
    shortest = min((session.timeout_ms for session in group.sessions(now)), default=0)
    return max(int(LOOK_S * 1000), shortest // (NOTES_PER_SESSION * LOOKS_PER_NOTE))


def _spread(group_id: str, group: Group, now: Millis) -> Millis:
    """How much later this group is looked at than others that came with it."""
    return crc32(group_id.encode()) % _until_next(group, now)
