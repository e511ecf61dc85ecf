"""Who seems dead: what a node has seen of the others' beats, on its own monotonic clock.

Judgement only: rows come in, verdicts go out. Nothing here reads a clock or a database, and
nothing depends on two clocks agreeing (docs/architecture.md, *Failover*).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from groups.core.group import Millis

BEATS_PER_LEASE = 4
"""Renewals in one lease: three may fail before it runs out."""

LATE, OVERDUE = 1, 2
"""Beat intervals after which a beat is late, so that its node's lock is looked at, and overdue, so
that a free lock means a death. A live node whose lease connection was cut loses its advisory lock,
but beats again within one interval."""

SLOW_LOOK_MS = 1_000
"""A look at the rows that took longer than this saw nobody's silence: it was itself away."""

STAY_LEASES = 10
"""For so many leases a slot stays with the node that took it because nobody else did: whoever
should have it beats, but claims nothing, and would not take it a moment later either."""


class NodeRow(NamedTuple):
    """One node as its row says."""

    node_id: int
    incarnation: UUID
    beat: int
    host: str
    port: int
    draft_port: int = 0
    lease_ms: Millis = 3_000
    takes_slots: bool = True
    endpoints: Sequence[str] = ()
    is_drained: bool = False


class SlotRow(NamedTuple):
    """One slot as its row says."""

    slot: int
    node_id: int | None
    incarnation: UUID | None
    epoch: int


@dataclass(slots=True)
class Sighting:
    """A node's beat, since when it has not moved, and since when its advisory lock was free.

    ``lease_ms`` is its own: what it goes by when it answers from memory."""

    incarnation: UUID
    beat: int
    since: Millis
    lease_ms: Millis
    lock_free_since: Millis | None = None


class Orphan(NamedTuple):
    """A slot whose owner is no node's present incarnation, and since when it was seen so."""

    epoch: int
    since: Millis


class BeatObserver:
    """Everything one node has seen of nodes and slots so far.

    ``lease_ms`` is this node's own. A silence is measured by the lease of who is silent, and where
    nobody knows whose it is by the longest that was seen.
    """

    def __init__(self, lease_ms: Millis) -> None:
        self.lease_ms = lease_ms
        self.longest_lease_ms = lease_ms
        self._nodes: dict[int, Sighting] = {}
        self._orphans: dict[int, Orphan] = {}
        self._free: dict[int, Millis] = {}
        self._rescued: dict[int, Millis] = {}

    def look(
        self, nodes: Iterable[NodeRow], slots: Iterable[SlotRow], asked: Millis, told: Millis
    ) -> None:
        """Take in rows that were asked for and told at these instants."""
        if told - asked > SLOW_LOOK_MS:
            self.forget()
        nodes = list(nodes)
        self.longest_lease_ms = max((n.lease_ms for n in nodes), default=self.lease_ms)
        for node in nodes:
            seen = self._nodes.get(node.node_id)
            if seen is None or (seen.incarnation, seen.beat) != (node.incarnation, node.beat):
                self._nodes[node.node_id] = Sighting(
                    node.incarnation, node.beat, asked, node.lease_ms
                )
        self._look_for_orphans({node.incarnation for node in nodes}, slots, asked)

    def forget(self) -> None:
        """What was seen says nothing any more: this node slept, or its own beat did not pass, so
        that the others' beats may not have passed either. Every silence begins anew."""
        self._nodes.clear()
        self._orphans.clear()
        self._free.clear()

    def _look_for_orphans(self, living: set[UUID], slots: Iterable[SlotRow], asked: Millis) -> None:
        """Slots of an incarnation that was replaced: its successor claims them, or nobody does."""
        orphans = {}
        for row in slots:
            if row.incarnation is not None and row.incarnation not in living:
                seen = self._orphans.get(row.slot)
                same = seen is not None and seen.epoch == row.epoch
                orphans[row.slot] = seen if seen and same else Orphan(row.epoch, asked)
        self._orphans = orphans

    def look_at_free(self, free: Iterable[SlotRow], now: Millis) -> None:
        """Take in which slots anybody may claim."""
        self._free = {row.slot: self._free.get(row.slot, now) for row in free}

    def free_for(self, slot: int, now: Millis) -> Millis:
        """How long a slot has been seen free."""
        return now - self._free.get(slot, now)

    def rescued(self, slots: Iterable[int], now: Millis) -> None:
        """This node has taken slots that another one should have."""
        self._rescued.update(dict.fromkeys(slots, now))

    def stays(self, slot: int, now: Millis) -> bool:
        """Whether a slot shall not be offered again yet to the node that has not taken it."""
        since = self._rescued.get(slot)
        return since is not None and now - since < STAY_LEASES * self.lease_ms

    def of(self, node_id: int) -> Sighting | None:
        """What was seen of a node."""
        return self._nodes.get(node_id)

    def lease_is_over(self, node_id: int, now: Millis) -> bool:
        """Whether a node's beat has stood still for a whole lease."""
        seen = self._nodes.get(node_id)
        return seen is not None and now - seen.since >= seen.lease_ms

    def is_overdue(self, node_id: int, now: Millis) -> bool:
        """Whether a node's beat has stood still for longer than a living one's ever does. It may
        own its slots still, yet nobody should be sent there."""
        seen = self._nodes.get(node_id)
        return seen is not None and (now - seen.since) * BEATS_PER_LEASE >= OVERDUE * seen.lease_ms

    def orphaned_for(self, slot: int, now: Millis) -> Millis | None:
        """How long a slot has been seen without a living owner; None where it has one."""
        orphan = self._orphans.get(slot)
        return None if orphan is None else now - orphan.since
