"""A group in a node's memory with its inbox, the queues in which groups wait, those that have
changed, and the settings of single groups.

State only: the runtime puts events in, the committers take them out. No I/O, and no rule about
values.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Final, NamedTuple

from groups.core.configs import group
from groups.core.configs.group import Values
from groups.core.events import (
    Event,
    OffsetCommit,
    OffsetDelete,
    OffsetWrite,
    Ticket,
    TxnOffsetCommit,
)
from groups.core.group import Group, Millis, Rules
from groups.core.rows import slot_of
from groups.core.token_bucket import Bucket
from groups.runtime.pauses import Paused
from groups.runtime.views import Kept
from groups.store.offset_rows import RUN_MIN, Row, Run, around, runs_of

NOTHING: Values = {}

OFFSETS = (OffsetCommit, OffsetDelete, TxnOffsetCommit)
"""Events about offsets alone."""


Partition = tuple[str, int]

OFFSET_AT = OffsetWrite._fields.index("offset")

_new = tuple.__new__  # takes a third of the time of calling the class


class Repeatable(NamedTuple):
    """A commit that has a history, which the next one of its connection may repeat with other
    offsets.

    ``key``: the same for commits of the same partitions of a group. Of one partition ``before`` and
    ``after`` are its row around the offset (``groups.store.offset_rows.HISTORY_COLUMNS``); of
    several, ``runs`` are the commit's own, and ``partitions`` all of them with their topics.
    """

    commit: OffsetCommit
    key: Row
    before: Row = ()
    after: Row = ()
    runs: Sequence[Run] = ()
    partitions: frozenset[Partition] = frozenset()


def repeatable(group_id: str, commit: OffsetCommit) -> Repeatable | None:
    """What is needed to repeat it with other offsets; None: it cannot be repeated."""
    write, *others = commit.offsets
    if write.author is None:
        return None
    if not others:
        before, after = around(group_id, write, write.author)
        return Repeatable(commit, before, before, after)
    runs = runs_of(group_id, commit.offsets)
    partitions = frozenset([write[:2] for write in commit.offsets])
    if len(partitions) < max(len(commit.offsets), RUN_MIN * len(runs)):
        return None
    key = tuple([(run.topic, run.partitions) for run in runs])
    return Repeatable(commit, key, runs=runs, partitions=partitions)


def again(commit: OffsetCommit, ticket: Ticket, offsets: Sequence[int]) -> OffsetCommit:
    """The commit with another ticket and other offsets."""
    columns = [*zip(*commit.offsets, strict=True)]
    columns[OFFSET_AT] = tuple(offsets)
    return OffsetCommit(
        ticket=ticket,
        generation_id=commit.generation_id,
        member_id=commit.member_id,
        instance_id=commit.instance_id,
        offsets=tuple(map(_new, repeat(OffsetWrite), zip(*columns, strict=True))),
        version=commit.version,
    )


class Repeat(NamedTuple):
    """A commit that repeats the last one of its connection with other offsets
    (``groups.runtime.repeated_commits``): ``earlier`` is the one that it repeats."""

    earlier: Repeatable
    ticket: Ticket
    offsets: tuple[int, ...]

    def event(self) -> OffsetCommit:
        """The same as an event."""
        return again(self.earlier.commit, self.ticket, self.offsets)

    def row(self) -> Row:
        """The row to write, if it is of one partition."""
        earlier = self.earlier
        return (*earlier.before, *self.offsets, *earlier.after)

    def runs(self) -> list[Run]:
        """The runs to write, whose offsets follow each other in the commit."""
        runs, at = list[Run](), 0
        for run in self.earlier.runs:
            until = at + len(run.offsets)
            runs.append(run._replace(offsets=self.offsets[at:until]))
            at = until
        return runs


class GroupEntry:
    """One group in the node's memory: its committed value and what waits for it.

    ``busy`` while a committer has it: a group is in one transaction at a time,
    so the order of its events holds. ``parked``: tickets not yet answered.
    ``suspended``: no step is made, since the content of its rows is unknown (until they have been
    read again), this node does not own its slot any more, or it is ``broken``: this version cannot
    read the rows, and every request gets an error.
    ``doubted_at``: since when the rows are in doubt. ``suspects``: one of this many events at the
    head of the inbox was refused, by PostgreSQL or by a defect, when they were stepped together.
    ``portion``: how many of them the next step takes.
    ``kept_view``: the part of the catalogue that the group last received
    (``groups.runtime.views``). ``quiet_until``: no timer of it is due before this time.
    ``written``: rows written since its offsets were counted (``groups.reporting.offset_totals``).
    ``repeats``: commits that wait without an event, None if there are none. They are older than
    every event of the inbox: none is taken while an event waits, and what is put in front of the
    inbox turns them into events first (``put_in_front``).
    """

    __slots__ = (
        "broken",
        "busy",
        "doubted_at",
        "group",
        "group_id",
        "inbox",
        "kept_view",
        "parked",
        "portion",
        "queued",
        "quiet_until",
        "repeating",
        "repeats",
        "suspects",
        "suspended",
        "wake_at",
        "written",
    )

    def __init__(self, group_id: str, group: Group) -> None:
        self.group_id = group_id
        self.group = group
        self.inbox: deque[Event] = deque()
        self.parked: set[Ticket] = set()
        self.busy = False
        self.queued = False
        self.repeats: list[Repeat] | None = None
        self.repeating = False
        self.suspended = False
        self.broken = False
        self.doubted_at: Millis = 0
        self.quiet_until: Millis = 0
        self.suspects = 0
        self.portion = 0
        self.wake_at: Millis | None = None
        self.kept_view: Kept | None = None
        self.written = 0

    def head_is_offsets(self) -> bool:
        """Whether the next event belongs to the queue of offsets: a commit to a group that has a
        row changes neither generation nor membership; everything else may."""
        return isinstance(self.inbox[0], OFFSETS) and self.group.durable.exists

    def put_in_front(self, events: Sequence[Event] = ()) -> None:
        """These are the next ones, before everything that waits, which waits as events now."""
        waiting, self.repeats = self.repeats, None
        if waiting:
            self.inbox.extendleft([repeat.event() for repeat in reversed(waiting)])
        self.inbox.extendleft(reversed(events))

    def suspect(self, events: Sequence[Event]) -> None:
        """One of these was refused, with all of them: the next step takes half of them."""
        self.put_in_front(events)
        self.suspects += len(events)
        self.portion = max(1, len(events) // 2)

    def portion_of(self, events: list[Event]) -> list[Event]:
        """As many of these events at the head as the next step takes; the others wait again. Each
        step that is not refused is followed by one of twice as many, so that a refused event costs
        a logarithm of steps, whatever waits with it."""
        taken = events[: self.portion]
        self.inbox.extendleft(reversed(events[self.portion :]))
        self.suspects = max(0, self.suspects - len(taken))
        self.portion *= 2
        return taken


class CommitQueue:
    """Entries whose next events one committer may take, in order of arrival. ``repeating``: those
    with commits that have no event, each once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ready: deque[GroupEntry] = deque()
        self.repeating: deque[GroupEntry] = deque()
        self.wake = asyncio.Event()

    def push(self, entry: GroupEntry) -> None:
        """Queue an entry, once."""
        entry.queued = True
        self.ready.append(entry)
        self.wake.set()

    def pop(self) -> GroupEntry | None:
        """The next entry, or None; the committer then waits for ``wake``."""
        if not self.ready:
            if not self.repeating:
                self.wake.clear()
            return None
        entry = self.ready.popleft()
        entry.queued = False
        return entry

    def push_repeating(self, entry: GroupEntry) -> None:
        """Queue an entry for its commits that have no event."""
        if not entry.repeating:
            entry.repeating = True
            self.repeating.append(entry)
            self.wake.set()

    def pop_repeating(self) -> GroupEntry:
        """The next of them; there is one."""
        entry = self.repeating.popleft()
        entry.repeating = False
        return entry


