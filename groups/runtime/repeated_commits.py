"""Commits that repeat their connection's last one with another offset: most commits of a busy node.

They need no event and no decision of their own. Whoever received one has checked it before and
knows its row (``protocol.fast_paths.commit_fast_path``). A round of the committer takes all that
have arrived, asks their groups whether they accept (``Group.judge``), and writes the rows in its
batch. What is not as usual becomes an event, and takes the way of every other commit: a commit that
its group refuses, all of a group that has pending transactional offsets or is in doubt, and all of
a batch that failed. The order of arrival stays: those that wait come before the events of their
group, and none is taken while an event waits. Why: docs/hot-path.md, *A commit*.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from groups.core.errors import ErrorCode
from groups.core.events import OffsetCommit
from groups.core.group import Group, Millis
from groups.core.offset_rules import COMMIT_REPLIES
from groups.event_loop import Slices
from groups.runtime.entries import OFFSET_AT, CommitQueue, GroupEntry, Repeat
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.apply import PlainRows
from groups.store.offset_rows import Row

NONE = ErrorCode.NONE
COMMITTED = COMMIT_REPLIES[NONE]

_new = tuple.__new__  # takes a third of the time of calling the class

AT_ONCE = 64
"""Commits between two reads of the clock: less than a millisecond."""


class Part(NamedTuple):
    """Those of one group that are accepted; ``revision``: of the group that accepted them. The
    group is busy until ``RepeatedCommits.done``, or until they are an item of a batch."""

    group_id: str
    entry: GroupEntry
    revision: int
    repeats: list[Repeat]

    def events(self) -> Sequence[OffsetCommit]:
        """The same as events."""
        return [repeat.event() for repeat in self.repeats]


@dataclass(slots=True)
class AcceptedRepeats:
    """Those of one round that are accepted, by group, and how many they are."""

    parts: list[Part] = field(default_factory=list)
    count: int = 0

    @property
    def is_suspended(self) -> bool:
        """Whether one of the groups was lost, or is in doubt, since they were taken."""
        return any(part.entry.suspended for part in self.parts)

    def rows(self) -> PlainRows:
        """What is written, the groups in key order, as in every batch. Of several commits to one
        partition the last one counts."""
        parts = sorted(self.parts)
        rows: list[Row] = []
        for _, _, _, repeats in parts:
            if len(repeats) == 1:
                rows.append(repeats[0].row)
            else:
                rows += {repeat.row[:OFFSET_AT]: repeat.row for repeat in repeats}.values()
        return PlainRows({part.group_id: part.revision for part in parts}, rows)


NOTHING = AcceptedRepeats()


class RepeatedCommits:
    """Takes them out of a committer's queue, and answers them."""

    def __init__(self, coordinator: CoordinatorRuntime, queue: CommitQueue, slices: Slices) -> None:
        self._coordinator = coordinator
        self._queue = queue
        self._slices = slices

    async def take(self, most: int) -> AcceptedRepeats:
        """About so many of those that wait."""
        taken, waiting = AcceptedRepeats(), self._queue.repeating
        now, looked_at = self._coordinator.now_to_decide(), 0
        while waiting and taken.count < most:
            if looked_at >= AT_ONCE:
                now, looked_at = await self._next_turn(), 0
            entry = self._queue.pop_repeating()
            if entry.busy or entry.suspended or entry.repeats is None:
                continue  # it is queued again when it is released
            looked_at += 1
            if len(entry.repeats) > 1 or not self._take_one(entry, entry.repeats, taken, now):
                await self._take_several(entry, taken, most)
        return taken

    def _take_one(
        self, entry: GroupEntry, repeats: list[Repeat], taken: AcceptedRepeats, now: Millis
    ) -> bool:
        """Whether the only one of a group is accepted, as nearly always on a node with many."""
        group_id, group = entry.group_id, entry.group
        if group_id in self._coordinator.with_pending or not _accepts(
            group, repeats[0].commit, now
        ):
            return False
        entry.busy, entry.repeats = True, None
        taken.parts.append(_new(Part, (group_id, entry, group.durable.revision, repeats)))
        taken.count += 1
        return True

    async def _take_several(self, entry: GroupEntry, taken: AcceptedRepeats, most: int) -> None:
        entry.busy = True
        part = Part(entry.group_id, entry, entry.group.durable.revision, [])
        others: list[OffsetCommit] = []
        room = most - taken.count
        while entry.repeats and (others or len(part.repeats) < room):
            is_usual = len(part.repeats) < room and not self._is_transactional(entry)
            _judge(part, others, is_usual, await self._next_turn())
        if others:
            entry.put_in_front(others)
        if part.repeats:
            taken.parts.append(part)
            taken.count += len(part.repeats)
        else:
            self._coordinator.release(entry, is_same=True)

    def _is_transactional(self, entry: GroupEntry) -> bool:
        return entry.group_id in self._coordinator.with_pending

    async def _next_turn(self) -> Millis:
        if self._slices.is_over:
            await self._slices.pause()
        return self._coordinator.now_to_decide()

    async def done(self, taken: AcceptedRepeats) -> None:
        """They have been written: send the replies, and let the groups go."""
        coordinator, number = self._coordinator, 0
        for _, entry, _, repeats in taken.parts:
            parked = entry.parked
            entry.written += len(repeats)
            for _, ticket, _ in repeats:
                if ticket in parked and not entry.suspended:
                    parked.remove(ticket)
                    coordinator.answer(ticket, COMMITTED)
                number += 1
                if not number % AT_ONCE and self._slices.is_over:
                    await self._slices.pause()
        for group_id, entry, _, _ in taken.parts:
            if entry.written > coordinator.written_max:
                entry.written = 0
                coordinator.others.grown(group_id)
            coordinator.release(entry, is_same=True)


def _judge(part: Part, others: list[OffsetCommit], is_usual: bool, now: Millis) -> None:
    """Ask the group about its next ones. What is not accepted becomes an event; if nothing is usual
    (there is no room, or a transaction may wait), all of them."""
    _, entry, _, accepted = part
    some = entry.repeats or []
    entry.repeats = None
    if len(some) > AT_ONCE:
        some, entry.repeats = some[:AT_ONCE], some[AT_ONCE:]
    for repeat in some:
        if is_usual and _accepts(entry.group, repeat.commit, now):
            accepted.append(repeat)
        else:
            others.append(repeat.event())


def _accepts(group: Group, commit: OffsetCommit, now: Millis) -> bool:
    """Whether the group takes the commit now. If a defect prevents that it is known, the event's
    step meets it again, and is answered."""
    try:
        return group.judge(commit, now) is NONE
    except Exception:
        return False
