"""Commits that repeat their connection's last one with other offsets: most commits of a busy node.

They need no event and no decision of their own. Whoever received one has checked it before and
knows its rows (``protocol.fast_paths.commit_fast_path``). A round of the committer takes all that
have arrived, asks their groups whether they accept (``Group.judge``), and writes the rows in its
batch. What is not as usual becomes an event, and takes the way of every other commit: a commit that
its group refuses, all of a group that has pending transactional offsets or is in doubt, and all of
a batch that failed. The order of arrival stays: those that wait come before the events of their
group, and none is taken while an event waits. Why: docs/hot-path.md, *A commit*.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from groups.core.errors import ErrorCode
from groups.core.events import OffsetCommit
from groups.core.group import Group, Millis
from groups.core.offset_rules import COMMIT_REPLIES
from groups.event_loop import Slices
from groups.runtime.entries import CommitQueue, GroupEntry, Repeat
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.apply import PlainRows
from groups.store.offset_rows import Row, Run, runs_of

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
    """Those of one round that are accepted, by group, and how many rows they write."""

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
        rows, runs = list[Row](), list[Run]()
        for group_id, _, _, repeats in parts:
            if len(repeats) == 1:  # as nearly all
                earlier, _, offsets = repeats[0]
                if earlier.runs:
                    runs += repeats[0].runs()
                else:
                    rows.append((*earlier.before, *offsets, *earlier.after))
                continue
            last = {repeat.earlier.key: repeat for repeat in repeats}.values()
            if any(repeat.earlier.runs for repeat in last):
                runs += _runs(group_id, repeats, last)
            else:
                rows += [repeat.row() for repeat in last]
        return PlainRows({part.group_id: part.revision for part in parts}, rows, runs)


NOTHING = AcceptedRepeats()


def _runs(group_id: str, repeats: Sequence[Repeat], last: Collection[Repeat]) -> list[Run]:
    """Those of a group. ``last``: the last commit of each set of partitions; if no two of these
    sets overlap, their runs are written as they are."""
    if len(last) == 1 or _are_apart(last):
        return [run for repeat in last for run in repeat.runs()]
    return runs_of(group_id, [write for repeat in repeats for write in repeat.event().offsets])


def _are_apart(repeats: Iterable[Repeat]) -> bool:
    sets = [repeat.earlier.partitions for repeat in repeats]
    return all(sets) and len(sets[0].union(*sets[1:])) == sum(map(len, sets))


class RepeatedCommits:
    """Takes them out of a committer's queue, and answers them."""

    def __init__(self, coordinator: CoordinatorRuntime, queue: CommitQueue, slices: Slices) -> None:
        self._coordinator = coordinator
        self._queue = queue
        self._slices = slices

    async def take(self, most: int) -> AcceptedRepeats:
        """Those that wait, until they write about so many rows."""
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
            group, repeats[0].earlier.commit, now
        ):
            return False
        entry.busy, entry.repeats = True, None
        taken.parts.append(_new(Part, (group_id, entry, group.durable.revision, repeats)))
        taken.count += len(repeats[0].offsets)
        return True

    async def _take_several(self, entry: GroupEntry, taken: AcceptedRepeats, most: int) -> None:
        entry.busy = True
        part = Part(entry.group_id, entry, entry.group.durable.revision, [])
        others: list[OffsetCommit] = []
        room = most - taken.count
        while entry.repeats and (others or room > 0):
            is_usual = room > 0 and not self._is_transactional(entry)
            room -= _judge(part, others, room if is_usual else 0, await self._next_turn())
        if others:
            entry.put_in_front(others)
        if part.repeats:
            taken.parts.append(part)
            taken.count = most - room
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
        for group_id, entry, _, repeats in taken.parts:
            parked = entry.parked
            for _, ticket, offsets in repeats:
                entry.written += len(offsets)
                if ticket in parked and not entry.suspended:
                    parked.remove(ticket)
                    coordinator.answer(ticket, COMMITTED)
                number += 1
                if not number % AT_ONCE and self._slices.is_over:
                    await self._slices.pause()
            if entry.written > coordinator.written_max:
                entry.written = 0
                coordinator.others.grown(group_id)
            coordinator.release(entry, is_same=True)


def _judge(part: Part, others: list[OffsetCommit], room: int, now: Millis) -> int:
    """Ask the group about its next ones; returns how many rows it accepts. What is not accepted
    becomes an event; if nothing is usual (a transaction may wait, or an earlier one is an event)
    and there is no room, all of them."""
    _, entry, _, accepted = part
    some, rows = entry.repeats or [], 0
    entry.repeats = None
    for at, repeat in enumerate(some):
        if at == AT_ONCE or 0 < room <= rows:
            entry.repeats = some[at:]
            break
        if room and _accepts(entry.group, repeat.earlier.commit, now):
            accepted.append(repeat)
            rows += len(repeat.offsets)
        else:
            others.append(repeat.event())
    return rows


def _accepts(group: Group, commit: OffsetCommit, now: Millis) -> bool:
    """Whether the group takes the commit now. If a defect prevents that it is known, the event's
    step meets it again, and is answered."""
    try:
        return group.judge(commit, now) is NONE
    except Exception:
        return False
