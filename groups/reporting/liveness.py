"""Writes when members were last heard from: lower bounds of when their sessions end.

Heartbeats stay in memory; a member's time is written at most twice per session timeout, for the
session sweep, the screens and the next owner (docs/architecture.md, *Liveness*), and completely
before a slot is given away. Nothing here decides anything; a write that fails is repeated later.
"""

import asyncio
import heapq
import logging
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple
from zlib import crc32

import psycopg

from groups.core.group import Millis, Session
from groups.core.rows import slot_of
from groups.event_loop import Slices
from groups.postgres import connections
from groups.postgres.channels import Rung
from groups.reporting.silences import Silences
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.sql import hours
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

LAST_WORDS_S = 1.0
"""So long a node that ends may take to write the silences of its hour."""

SETTINGS = {"synchronous_commit": "off"}


class Note(NamedTuple):
    """A member's session to be written. ``is_known``: the row has when it was heard."""

    group_id: str
    session: Session
    is_known: bool


@dataclass(slots=True)
class LastNotes:
    """What was written of a group's members: the start of each session. ``unheard``: members that
    this node had not heard then, so that their first heartbeat is news. ``shift``: of the load
    whose sessions these are."""

    shift: Millis | None
    heard: dict[str, Millis] = field(default_factory=dict)
    unheard: set[str] = field(default_factory=set)


IsDue = Callable[[LastNotes, Session], bool]
"""Whether a session must be written, by what was written last."""


