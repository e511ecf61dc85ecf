"""One group in a node's memory with what waits for it, the queues in which groups wait, and what
groups have of their own.

Book-keeping only: who puts events in, and who takes them out, is not known here. No I/O, and no
rule about values.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Collection
from dataclasses import replace

from groups.coordinator.pauses import Paused
from groups.coordinator.views import Kept
from groups.core.configs import group
from groups.core.configs.group import Values
from groups.core.events import Event, OffsetCommit, OffsetDelete, Ticket, TxnOffsetCommit
from groups.core.group import Group, Millis, Rules
from groups.core.rows import slot_of
from groups.core.token_bucket import Bucket

NOTHING: Values = {}

OFFSETS = (OffsetCommit, OffsetDelete, TxnOffsetCommit)
"""Events about offsets alone."""


class GroupEntry:
    """One group in the node's memory: its committed value and what waits for it.

    ``busy`` while a committer has it: a group is in one transaction at a time,
    so the order of its events holds. ``parked``: tickets not yet answered.
    ``suspended``: nothing is decided of it, since what its rows hold is in doubt (until they have
    been read again), its slot is no longer this node's, or it is ``broken``: the rows make no sense
    to this version, and every request gets an error.
    ``doubted_at``: since when. ``suspects``: so many events at the head are stepped one at a time,
    since PostgreSQL refused something in them together.
    ``kept_view``: what the group was last shown of the catalogue (``groups.coordinator.views``).
    ``quiet_until``: until then nothing of it falls due. ``written``: rows, since its offsets were
    counted (``groups.coordinator.offset_totals``).
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
        "queued",
        "quiet_until",
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
        self.suspended = False
        self.broken = False
        self.doubted_at: Millis = 0
        self.quiet_until: Millis = 0
        self.suspects = 0
        self.wake_at: Millis | None = None
        self.kept_view: Kept | None = None
        self.written = 0

    def head_is_offsets(self) -> bool:
        """Which queue the next events belong to: a commit to a group that has a row leaves
        generation and membership alone; everything else may change them."""
        return isinstance(self.inbox[0], OFFSETS) and self.group.durable.exists


class CommitQueue:
    """Entries whose next events one committer may take, in order of arrival."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ready: deque[GroupEntry] = deque()
        self.wake = asyncio.Event()

    def push(self, entry: GroupEntry) -> None:
        """Queue an entry, once."""
        entry.queued = True
        self.ready.append(entry)
        self.wake.set()

    def pop(self) -> GroupEntry | None:
        """The next entry, or None; the committer then waits for ``wake``."""
        if not self.ready:
            self.wake.clear()
            return None
        entry = self.ready.popleft()
        entry.queued = False
        return entry


class GroupOverrides:
    """The groups that differ from the node's own settings; all others are not here. Filled with the
    slots and by the doorbell (``groups.coordinator.group_configs``).

    ``reading`` is held from a look at the rows until what they say is here: so what was read
    later is applied later. ``buckets``: the groups whose commits are limited. ``paused``: where
    operators have stopped work.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.reading = asyncio.Lock()
        self.buckets: dict[str, Bucket] = {}
        self.paused = Paused()
        self._rules: dict[str, Rules] = {}
        self._by_slot: defaultdict[int, set[str]] = defaultdict(set)  # asked of 100,000 at once

    def rules_of(self, group_id: str) -> Rules:
        """The rules that hold for a group. The same object until they change."""
        return self._rules.get(group_id, self.rules)

    def count_from(self, generations_after: int) -> None:
        """Generations of groups that have no row yet begin behind this."""
        self.rules = replace(self.rules, generations_after=generations_after)

    def put(self, group_id: str, values: Values, now: Millis) -> None:
        """What the group has of its own from now on; nothing at all: it is as all others."""
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
        """The groups of these slots that have something of their own."""
        return set[str]().union(*(self._by_slot[slot] for slot in slots))

    def forget(self, slots: Collection[int]) -> None:
        """These slots are not this node's any more."""
        for slot in slots:
            for group_id in self._by_slot.pop(slot, ()):
                del self._rules[group_id]
                self.buckets.pop(group_id, None)
        self.paused.forget(slots)