CHANGES_NAMED_MAX: Final = 50
"""Groups named in one notification. NOTIFY refuses payloads of 8,000 bytes; a listener that
receives an empty object reads what has changed."""


class Changes:
    """Groups that have changed: those of which no observer was notified yet, with their revisions,
    and for each reader of the others those since its last call. ``due``: set if there are any to
    notify of (``groups.reporting.observers``)."""

    def __init__(self) -> None:
        self.due = asyncio.Event()
        self._revisions: dict[str, int] = {}
        self._all = False
        self._unlooked: set[str] = set()
        self._uncounted: set[str] = set()

    def note(self, group_id: str, revision: int) -> None:
        """The group has changed, and its rows are written."""
        if len(self._revisions) <= CHANGES_NAMED_MAX:  # with more, the notification names none
            self._revisions[group_id] = revision
        self.seated(group_id)
        self.due.set()

    def seated(self, group_id: str) -> None:
        """The group was loaded by this node: its rows may have been changed by another."""
        self._unlooked.add(group_id)
        self._uncounted.add(group_id)

    def came(self, group_id: str) -> None:
        """A decision about the group changed none of its rows."""
        self._unlooked.add(group_id)

    def unlooked(self) -> set[str]:
        """Groups that have changed or were loaded since the last call."""
        found, self._unlooked = self._unlooked, set()
        return found

    def uncounted(self) -> set[str]:
        """Groups whose rows have changed, or were loaded, since the last call."""
        found, self._uncounted = self._uncounted, set()
        return found

    def look(self) -> None:
        """It is not known what changed: it was written by the previous owner of groups that this
        node loaded, or by a transaction with an unknown outcome. The listeners read it."""
        self._all = True
        self.due.set()

    def taken(self) -> Mapping[str, int]:
        """What to notify of, with revisions; nothing: it is not known what changed."""
        found = {} if self._all else self._revisions
        self._revisions, self._all = {}, False
        self.due.clear()
        return found