class Notes:
    """Checks each group in memory a few times per session, and writes times that are too old."""

    def __init__(self, coordinator: CoordinatorRuntime) -> None:
        self.coordinator = coordinator
        self._noted: dict[str, LastNotes] = {}
        self._due: list[tuple[Millis, str]] = []
        self._requested: set[str] = set()
        self._wake = asyncio.Event()
        self._connection: connections.Connection | None = None
        self._writing = asyncio.Lock()
        self.silences = Silences(coordinator.clock())

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
                if self.silences.is_over:
                    await self.add_silences()
        finally:
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_WORDS_S):
                    await self.add_silences()
            await self.stop()

    async def add_silences(self) -> None:
        """Write how silent members were in the hour. What cannot be written is lost."""
        for columns in self.silences.turn(self.coordinator.clock()):
            try:
                await self._execute(hours.ADD_SILENCE, columns)
            except (psycopg.Error, OSError) as error:
                logger.info("members' silences could not be written: %s", error)
                return

    async def collect(self) -> list[Note]:
        """The notes to write now: those of about ``ROWS_MAX`` members, and of whole groups. Other
        tasks run in between. Changes only this object's own state."""
        now, slices = self.coordinator.clock(), Slices(self.coordinator.monotonic)
        await self._forget_if_lost()
        await self._meet(now, slices)
        notes: list[Note] = []
        done = set()
        # One that is asked for in the meantime is noted next time, and not twice in a statement.
        requested, self._requested = self._requested, set()
        while requested and len(notes) < ROWS_MAX:
            done.add(group_id := requested.pop())
            notes += await self._of(group_id, now, slices, _has_changed)
        self._requested |= requested
        while self._due and self._due[0][0] <= now and len(notes) < ROWS_MAX:
            _, group_id = heapq.heappop(self._due)
            if group_id not in done:
                notes += await self._of(group_id, now, slices, _is_old)
            if (shortest := await self._shortest_session(group_id, now, slices)) is None:
                self._noted.pop(group_id, None)
            else:
                heapq.heappush(self._due, (now + _interval(shortest), group_id))
        return sorted(notes)

    async def _forget_if_lost(self) -> None:
        """A crash of PostgreSQL, which ends every connection, has emptied the table."""
        if self._connection is not None and not connections.is_usable(self._connection):
            await self.stop()
            for last in self._noted.values():
                last.heard.clear()

    async def _meet(self, now: Millis, slices: Slices) -> None:
        """Plan the first check of groups that are new here."""
        new = self.coordinator.entries.keys() - self._noted.keys()
        for group_id in new:
            later = 0
            if len(new) > FEW:
                shortest = await self._shortest_session(group_id, now, slices)
                later = crc32(group_id.encode()) % _interval(shortest or 0)
            self._noted[group_id] = LastNotes(self._shift(group_id))
            heapq.heappush(self._due, (now + later, group_id))

    def _shift(self, group_id: str) -> Millis | None:
        return self.coordinator.shifts.get(slot_of(group_id))

    def _last(self, group_id: str) -> LastNotes | None:
        """What was written of a group since its slot was loaded. None: it is not planned yet."""
        last, shift = self._noted.get(group_id), self._shift(group_id)
        if last is not None and last.shift != shift:
            last = self._noted[group_id] = LastNotes(shift)
        return last

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

    async def _of(self, group_id: str, now: Millis, slices: Slices, is_due: IsDue) -> list[Note]:
        last = self._last(group_id)
        if last is None:  # not in memory, or new: then it is planned next, and noted as a whole
            return []
        gone, found = set(last.heard), []
        async for part in self._sessions(group_id, now, slices):
            gone.difference_update(session.member_id for session in part)
            if is_due is _is_old:
                self.silences.look(group_id, part, now)
            found += [_note(last, group_id, session) for session in part if is_due(last, session)]
        for member_id in gone:
            last.heard.pop(member_id, None)
            last.unheard.discard(member_id)
        return found

    # -- before slots are given away

    async def complete(self, slots: Collection[int]) -> AsyncIterator[int]:
        """Write all members of the slots' groups, slot by slot; yields those that are written."""
        slices = Slices(self.coordinator.monotonic)
        await self._meet(self.coordinator.clock(), slices)
        groups: dict[int, list[str]] = {slot: [] for slot in slots}
        for group_id in self.coordinator.entries:
            if (slot := slot_of(group_id)) in groups:
                groups[slot].append(group_id)
        for slot, group_ids in groups.items():
            now, notes = self.coordinator.clock(), list[Note]()
            for group_id in group_ids:
                notes += await self._of(group_id, now, slices, _always)
            if not await self.put(sorted(notes)):
                return
            yield slot

    def late(self, slots: Collection[int]) -> list[Note]:
        """The members of the slots' groups that were heard since."""
        now, notes = self.coordinator.clock(), []
        for group_id, entry in self.coordinator.entries.items():
            last = self._last(group_id) if slot_of(group_id) in slots else None
            if last is not None:
                notes += [
                    _note(last, group_id, session)
                    for session in entry.group.sessions(now)
                    if _has_changed(last, session)
                ]
        return sorted(notes)

    async def put(self, notes: Iterable[Note]) -> bool:
        """Write these; returns whether that succeeded."""
        return await self._note(notes)

    async def _note(self, notes: Iterable[Note]) -> bool:
        waiting = iter(notes)
        while part := list(islice(waiting, ROWS_MAX)):
            try:
                await self._write(part)
            except (psycopg.Error, OSError) as error:
                logger.info("times of heartbeats could not be written: %s", error)
                return False
            self.written(part)
        return True

    def written(self, notes: Iterable[Note]) -> None:
        """These notes are in the rows."""
        for group_id, session, _ in notes:
            if (last := self._noted.get(group_id)) is not None:
                last.heard[session.member_id] = session.heard_at
                (last.unheard.discard if session.silence is None else last.unheard.add)(
                    session.member_id
                )

    async def _write(self, notes: list[Note]) -> None:
        await self._execute(sql.NOTE, self._columns(notes))

    async def _execute(self, statement: str, columns: Mapping[str, Any]) -> None:
        async with self._writing:
            if self._connection is None or self._connection.closed:
                self._connection = await connections.connect("liveness", SETTINGS)
            await self._connection.execute(statement.encode(), columns)

    def _columns(self, notes: Sequence[Note]) -> dict[str, list[Any]]:
        now, shifts = self.coordinator.clock(), self.coordinator.shifts
        sessions = [note.session for note in notes]
        return {
            "group_id": [note.group_id for note in notes],
            "member_id": [session.member_id for session in sessions],
            "age_ms": [now - _heard_at(session) for session in sessions],
            "left_ms": [session.heard_at + session.timeout_ms - now for session in sessions],
            "since_ms": [_since(note, shifts.get(slot_of(note.group_id))) for note in notes],
            "is_known": [note.is_known for note in notes],
        }

    async def stop(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()


def _always(_last: LastNotes, _session: Session) -> bool:
    """Also what has not changed: clocks may have jumped since."""
    return True


def _has_changed(last: LastNotes, session: Session) -> bool:
    return session.heard_at != last.heard.get(session.member_id)


def _is_old(last: LastNotes, session: Session) -> bool:
    """Whether the row would soon say that a live member is overdue."""
    member_id, heard_at = session.member_id, session.heard_at
    if (before := last.heard.get(member_id)) is None:
        return True
    if session.silence is None and member_id in last.unheard:
        return True  # the row has a silence from before an interruption
    return heard_at - before >= session.timeout_ms / NOTES_PER_SESSION


def _note(last: LastNotes, group_id: str, session: Session) -> Note:
    is_known = session.silence is not None or last.heard.get(session.member_id) == session.heard_at
    return Note(group_id, session, is_known)


def _heard_at(session: Session) -> Millis:
    return session.heard_at if session.silence is None else session.silence.heard_at


def _since(note: Note, shift: Millis | None) -> Millis | None:
    """Since when the silence counts, in the slot's service time; None: the slot is not served."""
    if shift is None:
        return None
    silence = note.session.silence
    return shift + (note.session.heard_at if silence is None else silence.since)


def _interval(shortest: Millis) -> Millis:
    """How often to check a group: so that no note of a live member expires."""
    return max(int(LOOK_S * 1000), shortest // (NOTES_PER_SESSION * LOOKS_PER_NOTE))
