"""Writes the decisions of a queue's groups in batches, and handles failures.

``groups.store.apply`` classifies failures. The only decision of this file: if PostgreSQL refuses a
group, which of its events caused that.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

import psycopg

from groups.coordinator.entries import GroupEntry
from groups.coordinator.fail_points import Fail, no_fail
from groups.coordinator.repeated_commits import NOTHING, Taken
from groups.coordinator.retries import Reloader, WaitingRoom
from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.conversion.step import decide
from groups.core.errors import ErrorCode
from groups.core.events import Event, MembersRefused
from groups.core.group import Millis
from groups.core.quick import quick
from groups.event_loop import Slices
from groups.postgres import connections
from groups.postgres.errors import (
    Busy,
    Conflict,
    Contended,
    Fenced,
    Refused,
    StoreError,
    TooSlow,
    Unknown,
    Unready,
)
from groups.store import apply, blame
from groups.store.apply import NO_ROWS, Batch, PlainRows, Write

logger = logging.getLogger(__name__)

BATCH_BYTES_MAX = 4 * 1024 * 1024
"""Bytes of groups and members in one transaction: PostgreSQL takes a quarter of a second for them
and ten thousand rows, far from its limit of two seconds. A single group with more is written
separately from its queue, in a transaction of its own, so that others do not wait for it."""

DONE_AT_ONCE = 64
"""Groups that are installed and answered between two reads of the clock: about a millisecond."""

LONE_MS = 5_000
LONE_BYTES_PER_MS = 2_000
"""Time limit of a statement that writes a single group: this time, and a millisecond for so many
bytes. Measured: 10,000 members of 8 KiB, 82 MB, take 2.6 s, and may take 46 s."""

REFUSED_PAUSE_MS = 5_000
"""How long the timers of a group are delayed when its due step cannot be written."""


UNSURE_PAUSE_MS = 1_000
"""The same if the outcome is unknown, or the group is not to blame: a full disk refuses each write
at once."""


@quick
@dataclass(frozen=True, slots=True)
class Work:
    """One entry's part of a round: the events taken, the decision, the writes, and the approximate
    size of their rows in bytes, counted up to the limit of a batch."""

    entry: GroupEntry
    events: Sequence[Event]
    write: Write
    size: int


class BatchWriter:
    """Writes the batches of the queue ``name``. ``finish`` sends the replies; ``fenced`` is called
    when a write met another owner's epoch; ``timeout_ms``: works that are not written by then fail
    with a retriable error."""

    def __init__(
        self,
        node_id: int,
        coordinator: CoordinatorRuntime,
        name: str,
        reloader: Reloader,
        fenced: Callable[[], None],
        fail: Fail,
        timeout_ms: Millis,
        slices: Slices,
        finish: Callable[[Work], Awaitable[None] | None],
    ) -> None:
        self.node_id = node_id
        self.coordinator = coordinator
        self.name = name
        self.reloader = reloader
        self.fenced = fenced
        self.fail = fail
        self.patience_s = timeout_ms / 1000
        self._counts = coordinator.tallies.queues[name]
        self._slices = slices
        self._finish = finish
        self._waiting = WaitingRoom(
            self._attempt, self._give_up, self._nobody_waits, self.patience_s
        )
        self._connection: connections.Connection | None = None
        self._other_connection: connections.Connection | None = None

    async def run(self) -> None:
        """Write deferred groups, until cancelled."""
        await self._waiting.run()

    async def close(self) -> None:
        """Close both connections."""
        for connection in (self._connection, self._other_connection):
            if connection is not None:
                await connection.close()

    def put_aside(self, work: Work) -> None:
        """Write one group separately from the queue."""
        self._waiting.add([work])

    def _written(self, work: Work) -> Awaitable[None] | None:
        """Note the change and send the replies. A long rest is returned as an awaitable: a
        coroutine for each commit would cost as much as its reply."""
        if work.write.changes_membership:
            self.coordinator.observers.note(work.write.group_id, work.write.revision)
            self.coordinator.tallies.decided.append(work)
        elif work.write.decision.journal:
            # No row has changed, but it may wait now, as for a new member of a frozen group.
            self.coordinator.observers.came(work.write.group_id)
        return self._finish(work)

    async def write_with(
        self,
        works: Sequence[Work],
        taken: Taken,
        as_works: Callable[[Taken], Awaitable[Sequence[Work]]],
    ) -> bool:
        """Write the works, and repeated commits in the same transaction; whether these have been
        written as they are. Otherwise they become works like others (``as_works``)."""
        if taken.is_suspended:
            await self.write([*works, *(await as_works(taken))])
            return False
        until = asyncio.get_running_loop().time() + self.patience_s
        works = self._fit(works)
        try:
            await self._apply(works, taken)
        except StoreError as error:
            await self._failed([*works, *(await as_works(taken))], error, until)
            return False
        await self._all_done(works)
        return True

    async def write(self, works: Sequence[Work], until: float | None = None) -> None:
        """Write them; those that cannot be written by ``until`` (the event loop's time) are
        refused."""
        until = until or asyncio.get_running_loop().time() + self.patience_s
        works = self._fit(works)
        if not works:
            return
        try:
            await self._apply(works)
        except StoreError as error:
            await self._failed(works, error, until)
        else:
            await self._all_done(works)

    def _fit(self, works: Sequence[Work]) -> Sequence[Work]:
        """Those that can be written together."""
        works = [work for work in works if not work.entry.suspended]
        large = [work for work in works if work.size > BATCH_BYTES_MAX]
        if large:
            self._waiting.add(large)
            works = [work for work in works if work not in large]
        return works

    async def _all_done(self, works: Sequence[Work]) -> None:
        for at, work in enumerate(works, 1):
            if (sending := self._written(work)) is not None:
                await sending
            if not at % DONE_AT_ONCE and self._slices.is_over:
                await self._slices.pause()

    async def _apply(self, works: Sequence[Work], taken: Taken = NOTHING) -> None:
        batch = self._batch(works, plain=taken.rows() if taken.parts else NO_ROWS)
        await self.fail(f"{self.name}:before")
        try:
            connection = await self._connected()
        except (psycopg.Error, OSError) as error:
            raise Unknown(str(error)) from error
        await self.fail(f"{self.name}:connected")
        clock = asyncio.get_running_loop().time
        began = clock()
        await apply.apply(connection, batch)
        self._counts.batches.note(clock() - began)
        self._counts.groups += len(works) + len(taken.parts)
        await self.fail(f"{self.name}:after")

    async def _failed(self, works: Sequence[Work], error: StoreError, until: float) -> None:
        self._counts.failures[type(error).__name__] += 1
        match error:
            case Busy(group_ids=held):
                aside = [w for w in works if w.entry.group_id in held]
                self._waiting.add(aside)
                await self.write([w for w in works if w not in aside], until)
            case Contended() | TooSlow():
                await self._in_parts(works, error, until)
            case Conflict(group_ids=changed):
                stale = [w for w in works if w.entry.group_id in changed]
                self.doubt(stale, again=True)
                await self.write([w for w in works if w not in stale], until)
            case Refused():
                await self._bisect(works, error, until)
            case Unready():
                self._turn_away(works, error)
            case Fenced():
                logger.warning("fenced: %s", error)
                self.fenced()
                self.doubt(works, again=True)
            case _:
                logger.warning("%s queue: outcome unknown: %s", self.name, error)
                self.doubt(works, again=False)

    async def _in_parts(
        self, works: Sequence[Work], error: Contended | TooSlow, until: float
    ) -> None:
        """Together they were too much, or one of them was."""
        if len(works) == 1:
            self._waiting.add(works)
        elif asyncio.get_running_loop().time() > until:
            for work in works:
                self._give_up(work)
        elif isinstance(error, Contended):
            await self._halves(works, until)
        else:
            largest = max(works, key=lambda work: (work.size, work.write.rows))
            self._waiting.add([largest])
            await self.write([w for w in works if w is not largest], until)

    async def _attempt(self, work: Work) -> bool:
        """Write one deferred group. False: a lock is still held."""
        if work.entry.suspended:
            return True
        try:
            connection = await self._connected_beside()
            is_large = work.size > BATCH_BYTES_MAX
            size = await asyncio.to_thread(work.write.size) if is_large else work.size
            allowed_ms = LONE_MS + size // LONE_BYTES_PER_MS
            with connection.patient(self.patience_s + allowed_ms / 1000):
                await apply.apply(connection, self._batch([work], allowed_ms))
        except (Busy, Contended):
            return False
        except TooSlow as error:
            if work.size <= BATCH_BYTES_MAX:
                self._give_up(work)  # the database is slow; the group is not the cause
            else:
                await self._blame(work, error)
        except StoreError as error:
            await self._failed([work], error, 0)
        except (psycopg.Error, OSError) as error:
            await self._failed([work], Unknown(str(error)), 0)
        else:
            if (sending := self._written(work)) is not None:
                await sending
        return True

    def _turn_away(self, works: Sequence[Work], error: Unready) -> None:
        """None of them is to blame: who asked is to try again."""
        logger.warning("%s queue: PostgreSQL refuses every batch: %s", self.name, error)
        for work in works:
            self._refuse(work, ErrorCode.COORDINATOR_NOT_AVAILABLE, UNSURE_PAUSE_MS)

    def _give_up(self, work: Work) -> None:
        """The work could not be written within the time limit."""
        logger.warning("group %r: could not be written in time", work.entry.group_id)
        self._refuse(work, ErrorCode.COORDINATOR_NOT_AVAILABLE)

    def _refuse(self, work: Work, code: ErrorCode, pause_ms: Millis = REFUSED_PAUSE_MS) -> None:
        if not work.entry.suspended:
            self.coordinator.refuse(work.entry, work.events, code)
            self.coordinator.put_off(work.entry, pause_ms)
            self.coordinator.release(work.entry)

    async def _halves(self, works: Sequence[Work], until: float) -> None:
        half = len(works) // 2
        await self.write(works[:half], until)
        await self.write(works[half:], until)

    async def _bisect(self, works: Sequence[Work], error: StoreError, until: float) -> None:
        """Find the group that PostgreSQL refuses, so that the others are written."""
        if len(works) > 1:
            await self._halves(works, until)
        else:
            await self._blame(works[0], error)

    async def _blame(self, work: Work, error: StoreError) -> None:
        """A group cannot be written: find the event. If the cause is members that wait to join,
        refuse them and step the group again without them; otherwise refuse the event."""
        entry = work.entry
        if len(work.events) > 1:
            self.one_by_one(entry, work.events)
            return
        logger.warning("group %r cannot be written: %s", entry.group_id, error)
        member_ids = await self._culprits(work, error)
        if entry.suspended:
            return
        if member_ids is None:
            self._refuse(work, ErrorCode.COORDINATOR_NOT_AVAILABLE)
        elif self._would_help(entry, culprits := MembersRefused(member_ids=member_ids)):
            self.one_by_one(entry, (culprits, *work.events))
        else:
            self._refuse(work, ErrorCode.UNKNOWN_SERVER_ERROR)

    async def _culprits(self, work: Work, error: StoreError) -> tuple[str, ...] | None:
        """The members whose rows cause the error; None if PostgreSQL cannot be asked now. The
        client of the event may then be innocent and should try again."""
        if isinstance(error, TooSlow):
            return work.write.newcomers
        try:
            async with await connections.connect(f"{self.name} blame") as connection:
                return await blame.refused_members(connection, work.write)
        except (StoreError, psycopg.Error, OSError) as unknown:
            logger.info("the group with the refused value could not be found: %s", unknown)
            return None

    def _would_help(self, entry: GroupEntry, culprits: MembersRefused) -> bool:
        """Whether any of them is waiting in the committed group."""
        if not culprits.member_ids:
            return False
        now, rng = self.coordinator.clock(), self.coordinator.rng
        return decide(entry.group, [culprits], now, rng).group is not entry.group

    def one_by_one(self, entry: GroupEntry, events: Sequence[Event]) -> None:
        """One event of this group is the cause: step them one at a time."""
        entry.put_in_front(events)
        entry.suspects += len(events)
        self.coordinator.release(entry)

    def doubt(self, works: Sequence[Work], *, again: bool) -> None:
        """Reload groups whose rows are not as remembered; ``again``: nothing was written, so
        the same events are stepped once more, else they get a retriable error."""
        for work in works:
            self.coordinator.doubt(work.entry)
            if again:
                work.entry.put_in_front(work.events)
            else:
                unsure = ErrorCode.COORDINATOR_NOT_AVAILABLE
                self.coordinator.refuse(work.entry, work.events, unsure)
                self.coordinator.put_off(work.entry, UNSURE_PAUSE_MS)
        entries = [work.entry for work in works]
        if again:
            self.reloader.add(entries)
        else:
            self.reloader.add_unsure(entries)

    def _batch(
        self,
        works: Sequence[Work],
        allowed_ms: int | None = None,
        plain: PlainRows = NO_ROWS,
    ) -> Batch:
        epochs = dict(self.coordinator.epochs)
        inside = None if self.fail is no_fail else partial(self.fail, f"{self.name}:inside")
        writes, size = [work.write for work in works], sum(work.size for work in works)
        return Batch(self.node_id, epochs, writes, inside, allowed_ms, size, plain)

    async def _connected(self) -> connections.Connection:
        self._connection = await connections.kept(self._connection, self.name)
        return self._connection

    async def _nobody_waits(self) -> None:
        """Usually no group is deferred, so the connection is closed."""
        beside, self._other_connection = self._other_connection, None
        if beside is not None:
            await beside.close()

    async def _connected_beside(self) -> connections.Connection:
        """A connection for work that a queue must not wait for."""
        before, name = self._other_connection, f"{self.name} waiting"
        self._other_connection = connection = await connections.kept(before, name)
        return connection