class GroupOverrides:
    """The groups whose settings differ from the node's. Filled when slots are loaded and after
    notifications (``groups.runtime.group_configs``).

    ``reading`` is locked from reading the rows until their values are applied here, so that later
    reads are applied later. ``buckets``: the groups whose commits are limited. ``paused``: the
    pauses of groups and members.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.reading = asyncio.Lock()
        self.buckets: dict[str, Bucket] = {}
        self.paused = Paused()
        self._rules: dict[str, Rules] = {}
        self._by_slot: defaultdict[int, set[str]] = defaultdict(
            set
        )  # read for 100,000 groups at once

    def rules_of(self, group_id: str) -> Rules:
        """The rules of a group. The same object until they change."""
        return self._rules.get(group_id, self.rules)

    def count_from(self, generations_after: int) -> None:
        """Generations of groups without a row begin after this number."""
        self.rules = replace(self.rules, generations_after=generations_after)

    def put(self, group_id: str, values: Values, now: Millis) -> None:
        """Replace the group's own settings; an empty mapping: it has none."""
        if values:
            self._rules[group_id] = group.rules_of(values, self.rules)
            self._by_slot[slot_of(group_id)].add(group_id)
        elif self._rules.pop(group_id, None) is not None:
            self._by_slot[slot_of(group_id)].discard(group_id)
        self._put_bucket(group_id, group.commits_per_second_max(values), now)

    def _put_bucket(self, group_id: str, per_second: int, now: Millis) -> None:
        known = self.buckets.get(group_id)
        if not per_second:
            self.buckets.pop(group_id, None)
        elif known is None or known.per_second != per_second:
            self.buckets[group_id] = Bucket.full(per_second, now)

    def of_slots(self, slots: Collection[int]) -> set[str]:
        """The groups of these slots that have settings of their own."""
        return set[str]().union(*(self._by_slot[slot] for slot in slots))

    def forget(self, slots: Collection[int]) -> None:
        """This node does not own these slots any more."""
        for slot in slots:
            for group_id in self._by_slot.pop(slot, ()):
                del self._rules[group_id]
                self.buckets.pop(group_id, None)
        self.paused.forget(slots)
