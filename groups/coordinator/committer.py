"""The committers: from inboxes to rows, a batch at a time, and back to answers.

Each of a node's two committers repeats one round: take the groups that are ready in its
lane, step them, write what must be written in one transaction, install, answer
(docs/architecture.md, *Events to rows*). What to do when a write fails is here too; what a
failure means is ``groups.store.apply``'s business, and what an event does the group's.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

import psycopg

from groups import event_loop
from groups.coordinator.entries import CommitQueue, GroupEntry
from groups.coordinator.fail_points import Fail, no_fail
from groups.coordinator.retries import Reloader, WaitingRoom
from groups.coordinator.runtime import STALL_MS, CoordinatorRuntime
from groups.core.conversion.step import decide, may_take_long, runs_foreign_code
from groups.core.errors import ErrorCode
from groups.core.events import (
    DeleteGroup,
    Event,
    ExpireOffsets,
    MembersRefused,
    OffsetCommit,
    OffsetDelete,
    Tick,
    TxnOffsetCommit,
)
from groups.core.group import Decision, Group, Millis
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
)
from groups.store import apply, blame
from groups.store.apply import Batch, Write

logger = logging.getLogger(__name__)

BATCH_ROWS_MAX = 2_000
"""Rows of one transaction: beyond this the latency of the batch grows and the cost per row
no longer falls (measured: docs/hot-path.md)."""


BATCH_BYTES_MAX = 4 * 1024 * 1024
"""Bytes of members in one transaction: PostgreSQL takes a quarter of a second for them and ten
thousand rows, far from its limit of two seconds. A group that alone has more is written beside
its lane, in a transaction of its own, so that nobody else waits for it."""

DONE_AT_ONCE = 64
"""Groups that are installed and answered between two looks at the clock: about a millisecond."""

ANSWERS_AT_ONCE = 100
"""Answers of one group that are sent in a turn of the loop: each wakes a request, which encodes its
reply in the next turn. All ten thousand of a large group would be half a second of it."""

LONE_MS = 5_000
LONE_BYTES_PER_MS = 2_000
"""How long a statement may take that writes one group alone: so long, and a millisecond more for
so many bytes. Measured: 10,000 members of 8 KiB, 82 MB, take 2.6 s, and may take 46 s."""

REFUSED_PAUSE_MS = 5_000
"""A group of which something fell due that cannot be written is left alone for so long."""


UNSURE_PAUSE_MS = 1_000
"""The same where the outcome is not known: a full disk refuses each of them at once."""


@dataclass(frozen=True, slots=True)
class Work:
    """One resident's part of a round: the events taken, what they decided, what to write, and
    about how many bytes of members that are, counted as far as a batch may have."""

    resident: GroupEntry
    events: Sequence[Event]
    write: Write
    size: int


class Committer:
    """One lane's rounds. ``fenced`` is told when a write met another owner's epoch; ``timeout_ms``:
    what could not be written by then is given up, with an error that may be tried again."""

    def __init__(
        self,
        node_id: int,
        coordinator: CoordinatorRuntime,
        lane: CommitQueue,
        reloader: Reloader,
        fenced: Callable[[], None],
        fail: Fail = no_fail,
        timeout_ms: Millis = 5_000,
    ) -> None:
        self.node_id = node_id
        self.coordinator = coordinator
        self.lane = lane
        self.fenced = fenced
        self.fail = fail
        self.reloader = reloader
        self.patience_s = timeout_ms / 1000
        self._slices = Slices(coordinator.monotonic)
        self._waiting = WaitingRoom(
            self._attempt, self._give_up, self._nobody_waits, self.patience_s
        )
        self._connection: connections.Connection | None = None
        self._other_connection: connections.Connection | None = None
        self._long: asyncio.Queue[tuple[GroupEntry, Sequence[Event]]] = asyncio.Queue()
        self._foreign: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Round after round, until cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._rounds())
                tasks.create_task(self._long_steps())
                tasks.create_task(self._waiting.run())
        finally:
            for task in self._foreign:
                task.cancel()
            for connection in (self._connection, self._other_connection):
                if connection is not None:
                    await connection.close()

    async def _rounds(self) -> None:
        while True:
            await self.lane.wake.wait()
            works = await self._take()
            if works:
                await self._surely(works)

    async def _surely(self, works: Sequence[Work]) -> None:
        """One round. Whatever it fails over, no group of it is left waiting for its end."""
        try:
            await self._round(works)
        except Exception:
            logger.exception("%s lane: a round failed", self.lane.name)
            self._doubt([work for work in works if work.resident.busy], again=False)

    # -- one round

    async def _take(self) -> list[Work]:
        """Step what is ready. Who was taken stays so while others have their turn of the loop."""
        works: list[Work] = []
        rows = size = 0
        while (
            rows < BATCH_ROWS_MAX
            and size < BATCH_BYTES_MAX
            and (resident := self.lane.pop()) is not None
        ):
            now = self.coordinator.monotonic()  # one look a group: it is most of what a step costs
            if self._slices.is_over_at(now):
                await self._slices.pause()
                now = self.coordinator.monotonic()
            if resident.lost or resident.busy or not resident.inbox:
                continue
            if resident.head_is_offsets() != (self.lane is self.coordinator.offsets):
                self.coordinator.schedule(resident)  # its group came into being meanwhile
                continue
            resident.busy = True
            events = self._run_of(resident, BATCH_ROWS_MAX - rows)
            if self._is_left_to_others(resident, events):
                continue
            work = self._step(resident, events, now)
            if work is not None:
                works.append(work)
                size += work.size
                rows += (written := work.write.rows)
                resident.written += written
        return works

    def _run_of(self, resident: GroupEntry, room: int) -> list[Event]:
        """The events at the head of the inbox that belong to this lane, up to the room left."""
        events: list[Event] = []
        offsets = resident.head_is_offsets()
        if resident.suspects:
            resident.suspects -= 1
            return [resident.inbox.popleft()]
        while resident.inbox and room > 0 and resident.head_is_offsets() == offsets:
            event = resident.inbox.popleft()
            events.append(event)
            room -= _size(event)
            if isinstance(event, DeleteGroup | ExpireOffsets):
                break  # what comes after is about another group of the same id
        return events

    def _step(self, resident: GroupEntry, events: Sequence[Event], now: Millis) -> Work | None:
        """``now``: what the process's clock said just before."""
        events = self._to_be_decided(events, now)
        coordinator = self.coordinator
        try:
            decision = decide(resident.group, events, now - coordinator.missed, coordinator.rng)
        except Exception:
            self._step_failed(resident, events)
            return None
        return self._work(resident, events, decision)

    def _to_be_decided(self, events: Sequence[Event], now: Millis) -> Sequence[Event]:
        coordinator = self.coordinator
        slept = now - coordinator.listened_at > STALL_MS
        if slept or now >= coordinator.lease_until:
            # The node slept, or its database is away: a timer that ran out meanwhile is no
            # evidence against anybody. It is armed anew when the resident is released.
            events = [event for event in events if not isinstance(event, Tick)]
        if slept:
            coordinator.awake()  # or a deadline that is decided now lies ahead of the clock then
        return events

    def _step_failed(self, resident: GroupEntry, events: Sequence[Event]) -> None:
        """A defect of ours, or of somebody's assignor: the committed group stands, the request
        gets an error, and the node goes on for everybody else."""
        logger.exception("group %r: a step failed", resident.group_id)
        if len(events) > 1:
            self._one_by_one(resident, events)
            return
        self.coordinator.refuse(resident, events, ErrorCode.UNKNOWN_SERVER_ERROR)
        self.coordinator.release(resident)

    def _work(self, resident: GroupEntry, events: Sequence[Event], decision: Decision) -> Work:
        if decision.pending:
            # Before it is written: an outcome that nobody knows may be that it was.
            self.coordinator.with_pending.add(resident.group_id)
        has_pending = resident.group_id in self.coordinator.with_pending
        write = Write(resident.group.durable, decision, has_pending)
        return Work(resident, events, write, write.size(BATCH_BYTES_MAX))

    # -- steps beside the loop

    def _is_left_to_others(self, resident: GroupEntry, events: Sequence[Event]) -> bool:
        """Whether the step is taken beside the loop, since it would stand still for too long."""
        if self.lane is self.coordinator.offsets:
            return False
        if runs_foreign_code(resident.group, events):
            task = asyncio.create_task(self._long_step(resident, events, event_loop.foreign))
            self._foreign.add(task)
            task.add_done_callback(self._foreign.discard)
            return True
        if may_take_long(resident.group, events):
            self._long.put_nowait((resident, events))
            return True
        return False

    async def _long_steps(self) -> None:
        """One after the other: what comes for a group meanwhile is its next step."""
        while True:
            resident, events = await self._long.get()
            await self._long_step(resident, events, asyncio.to_thread)

    async def _long_step(
        self,
        resident: GroupEntry,
        events: Sequence[Event],
        run: Callable[[Callable[[], Decision]], Awaitable[Decision]],
    ) -> None:
        coordinator, now = self.coordinator, self.coordinator.monotonic()
        events = self._to_be_decided(events, now)
        at, rng = now - coordinator.missed, coordinator.rng
        try:
            decision = await run(partial(_decided, resident.group, events, at, rng))
            work = self._work(resident, events, decision)
        except Exception:
            self._step_failed(resident, events)
            return
        if work.write.is_needed:
            self._waiting.add([work])  # the lane's connection is the lane's
        else:
            await self._surely([work])

    # -- what became of a step

    async def _round(self, works: Sequence[Work]) -> None:
        needed = [work for work in works if work.write.is_needed]
        for work in works:
            if not work.write.is_needed:
                await self._answer_from_memory(work)
                if self._slices.is_over:
                    await self._slices.pause()
        if needed:
            await self._write(needed)

    async def _answer_from_memory(self, work: Work) -> None:
        """A step that changes no row: the lease alone says whether memory may be believed."""
        if self.coordinator.holds_lease:
            await self._finish(work)
        else:
            self.coordinator.refuse(work.resident, work.events, ErrorCode.COORDINATOR_NOT_AVAILABLE)
            self.coordinator.release(work.resident)

    async def _written(self, work: Work) -> None:
        if work.write.changes_membership:
            self.coordinator.observers.note(work.write.group_id, work.write.revision)
        await self._finish(work)

    async def _finish(self, work: Work) -> None:
        if len(work.write.decision.answers) > ANSWERS_AT_ONCE:
            await self._done_in_turns(work)
        else:
            self._done(work)
        if work.resident.written > self.coordinator.written_max:
            self._has_grown(work.resident)

    def _has_grown(self, resident: GroupEntry) -> None:
        resident.written = 0
        self.coordinator.grown(resident.group_id)

    def _done(self, work: Work) -> None:
        self.coordinator.install(work.resident, work.write.decision, work.write.revision)
        self.coordinator.release(work.resident)

    async def _done_in_turns(self, work: Work) -> None:
        """Answer many, some at a time. The group's next step waits until all are."""
        resident, decision, coordinator = work.resident, work.write.decision, self.coordinator
        quiet = replace(decision, answers=(), hung_up=())
        coordinator.install(resident, quiet, work.write.revision)
        for at in range(0, len(decision.answers), ANSWERS_AT_ONCE):
            coordinator.send(resident, decision.answers[at : at + ANSWERS_AT_ONCE])
            await self._slices.pause()
        if decision.hung_up and not resident.lost:
            coordinator.hang_up(resident.group_id, decision.hung_up)
        coordinator.release(resident)

    # -- writing, and what to do when it fails

    async def _write(self, works: Sequence[Work], until: float | None = None) -> None:
        """Write them; what cannot be written by ``until`` (the loop's time) is given up."""
        until = until or asyncio.get_running_loop().time() + self.patience_s
        works = [work for work in works if not work.resident.lost]
        large = [work for work in works if work.size > BATCH_BYTES_MAX]
        if large:
            self._waiting.add(large)
            works = [work for work in works if work not in large]
        if not works:
            return
        try:
            await self._apply(works)
        except StoreError as error:
            await self._failed(works, error, until)
        else:
            await self._all_done(works)

    async def _all_done(self, works: Sequence[Work]) -> None:
        for at, work in enumerate(works, 1):
            await self._written(work)
            if not at % DONE_AT_ONCE and self._slices.is_over:
                await self._slices.pause()

    async def _apply(self, works: Sequence[Work]) -> None:
        batch = self._batch(works)
        await self.fail(f"{self.lane.name}:before")
        try:
            connection = await self._connected()
        except (psycopg.Error, OSError) as error:
            raise Unknown(str(error)) from error
        await self.fail(f"{self.lane.name}:connected")
        await apply.apply(connection, batch)
        await self.fail(f"{self.lane.name}:after")

    async def _failed(self, works: Sequence[Work], error: StoreError, until: float) -> None:
        match error:
            case Busy(group_ids=held):
                aside = [w for w in works if w.resident.group_id in held]
                self._waiting.add(aside)
                await self._write([w for w in works if w not in aside], until)
            case Contended() | TooSlow() if len(works) == 1:
                self._waiting.add(works)
            case Contended() | TooSlow() if asyncio.get_running_loop().time() > until:
                for work in works:
                    self._give_up(work)
            case Contended():
                await self._halves(works, until)
            case TooSlow():
                largest = max(works, key=lambda work: (work.size, work.write.rows))
                self._waiting.add([largest])
                await self._write([w for w in works if w is not largest], until)
            case Conflict(group_ids=changed):
                stale = [w for w in works if w.resident.group_id in changed]
                self._doubt(stale, again=True)
                await self._write([w for w in works if w not in stale], until)
            case Refused():
                await self._bisect(works, error, until)
            case Fenced():
                logger.warning("fenced: %s", error)
                self.fenced()
                self._doubt(works, again=True)
            case _:
                logger.warning("%s lane: outcome unknown: %s", self.lane.name, error)
                self._doubt(works, again=False)

    async def _attempt(self, work: Work) -> bool:
        """Write one group that had to wait, by itself. False: something is still held."""
        if work.resident.lost:
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
                self._give_up(work)  # the database is slow, and not the group to blame
            else:
                await self._blame(work, error)
        except StoreError as error:
            await self._failed([work], error, 0)
        except (psycopg.Error, OSError) as error:
            await self._failed([work], Unknown(str(error)), 0)
        else:
            await self._written(work)
        return True

    def _give_up(self, work: Work) -> None:
        """Nothing of it was written, and it has waited long enough."""
        logger.warning("group %r: could not be written in time", work.resident.group_id)
        self._refuse(work, ErrorCode.COORDINATOR_NOT_AVAILABLE)

    def _refuse(self, work: Work, code: ErrorCode) -> None:
        if not work.resident.lost:
            self.coordinator.refuse(work.resident, work.events, code)
            self.coordinator.put_off(work.resident, REFUSED_PAUSE_MS)
            self.coordinator.release(work.resident)

    async def _halves(self, works: Sequence[Work], until: float) -> None:
        half = len(works) // 2
        await self._write(works[:half], until)
        await self._write(works[half:], until)

    async def _bisect(self, works: Sequence[Work], error: StoreError, until: float) -> None:
        """Find the value that PostgreSQL refuses, so that nobody else fails for it."""
        if len(works) > 1:
            await self._halves(works, until)
        else:
            await self._blame(works[0], error)

    async def _blame(self, work: Work, error: StoreError) -> None:
        """One group cannot be written: find the event. If that is because of members that wait
        for it, these are turned away and it is stepped again without them; else it is refused."""
        resident = work.resident
        if len(work.events) > 1:
            self._one_by_one(resident, work.events)
            return
        logger.warning("group %r cannot be written: %s", resident.group_id, error)
        member_ids = await self._culprits(work, error)
        if resident.lost:
            return
        if member_ids is None:
            self._refuse(work, ErrorCode.COORDINATOR_NOT_AVAILABLE)
        elif self._would_help(resident, culprits := MembersRefused(member_ids=member_ids)):
            self._one_by_one(resident, (culprits, *work.events))
        else:
            self._refuse(work, ErrorCode.UNKNOWN_SERVER_ERROR)

    async def _culprits(self, work: Work, error: StoreError) -> tuple[str, ...] | None:
        """Whose rows are to blame; None: PostgreSQL cannot be asked now, and whoever asked for this
        may be innocent and shall try again."""
        if isinstance(error, TooSlow):
            return work.write.newcomers
        try:
            async with await connections.connect(f"{self.lane.name} blame") as connection:
                return await blame.refused_members(connection, work.write)
        except (StoreError, psycopg.Error, OSError) as unknown:
            logger.info("who is to blame is not known: %s", unknown)
            return None

    def _would_help(self, resident: GroupEntry, culprits: MembersRefused) -> bool:
        """Whether any of them waits in the group as it was committed."""
        if not culprits.member_ids:
            return False
        now, rng = self.coordinator.clock(), self.coordinator.rng
        return decide(resident.group, [culprits], now, rng).group is not resident.group

    def _one_by_one(self, resident: GroupEntry, events: Sequence[Event]) -> None:
        """One event of this group is to blame: take them one at a time."""
        resident.inbox.extendleft(reversed(events))
        resident.suspects += len(events)
        self.coordinator.release(resident)

    def _doubt(self, works: Sequence[Work], *, again: bool) -> None:
        """Reload groups whose rows are not as remembered; ``again``: nothing was written, so
        the same events are stepped once more, else they get a retriable error."""
        for work in works:
            self.coordinator.doubt(work.resident)
            if again:
                work.resident.inbox.extendleft(reversed(work.events))
            else:
                unsure = ErrorCode.COORDINATOR_NOT_AVAILABLE
                self.coordinator.refuse(work.resident, work.events, unsure)
                self.coordinator.put_off(work.resident, UNSURE_PAUSE_MS)
        residents = [work.resident for work in works]
        if again:
            self.reloader.add(residents)
        else:
            self.reloader.add_unsure(residents)

    def _batch(self, works: Sequence[Work], allowed_ms: int | None = None) -> Batch:
        epochs = dict(self.coordinator.epochs)
        inside = None if self.fail is no_fail else partial(self.fail, f"{self.lane.name}:inside")
        writes, size = [work.write for work in works], sum(work.size for work in works)
        return Batch(self.node_id, epochs, writes, inside, allowed_ms, size)

    async def _connected(self) -> connections.Connection:
        self._connection = await connections.kept(self._connection, self.lane.name)
        return self._connection

    async def _nobody_waits(self) -> None:
        """Most of the time nobody does: no connection is kept for that."""
        beside, self._other_connection = self._other_connection, None
        if beside is not None:
            await beside.close()

    async def _connected_beside(self) -> connections.Connection:
        """For what a lane must not wait for."""
        before, name = self._other_connection, f"{self.lane.name} waiting"
        self._other_connection = connection = await connections.kept(before, name)
        return connection


def _decided(group: Group, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
    """The decision, and what the loop asks of the group next, found already."""
    decision = decide(group, events, now, rng)
    decision.group.due(now)
    return decision


def _size(event: Event) -> int:
    match event:
        case OffsetCommit(offsets=offsets) | TxnOffsetCommit(offsets=offsets):
            return max(1, len(offsets))
        case OffsetDelete(partitions=partitions):
            return max(1, len(partitions))
    return 1
