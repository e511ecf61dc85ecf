"""The committers: they write the decisions of groups in batches, and then send the replies.

Each of a node's two committers repeats one round: take the groups that are ready in its queue, step
them, write what must be written in one transaction, install, answer (docs/architecture.md, *Events
to rows*). ``groups.runtime.batch_writer`` handles failed writes; the group's rules decide what
an event does.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, Final

from groups import event_loop
from groups.core.configs.freeze import SetFreeze
from groups.core.conversion.step import decide, may_take_long, runs_foreign_code
from groups.core.errors import ErrorCode
from groups.core.events import (
    DeleteGroup,
    Event,
    ExpireOffsets,
    OffsetCommit,
    OffsetDelete,
    RemoveGroup,
    ResetOffsets,
    RestoreOffsets,
    RowsVerb,
    Tick,
    TxnOffsetCommit,
)
from groups.core.group import Decision, Group, Millis
from groups.core.pauses import PauseWork, ResumeWork
from groups.event_loop import Slices
from groups.runtime.batch_writer import BATCH_BYTES_MAX, BatchItem, BatchWriter
from groups.runtime.collaborators import NotRead
from groups.runtime.entries import OFFSETS, CommitQueue, GroupEntry
from groups.runtime.fail_points import Fail, no_fail
from groups.runtime.repeated_commits import NOTHING, AcceptedRepeats, RepeatedCommits
from groups.runtime.retries import Reloader
from groups.runtime.runtime import STALL_MS, CoordinatorRuntime
from groups.store.apply import Write

logger = logging.getLogger(__name__)

BATCH_ROWS_MAX = 2_000
"""Rows of one transaction: with more, the latency of the batch grows and the cost per row stays the
same (measured: docs/hot-path.md)."""

LINGER_S: Final = 0.001
"""How long commits of offsets gather if some came while the batch before was written: its replies
bring the next ones of the same clients. A batch takes the node and PostgreSQL half a millisecond
each whatever its size (docs/scale.md); whoever commits alone does not wait. Kafka's
``group.coordinator.append.linger.ms``."""


ENDS_STEP: Final = frozenset(
    {
        DeleteGroup,
        ExpireOffsets,
        OffsetDelete,
        PauseWork,
        RemoveGroup,
        ResetOffsets,
        RestoreOffsets,
        ResumeWork,
        SetFreeze,
    }
)
"""Events that are the last of their step: those that follow are for another group of the same id,
are decided under another freeze, or write offsets in place of deleted ones. A decision does not say
which came first, and pending offsets of open transactions depend on it."""


ANSWERS_AT_ONCE = 100
"""Replies of one group that are sent in one turn of the event loop: each wakes a request, which
encodes its reply in the next turn. All ten thousand of a large group would take half a second."""


class Committer:
    """The rounds of one queue. ``fenced`` is called when a write finds another owner's epoch;
    ``timeout_ms``: requests that are not written by then fail with a retriable error."""

    writer_class = BatchWriter

    def __init__(
        self,
        node_id: int,
        coordinator: CoordinatorRuntime,
        queue: CommitQueue,
        reloader: Reloader,
        fenced: Callable[[], None],
        fail: Fail = no_fail,
        timeout_ms: Millis = 5_000,
    ) -> None:
        self.coordinator = coordinator
        self.queue = queue
        self._slices = Slices(coordinator.monotonic)
        self.writer = self.writer_class(
            node_id,
            coordinator,
            queue.name,
            reloader,
            fenced,
            fail,
            timeout_ms,
            self._slices,
            self._finish,
        )
        self._repeats = RepeatedCommits(coordinator, queue, self._slices)
        self._long: asyncio.Queue[tuple[GroupEntry, Sequence[Event]]] = asyncio.Queue()
        self._foreign: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Repeat rounds, until cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                for work in (self._rounds(), self._long_steps(), self.writer.run()):
                    tasks.create_task(event_loop.lasting(work))
        finally:
            for task in self._foreign:
                task.cancel()
            await self.writer.close()

    async def _rounds(self) -> None:
        gathers = self.queue is self.coordinator.offsets
        while True:
            if gathers and self.queue.wake.is_set():
                await asyncio.sleep(LINGER_S)
            await self.queue.wake.wait()
            taken = NOTHING
            if self.queue.repeating:
                # Half, so that events are not left out.
                most = BATCH_ROWS_MAX // 2 if self.queue.ready else BATCH_ROWS_MAX
                taken = await self._repeats.take(most)
            items = await self._take(BATCH_ROWS_MAX - taken.count)
            if items or taken.parts:
                await self._surely(items, taken)

    async def _surely(self, items: Sequence[BatchItem], taken: AcceptedRepeats = NOTHING) -> None:
        """One round. If it fails, its groups are released all the same."""
        try:
            await self._round(items, taken)
        except Exception:
            logger.exception("%s queue: a round failed", self.queue.name)
            items = [*items, *(await self._as_items(taken))]
            self.writer.doubt([item for item in items if item.entry.busy], again=False)

    # -- one round

    async def _take(self, rows_max: int) -> list[BatchItem]:
        """Step the groups that are ready. A taken group stays busy while other tasks run."""
        items: list[BatchItem] = []
        rows = size = 0
        while (
            rows < rows_max and size < BATCH_BYTES_MAX and (entry := self.queue.pop()) is not None
        ):
            now = self.coordinator.monotonic()  # one read a group: most of a step's cost
            if now >= self._slices.until:
                await self._slices.pause()
                now = self.coordinator.monotonic()
            if entry.suspended or entry.busy or not entry.inbox or entry.repeats is not None:
                continue  # it is queued again when it is released
            if entry.head_is_offsets() != (self.queue is self.coordinator.offsets):
                self.coordinator.schedule(entry)  # its group was created meanwhile
                continue
            entry.busy = True
            events = self._run_of(entry, rows_max - rows)
            if self._is_left_to_others(entry, events):
                continue
            item = self._step(entry, events, now)
            if item is not None:
                items.append(item)
                size += item.size
                rows += (written := item.write.rows)
                entry.written += written
        return items

    def _run_of(self, entry: GroupEntry, room: int) -> list[Event]:
        """The events at the head of the inbox that belong to this queue, up to ``room`` rows."""
        events: list[Event] = []
        inbox, exists = entry.inbox, entry.group.durable.exists
        is_about_offsets = isinstance(inbox[0], OFFSETS)
        while inbox and room > 0:
            if exists and isinstance(inbox[0], OFFSETS) is not is_about_offsets:
                break
            event = inbox.popleft()
            events.append(event)
            room -= _size(event)
            if type(event) in ENDS_STEP:
                if len(events) > 1 and isinstance(event, RowsVerb):
                    inbox.appendleft(events.pop())  # it is decided alone, once its rows are read
                break
        return entry.portion_of(events) if entry.suspects else events

    def _step(self, entry: GroupEntry, events: Sequence[Event], now: Millis) -> BatchItem | None:
        """``now``: the process's clock, read just before."""
        events = self._to_be_decided(events, now)
        coordinator = self.coordinator
        try:
            decision = decide(entry.group, events, now - coordinator.missed, coordinator.rng)
        except Exception:
            self._step_failed(entry, events)
            return None
        return self._item(entry, events, decision)

    def _to_be_decided(self, events: Sequence[Event], now: Millis) -> Sequence[Event]:
        coordinator = self.coordinator
        slept = now - coordinator.listened_at > STALL_MS
        if slept or now >= coordinator.lease_until:
            # The node was suspended, or its database is away: a timer that expired in the
            # meantime does not show that a member is dead. It is set again at the release.
            events = [event for event in events if not isinstance(event, Tick)]
        if slept:
            coordinator.awake()  # a deadline that is decided now must not be ahead of the clock
        return events

    def _step_failed(self, entry: GroupEntry, events: Sequence[Event]) -> None:
        """A defect in Rollcall or in a plugged-in assignor: the committed group stays as it is, the
        request gets an error, and the node continues to serve other groups."""
        logger.exception("group %r: a step failed", entry.group_id)
        if len(events) > 1:
            self.writer.suspect(entry, events)
            return
        self.coordinator.refuse(entry, events, ErrorCode.UNKNOWN_SERVER_ERROR)
        self.coordinator.release(entry)

    def _item(self, entry: GroupEntry, events: Sequence[Event], decision: Decision) -> BatchItem:
        if decision.pending:
            # Before the write: if its outcome is unknown, it may have happened.
            self.coordinator.with_pending.add(entry.group_id)
        has_pending = entry.group_id in self.coordinator.with_pending
        write = Write(entry.group.durable, decision, has_pending)
        return BatchItem(entry, events, write, write.size(BATCH_BYTES_MAX))

    # -- steps beside the loop

    def _is_left_to_others(self, entry: GroupEntry, events: Sequence[Event]) -> bool:
        """Whether the step runs in a thread, since it would block the event loop for too long."""
        if self.queue is self.coordinator.offsets:
            return False
        if isinstance(first := events[0], RowsVerb) and not first.is_read:
            self._beside(self._read(entry, first))
            return True
        if runs_foreign_code(entry.group, events):
            self._beside(self._long_step(entry, events, event_loop.foreign))
            return True
        if may_take_long(entry.group, events):
            self._long.put_nowait((entry, events))
            return True
        return False

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._foreign.add(task)
        task.add_done_callback(self._foreign.discard)

    async def _read(self, entry: GroupEntry, event: RowsVerb) -> None:
        """Read what an operation needs while the group is not written, and decide it next."""
        try:
            read = await self.coordinator.others.read_rows(entry.group_id, event)
        except NotRead as error:
            logger.info("an operation on %r waits: %s", entry.group_id, error)
            self.coordinator.refuse(entry, [event], ErrorCode.COORDINATOR_NOT_AVAILABLE)
            self.coordinator.release(entry)
        except Exception:
            self._step_failed(entry, [event])
        else:
            if entry.suspended:  # the slot was lost
                self.coordinator.refuse(entry, [event], ErrorCode.NOT_COORDINATOR)
            else:
                entry.put_in_front([read])
            self.coordinator.release(entry)

    async def _long_steps(self) -> None:
        """Run long steps one after the other; events that arrive for a group in the meantime are
        its next step."""
        while True:
            entry, events = await self._long.get()
            await self._long_step(entry, events, asyncio.to_thread)

    async def _long_step(
        self,
        entry: GroupEntry,
        events: Sequence[Event],
        run: Callable[[Callable[[], Decision]], Awaitable[Decision]],
    ) -> None:
        coordinator, now = self.coordinator, self.coordinator.monotonic()
        events = self._to_be_decided(events, now)
        at, rng = now - coordinator.missed, coordinator.rng
        try:
            decision = await run(partial(_decided, entry.group, events, at, rng))
            item = self._item(entry, events, decision)
        except Exception:
            self._step_failed(entry, events)
            return
        if item.write.is_needed:
            self.writer.put_aside(item)  # the queue keeps its own connection
        else:
            await self._surely([item])

    # -- after a step

    async def _round(self, items: Sequence[BatchItem], taken: AcceptedRepeats) -> None:
        needed = [item for item in items if item.write.is_needed]
        for item in items if len(needed) < len(items) else ():
            if not item.write.is_needed:
                await self._answer_from_memory(item)
                if self._slices.is_over:
                    await self._slices.pause()
        if not taken.parts:
            await self.writer.write(needed)
        elif await self.writer.write_with(needed, taken, self._as_items):
            await self._repeats.done(taken)

    async def _as_items(self, taken: AcceptedRepeats) -> list[BatchItem]:
        """Repeated commits that could not be written as such, by group."""
        items: list[BatchItem] = []
        for part in taken.parts:
            if self._slices.is_over:
                await self._slices.pause()
            if part.entry.busy:  # otherwise it was released
                item = self._step(part.entry, part.events(), self.coordinator.monotonic())
                items += [] if item is None else [item]
        return items

    async def _answer_from_memory(self, item: BatchItem) -> None:
        """A step that changes no row is valid only while the lease holds."""
        if self.coordinator.holds_lease:
            if (sending := self._finish(item)) is not None:
                await sending
        else:
            self.coordinator.refuse(item.entry, item.events, ErrorCode.COORDINATOR_NOT_AVAILABLE)
            self.coordinator.release(item.entry)

    def _finish(self, item: BatchItem) -> Awaitable[None] | None:
        """Install and send the replies. A long rest is returned as an awaitable."""
        if item.entry.written > self.coordinator.written_max:
            self._has_grown(item.entry)
        if len(item.write.decision.answers) > ANSWERS_AT_ONCE:
            return self._done_in_turns(item)
        self._done(item)
        return None

    def _has_grown(self, entry: GroupEntry) -> None:
        entry.written = 0
        self.coordinator.others.grown(entry.group_id)

    def _done(self, item: BatchItem) -> None:
        entry, decision = item.entry, item.write.decision
        is_same = entry.group is decision.group
        revision = entry.group.durable.revision if is_same else item.write.revision
        self.coordinator.install(entry, decision, revision)
        self.coordinator.release(entry, is_same=is_same)

    async def _done_in_turns(self, item: BatchItem) -> None:
        """Send many replies in parts. The group's next step waits until all are sent."""
        entry, decision, coordinator = item.entry, item.write.decision, self.coordinator
        quiet = replace(decision, answers=(), hung_up=())
        coordinator.install(entry, quiet, item.write.revision)
        for at in range(0, len(decision.answers), ANSWERS_AT_ONCE):
            coordinator.send(entry, decision.answers[at : at + ANSWERS_AT_ONCE])
            await self._slices.pause()
        if decision.hung_up and not entry.suspended:
            coordinator.hang_up(entry.group_id, decision.hung_up)
        coordinator.release(entry)


def _decided(group: Group, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
    """The decision, with values that the event loop needs next already computed."""
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
