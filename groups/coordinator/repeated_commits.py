"""Commits that repeat their connection's last one with another offset: most commits of a busy node.

They need no event and no decision of their own. Whoever received one has checked it before and
knows its row (``protocol.commit_fast_path``). A round of the committer takes all that have arrived,
asks their groups whether they accept (``Group.judge``), and writes the rows in its batch. What is
not as usual becomes an event, and takes the way of every other commit: a commit that its group
refuses, all of a group that has pending transactional offsets or is in doubt, and all of a batch
that failed. The order of arrival stays: those that wait come before the events of their group, and
none is taken while an event waits. Why: docs/hot-path.md, *A commit*.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from groups.coordinator.entries import OFFSET_AT, CommitQueue, GroupEntry, Repeat
from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.errors import ErrorCode
from groups.core.events import OffsetCommit
from groups.core.group import Group, Millis
from groups.core.offset_rules import SAID
from groups.event_loop import Slices
from groups.store.apply import PlainRows
from groups.store.offset_rows import Row

NONE = ErrorCode.NONE
COMMITTED = SAID[NONE]

AT_ONCE = 64
"""Commits between two reads of the clock: less than a millisecond."""


@dataclass(slots=True)
class Part:
    """Those of one group that are accepted; ``revision``: of the group that accepted them. The
    group is busy until ``RepeatedCommits.done``, or until they are a work of the committer."""

    entry: GroupEntry
    revision: int
    repeats: list[Repeat]

    def rows(self) -> Iterable[Row]:
        """What is written. Of several commits to one partition the last one counts."""
        if len(self.repeats) == 1:
            return [self.repeats[0].row]
        return {repeat.row[:OFFSET_AT]: repeat.row for repeat in self.repeats}.values()

    def events(self) -> Sequence[OffsetCommit]:
        """The same as events."""
        return [repeat.event() for repeat in self.repeats]


@dataclass(slots=True)
class Taken:
    """Those of one round that are accepted, by group, and how many they are."""

    parts: list[Part] = field(default_factory=list)
    count: int = 0

    @property
    def is_suspended(self) -> bool:
        """Whether one of the groups was lost, or is in doubt, since they were taken."""
        return any(part.entry.suspended for part in self.parts)

    def rows(self) -> PlainRows:
        """What is written, the groups in key order, as in every batch."""
        parts = sorted(self.parts, key=lambda part: part.entry.group_id)
        revisions = {part.entry.group_id: part.revision for part in parts}
        return PlainRows(revisions, [row for part in parts for row in part.rows()])


NOTHING = Taken()


class RepeatedCommits:
    """Takes them out of a committer's queue, and answers them."""

    def __init__(self, coordinator: CoordinatorRuntime, queue: CommitQueue, slices: Slices) -> None:
        self._coordinator = coordinator
        self._queue = queue
        self._slices = slices

    async def take(self, most: int) -> Taken:
        """About so many of those that wait."""
        taken, waiting = Taken(), self._queue.repeating
        now, looked_at = self._coordinator.now_to_decide(), 0
        while waiting and taken.count < most:
            entry = self._queue.pop_repeating()
            if entry.busy or entry.suspended or entry.repeats is None:
                continue  # it is queued again when it is released
            entry.busy = True
            part, others = Part(entry, entry.group.durable.revision, []), list[OffsetCommit]()
            while entry.repeats and (others or taken.count < most):
                if looked_at >= AT_ONCE:
                    now, looked_at = await self._next_turn(), 0
                looked_at += self._judge(part, others, taken.count < most, now)
            self._end(part, others, taken)
        return taken

    async def _next_turn(self) -> Millis:
        if self._slices.is_over:
            await self._slices.pause()
        return self._coordinator.now_to_decide()

    def _judge(self, part: Part, others: list[OffsetCommit], has_room: bool, now: Millis) -> int:
        """Ask the group about its next ones; returns how many. Those after one that becomes an
        event stay behind it: without room they are events too."""
        entry, accepted = part.entry, part.repeats
        is_usual = has_room and entry.group_id not in self._coordinator.with_pending
        some = _next_of(entry)
        for repeat in some:
            if is_usual and _accepts(entry.group, repeat.commit, now):
                accepted.append(repeat)
            else:
                others.append(repeat.event())
        return len(some)

    def _end(self, part: Part, others: list[OffsetCommit], taken: Taken) -> None:
        entry = part.entry
        if others:
            entry.put_in_front(others)
        if part.repeats:
            taken.parts.append(part)
            taken.count += len(part.repeats)
        else:
            self._coordinator.release(entry, is_same=True)

    async def done(self, taken: Taken) -> None:
        """They have been written: send the replies, and let the groups go."""
        coordinator, number = self._coordinator, 0
        for part in taken.parts:
            entry, parked = part.entry, part.entry.parked
            entry.written += len(part.repeats)
            for _, ticket, _ in part.repeats:
                if ticket in parked and not entry.suspended:
                    parked.remove(ticket)
                    coordinator.answer(ticket, COMMITTED)
                number += 1
                if not number % AT_ONCE and self._slices.is_over:
                    await self._slices.pause()
        for part in taken.parts:
            if part.entry.written > coordinator.written_max:
                part.entry.written = 0
                coordinator.grown(part.entry.group_id)
            coordinator.release(part.entry, is_same=True)


def _next_of(entry: GroupEntry) -> Sequence[Repeat]:
    """Take the next ones of a group out of those that wait."""
    waiting = entry.repeats or []
    some, rest = (
        (waiting, []) if len(waiting) <= AT_ONCE else (waiting[:AT_ONCE], waiting[AT_ONCE:])
    )
    entry.repeats = rest or None
    return some


def _accepts(group: Group, commit: OffsetCommit, now: Millis) -> bool:
    """Whether the group takes the commit now. If a defect prevents that it is known, the event's
    step meets it again, and is answered."""
    try:
        return group.judge(commit, now) is NONE
    except Exception:
        return False
