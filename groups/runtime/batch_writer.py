"""Writes the decisions of a queue's groups in batches, and handles failures.

``groups.store.apply`` classifies failures. The only decision of this file: if PostgreSQL refuses a
group, which of its events caused that.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import psycopg

from groups.core.conversion.step import decide
from groups.core.errors import ErrorCode
from groups.core.events import Event, MembersRefused, RowsVerb
from groups.core.group import Millis
from groups.core.values import quick
from groups.event_loop import Slices
from groups.postgres import connections
from groups.postgres.errors import (
    Busy,
    Conflict,
    Contended,
    Fenced,
    StatementRefused,
    StoreError,
    TooSlow,
    Unknown,
    Unready,
)
from groups.runtime.entries import GroupEntry
from groups.runtime.fail_points import Fail, no_fail
from groups.runtime.repeated_commits import NOTHING, AcceptedRepeats
from groups.runtime.retries import Reloader, WaitingRoom
from groups.runtime.runtime import CoordinatorRuntime
from groups.store import apply, blame
from groups.store.apply import NO_ROWS, Batch, PlainRows, Write
from groups.store.sql.group_rows import END_HOLDERS

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

FAIR_S = 1.0
"""How long a group waits for its advisory lock: much longer than commits of applications hold it,
which come in turn with its owner. Any login of the database may hold it, where the set-up could not
prevent that."""

REFUSED_PAUSE_MS = 5_000
"""How long the timers of a group are delayed when its due step cannot be written."""


UNSURE_PAUSE_MS = 1_000
"""The same if the outcome is unknown, or the group is not to blame: a full disk refuses each write
at once."""


@quick
@dataclass(frozen=True, slots=True)
class BatchItem:
    """One entry's part of a round: the events taken, the decision, the writes, and the approximate
    size of their rows in bytes, counted up to the limit of a batch."""

    entry: GroupEntry
    events: Sequence[Event]
    write: Write
    size: int


class BatchWriter:
    """Writes the batches of the queue ``name``. ``finish`` sends the replies; ``fenced`` is called
    when a write met another owner's epoch; ``timeout_ms``: items that are not written by then fail
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
        finish: Callable[[BatchItem], Awaitable[None] | None],
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

    def put_aside(self, item: BatchItem) -> None:
        """Write one group separately from the queue."""
        self._waiting.add([item])

    def _written(self, item: BatchItem) -> Awaitable[None] | None:
        """Note the change and send the replies. A long rest is returned as an awaitable: a
        coroutine for each commit would cost as much as its reply."""
        if item.write.changes_membership:
            self.coordinator.changes.note(item.write.group_id, item.write.revision)
            self.coordinator.tallies.decided.append(item)
        elif item.write.decision.journal:
            # No row has changed, but it may wait now, as for a new member of a frozen group.
            self.coordinator.changes.came(item.write.group_id)
        return self._finish(item)

    async def write_with(
        self,
        items: Sequence[BatchItem],
        taken: AcceptedRepeats,
        as_items: Callable[[AcceptedRepeats], Awaitable[Sequence[BatchItem]]],
    ) -> bool:
        """Write the items, and repeated commits in the same transaction; whether these have been
        written as they are. Otherwise they become items like others (``as_items``)."""
        if taken.is_suspended:
            await self.write([*items, *(await as_items(taken))])
            return False
        until = asyncio.get_running_loop().time() + self.patience_s
        items = self._fit(items)
        try:
            await self._apply(items, taken)
        except StoreError as error:
            await self._failed([*items, *(await as_items(taken))], error, until)
            return False
        await self._all_done(items)
        return True

    async def write(self, items: Sequence[BatchItem], until: float | None = None) -> None:
        """Write them; those that cannot be written by ``until`` (the event loop's time) are
        refused."""
        until = until or asyncio.get_running_loop().time() + self.patience_s
        items = self._fit(items)
        if not items:
            return
        try:
            await self._apply(items)
        except StoreError as error:
            await self._failed(items, error, until)
        else:
            await self._all_done(items)

    def _fit(self, items: Sequence[BatchItem]) -> Sequence[BatchItem]:
        """Those that can be written together."""
        items = [item for item in items if not item.entry.suspended]
        large = [item for item in items if item.size > BATCH_BYTES_MAX]
        if large:
            self._waiting.add(large)
            items = [item for item in items if item not in large]
        return items

    async def _all_done(self, items: Sequence[BatchItem]) -> None:
        for at, item in enumerate(items, 1):
            if (sending := self._written(item)) is not None:
                await sending
            if not at % DONE_AT_ONCE and self._slices.is_over:
                await self._slices.pause()

    async def _apply(self, items: Sequence[BatchItem], taken: AcceptedRepeats = NOTHING) -> None:
        batch = self._batch(items, plain=taken.rows() if taken.parts else NO_ROWS)
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
        self._counts.groups += len(items) + len(taken.parts)
        await self.fail(f"{self.name}:after")

    async def _failed(self, items: Sequence[BatchItem], error: StoreError, until: float) -> None:
        self._counts.failures[type(error).__name__] += 1
        match error:
            case Busy(group_ids=held):
                aside = [w for w in items if w.entry.group_id in held]
                self._waiting.add(aside)
                await self.write([w for w in items if w not in aside], until)
            case Contended() | TooSlow():
                await self._in_parts(items, error, until)
            case Conflict(group_ids=changed):
                stale = [w for w in items if w.entry.group_id in changed]
                self.doubt(stale, again=True)
                await self.write([w for w in items if w not in stale], until)
            case StatementRefused():
                await self._bisect(items, error, until)
            case Unready():
                self._turn_away(items, error)
            case Fenced():
                logger.warning("fenced: %s", error)
                self.fenced()
                self.doubt(items, again=True)
            case _:
                logger.warning("%s queue: outcome unknown: %s", self.name, error)
                self.doubt(items, again=False)

    async def _in_parts(
        self, items: Sequence[BatchItem], error: Contended | TooSlow, until: float
    ) -> None:
        """Together they were too much, or one of them was."""
        if len(items) == 1:
            self._waiting.add(items)
        elif asyncio.get_running_loop().time() > until:
            for item in items:
                self._give_up(item)
        elif isinstance(error, Contended):
            await self._halves(items, until)
        else:
            largest = max(items, key=lambda item: (item.size, item.write.rows))
            self._waiting.add([largest])
            await self.write([w for w in items if w is not largest], until)

    async def _attempt(self, item: BatchItem, waited_s: float) -> bool:
        """Write one deferred group. False: a lock is still held. After a while anybody's advisory
        lock is passed by, and who holds the group outside of a COMMIT is ended."""
        if item.entry.suspended:
            return True
        try:
            connection = await self._connected_beside()
            is_large = item.size > BATCH_BYTES_MAX
            size = await asyncio.to_thread(item.write.size) if is_large else item.size
            allowed_ms = LONE_MS + size // LONE_BYTES_PER_MS
            with connection.patient(self.patience_s + allowed_ms / 1000):
                batch = self._batch([item], allowed_ms)
                await apply.apply(connection, replace(batch, is_fair=waited_s < FAIR_S))
        except (Busy, Contended):
            if waited_s >= FAIR_S:
                await self._end_holders(connection, item.entry.group_id)
            return False
        except TooSlow as error:
            if item.size <= BATCH_BYTES_MAX:
                self._give_up(item)  # the database is slow; the group is not the cause
            else:
                await self._blame(item, error)
        except StoreError as error:
            await self._failed([item], error, 0)
        except (psycopg.Error, OSError) as error:
            await self._failed([item], Unknown(str(error)), 0)
        else:
            if (sending := self._written(item)) is not None:
                await sending
        return True

    async def _end_holders(self, connection: connections.Connection, group_id: str) -> None:
        with suppress(psycopg.Error, OSError):  # the next attempt finds out
            ended = await connection.execute(END_HOLDERS, {"group_id": group_id})
            row = await ended.fetchone()
            if row is not None and row[0]:
                logger.warning("group %r was held: %d sessions were ended", group_id, row[0])

    def _turn_away(self, items: Sequence[BatchItem], error: Unready) -> None:
        """None of them is to blame: who asked is to try again."""
        logger.warning("%s queue: PostgreSQL refuses every batch: %s", self.name, error)
        for item in items:
            self._refuse(item, ErrorCode.COORDINATOR_NOT_AVAILABLE, UNSURE_PAUSE_MS)

    def _give_up(self, item: BatchItem) -> None:
        """The item could not be written within the time limit."""
        logger.warning("group %r: could not be written in time", item.entry.group_id)
        self._refuse(item, ErrorCode.COORDINATOR_NOT_AVAILABLE)

    def _refuse(
        self, item: BatchItem, code: ErrorCode, pause_ms: Millis = REFUSED_PAUSE_MS
    ) -> None:
        if not item.entry.suspended:
            self.coordinator.refuse(item.entry, item.events, code)
            self.coordinator.put_off(item.entry, pause_ms)
            self.coordinator.release(item.entry)

    async def _halves(self, items: Sequence[BatchItem], until: float) -> None:
        half = len(items) // 2
        await self.write(items[:half], until)
        await self.write(items[half:], until)

    async def _bisect(self, items: Sequence[BatchItem], error: StoreError, until: float) -> None:
        """Find the group that PostgreSQL refuses, so that the others are written."""
        if len(items) > 1:
            await self._halves(items, until)
        else:
            await self._blame(items[0], error)

    async def _blame(self, item: BatchItem, error: StoreError) -> None:
        """A group cannot be written: find the event. If the cause is members that wait to join,
        refuse them and step the group again without them; otherwise refuse the event."""
        entry = item.entry
        if len(item.events) > 1:
            self.suspect(entry, item.events)
            return
        logger.warning("group %r cannot be written: %s", entry.group_id, error)
        member_ids = await self._culprits(item, error)
        if entry.suspended:
            return
        if member_ids is None:
            self._refuse(item, ErrorCode.COORDINATOR_NOT_AVAILABLE)
        elif self._would_help(entry, culprits := MembersRefused(member_ids=member_ids)):
            self.suspect(entry, (culprits, *item.events))
        else:
            self._refuse(item, ErrorCode.UNKNOWN_SERVER_ERROR)

    async def _culprits(self, item: BatchItem, error: StoreError) -> tuple[str, ...] | None:
        """The members whose rows cause the error; None if PostgreSQL cannot be asked now. The
        client of the event may then be innocent and should try again."""
        if isinstance(error, TooSlow):
            return item.write.newcomers
        try:
            async with await connections.connect(f"{self.name} blame") as connection:
                return await blame.refused_members(connection, item.write)
        except (StoreError, psycopg.Error, OSError) as unknown:
            logger.info("the group with the refused value could not be found: %s", unknown)
            return None

    def _would_help(self, entry: GroupEntry, culprits: MembersRefused) -> bool:
        """Whether any of them is waiting in the committed group."""
        if not culprits.member_ids:
            return False
        now, rng = self.coordinator.clock(), self.coordinator.rng
        return decide(entry.group, [culprits], now, rng).group is not entry.group

    def suspect(self, entry: GroupEntry, events: Sequence[Event]) -> None:
        """One event of this group is the cause: step fewer of them together."""
        entry.suspect(events)
        self.coordinator.release(entry)

    def doubt(self, items: Sequence[BatchItem], *, again: bool) -> None:
        """Reload groups whose rows are not as remembered; ``again``: nothing was written, so
        the same events are stepped once more, else they get a retriable error."""
        for item in items:
            self.coordinator.doubt(item.entry)
            if again:
                item.entry.put_in_front([_unread(event) for event in item.events])
            else:
                unsure = ErrorCode.COORDINATOR_NOT_AVAILABLE
                self.coordinator.refuse(item.entry, item.events, unsure)
                self.coordinator.put_off(item.entry, UNSURE_PAUSE_MS)
        entries = [item.entry for item in items]
        if again:
            self.reloader.add(entries)
        else:
            self.reloader.add_unsure(entries)

    def _batch(
        self,
        items: Sequence[BatchItem],
        allowed_ms: int | None = None,
        plain: PlainRows = NO_ROWS,
    ) -> Batch:
        epochs = dict(self.coordinator.epochs)
        inside = None if self.fail is no_fail else partial(self.fail, f"{self.name}:inside")
        writes, size = [item.write for item in items], sum(item.size for item in items)
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


def _unread(event: Event) -> Event:
    """What it read may have changed with the group's rows."""
    return replace(event, is_read=False) if isinstance(event, RowsVerb) else event
