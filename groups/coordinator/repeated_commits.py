"""Commits that repeat their connection's last one with another offset: most commits of a busy node.

They need no event and no decision of their own. Whoever received one has checked it before and
knows its row (``protocol.commit_fast_path``). A round of the committer takes all that have arrived,
asks their groups whether they accept (``Group.judge``), and writes the rows in its batch. What is
not as usual becomes an event, and takes the way of every other commit: a group that is busy, in
doubt, or has an event waiting, a commit that its group refuses, and all of a batch that failed.
Why: docs/hot-path.md, *A commit*.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from groups.coordinator.entries import OFFSET_AT, CommitQueue, GroupEntry, Repeat
from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.errors import ErrorCode
from groups.core.events import OffsetCommit
from groups.core.group import Millis
from groups.core.offset_rules import SAID
from groups.event_loop import Slices
from groups.store.apply import PlainRows

NONE = ErrorCode.NONE
COMMITTED = SAID[NONE]

AT_ONCE = 64
"""Commits between two reads of the clock: less than a millisecond."""


@dataclass(slots=True)
class Taken:
    """Those of one round that are accepted. Their groups are busy until ``RepeatedCommits.done`` or
    until they are works of the committer."""

    entries: dict[str, GroupEntry] = field(default_factory=dict)
    repeats: list[Repeat] = field(default_factory=list)

    @property
    def is_suspended(self) -> bool:
        """Whether one of the groups was lost, or is in doubt, since they were taken."""
        return any(entry.suspended for entry in self.entries.values())

    def rows(self) -> PlainRows:
        """What is written. Of several commits to one partition the last one counts."""
        revisions = {
            group_id: entry.group.durable.revision for group_id, entry in self.entries.items()
        }
        rows = {repeat.row[:OFFSET_AT]: repeat.row for repeat in self.repeats}
        return PlainRows(revisions, list(rows.values()))

    def events(self) -> list[tuple[GroupEntry, Sequence[OffsetCommit]]]:
        """The same as events, by group."""
        found: dict[str, list[OffsetCommit]] = {group_id: [] for group_id in self.entries}
        for repeat in self.repeats:
            found[repeat.entry.group_id].append(repeat.event())
        return [(self.entries[group_id], events) for group_id, events in found.items()]


NOTHING = Taken()


class RepeatedCommits:
    """Takes them out of a committer's queue, and answers them."""

    def __init__(self, coordinator: CoordinatorRuntime, queue: CommitQueue, slices: Slices) -> None:
        self._coordinator = coordinator
        self._queue = queue
        self._slices = slices

    async def take(self, most: int) -> Taken:
        """At most so many of those that wait."""
        taken, waiting = Taken(), self._queue.repeats
        while waiting and most > 0:
            now = self._coordinator.now_to_decide()
            for _ in range(min(AT_ONCE, most, len(waiting))):
                self._take(waiting.popleft(), taken, now)
            most -= AT_ONCE
            if self._slices.is_over:
                await self._slices.pause()
        return taken

    def _take(self, repeat: Repeat, taken: Taken, now: Millis) -> None:
        entry = repeat.entry
        is_first = entry.group_id not in taken.entries
        if (is_first and not self._is_free(entry)) or not _accepts(repeat, now):
            self._as_event(repeat)
            return
        if is_first:
            entry.busy = True
            taken.entries[entry.group_id] = entry
        taken.repeats.append(repeat)

    def _is_free(self, entry: GroupEntry) -> bool:
        return not (
            entry.busy
            or entry.inbox
            or entry.suspended
            or entry.group_id in self._coordinator.with_pending
        )

    def _as_event(self, repeat: Repeat) -> None:
        """The event waits behind others of its group, as if it arrived now."""
        repeat.entry.inbox.append(repeat.event())
        self._coordinator.schedule(repeat.entry)

    async def done(self, taken: Taken) -> None:
        """They have been written: send the replies, and let the groups go."""
        coordinator = self._coordinator
        for number, (entry, _, ticket, _) in enumerate(taken.repeats, 1):
            entry.written += 1
            if ticket in entry.parked and not entry.suspended:
                entry.parked.remove(ticket)
                coordinator.answer(ticket, COMMITTED)
            if not number % AT_ONCE and self._slices.is_over:
                await self._slices.pause()
        for entry in taken.entries.values():
            if entry.written > coordinator.written_max:
                entry.written = 0
                coordinator.grown(entry.group_id)
            coordinator.release(entry, is_same=True)


def _accepts(repeat: Repeat, now: Millis) -> bool:
    """Whether the group takes the commit now. If a defect prevents that it is known, the event's
    step meets it again, and is answered."""
    try:
        return repeat.entry.group.judge(repeat.commit, now) is NONE
    except Exception:
        return False
