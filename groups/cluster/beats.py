"""Which nodes seem dead: the other nodes' beats as this node has seen them, on its own monotonic
clock.

This file only evaluates rows. It reads no clock and no database, and does not depend on the
agreement of two clocks (docs/architecture.md, *Failover*).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from groups.core.group import Millis

BEATS_PER_LEASE = 4
"""Renewals in one lease: three may fail before it expires."""

LATE, OVERDUE = 1, 2
"""Beat intervals after which a beat is late, so that its node's lock is looked at, and overdue, so
that a free lock means a death. A live node whose lease connection was cut loses its advisory lock,
but beats again within one interval."""

SLOW_LOOK_MS = 1_000
"""A read of the rows that took longer than this shows no silence of others: this node itself was
suspended or cut off."""

STAY_LEASES = 10
"""For this many leases a slot stays with the node that took it in place of another: the other node
beats but does not claim slots, and would not claim it a moment later either."""


class NodeRow(NamedTuple):
    """A row of a node."""

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
    """A row of a slot."""

    slot: int
    node_id: int | None
    incarnation: UUID | None
    epoch: int


@dataclass(slots=True)
class Sighting:
    """A node's beat, since when it has not changed, and since when its advisory lock has been free.

    ``lease_ms`` is that node's own lease, during which it answers from memory. ``has_beaten``: this
    beat was not the first that was seen of the process."""

    incarnation: UUID
    beat: int
    since: Millis
    lease_ms: Millis
    lock_free_since: Millis | None = None
    has_beaten: bool = False


class Orphan(NamedTuple):
    """A slot whose owner is not the current incarnation of any node, and since when that is
    known."""

    epoch: int
    since: Millis


class BeatObserver:
    """Everything one node has seen of nodes and slots so far.

    ``lease_ms`` is this node's own. A silence is compared with the lease of the silent node or, if
    that is unknown, with the longest lease of any node.
    """

    def __init__(self, lease_ms: Millis) -> None:
        self.lease_ms = lease_ms
        self.longest_lease_ms = lease_ms
        self._nodes: dict[int, Sighting] = {}
        self._orphans: dict[int, Orphan] = {}
        self._free: dict[int, Millis] = {}
        self._rows: dict[int, SlotRow] = {}
        self._taken_from: dict[UUID, int] = {}
        self._rescued: dict[int, Millis] = {}
        self._idle: set[int] = set()

    def look(
        self,
        nodes: Iterable[NodeRow],
        slots: Iterable[SlotRow],
        sent_at: Millis,
        received_at: Millis,
    ) -> None:
        """Process rows that were requested at ``sent_at`` and received at ``received_at``."""
        if received_at - sent_at > SLOW_LOOK_MS:
            self.forget()
        nodes = list(nodes)
        self._idle = {node.node_id for node in nodes if not node.takes_slots}
        self.longest_lease_ms = max((n.lease_ms for n in nodes), default=self.lease_ms)
        for node in nodes:
            seen = self._nodes.get(node.node_id)
            if seen is None or (seen.incarnation, seen.beat) != (node.incarnation, node.beat):
                has_beaten = seen is not None and seen.incarnation == node.incarnation
                self._nodes[node.node_id] = Sighting(
                    node.incarnation, node.beat, sent_at, node.lease_ms, has_beaten=has_beaten
                )
        slots = list(slots)
        self._look_for_orphans({node.incarnation for node in nodes}, slots, sent_at)
        self._look_for_claims({node.incarnation: node.beat for node in nodes}, slots)

    def forget(self) -> None:
        """Forget all beats: this node was suspended, or could not write its own beat, so that other
        nodes may have been unable to write theirs as well. Every silence is measured from now
        on."""
        self._nodes.clear()
        self._orphans.clear()
        self._free.clear()

    def _look_for_orphans(
        self, living: set[UUID], slots: Iterable[SlotRow], sent_at: Millis
    ) -> None:
        """Find slots of an incarnation that was replaced: its successor may or may not claim
        them."""
        orphans = {}
        for row in slots:
            if row.incarnation is not None and row.incarnation not in living:
                seen = self._orphans.get(row.slot)
                same = seen is not None and seen.epoch == row.epoch
                orphans[row.slot] = seen if seen and same else Orphan(row.epoch, sent_at)
        self._orphans = orphans

    def _look_for_claims(self, beats: Mapping[UUID, int], slots: Sequence[SlotRow]) -> None:
        """Find owners from whom another node took a slot: a slot that is given away is nobody's for
        one epoch. Rows prove that, whether or not this node was suspended in between. A later beat
        of the owner disproves its death: only its lease was over."""
        claimed = set()
        for row in slots:
            before = self._rows.get(row.slot)
            if before is None or before.incarnation is None or row.incarnation is None:
                continue
            if row.incarnation != before.incarnation and row.epoch == before.epoch + 1:
                claimed.add(before.incarnation)
        self._rows = {row.slot: row for row in slots}
        self._taken_from = {
            owner: beat
            for owner, beat in beats.items()
            if owner in claimed or self._taken_from.get(owner) == beat
        }

    def has_lost_slots(self, incarnation: UUID) -> bool:
        """Whether another node has taken slots from this one, which has not beaten since: it found
        that this one's lease is over, or that its process has ended."""
        return incarnation in self._taken_from

    def look_at_free(self, free: Iterable[SlotRow], now: Millis) -> None:
        """Process which slots are free to be claimed."""
        self._free = {row.slot: self._free.get(row.slot, now) for row in free}

    def free_for(self, slot: int, now: Millis) -> Millis:
        """For how long a slot has been free."""
        return now - self._free.get(slot, now)

    def rescued(self, slots: Iterable[int], now: Millis) -> None:
        """This node has taken slots that were meant for another node."""
        self._rescued.update(dict.fromkeys(slots, now))

    def stays(self, slot: int, now: Millis) -> bool:
        """Whether it is too early to offer a slot again to the node that did not take it."""
        since = self._rescued.get(slot)
        return since is not None and now - since < STAY_LEASES * self.lease_ms

    def of(self, node_id: int) -> Sighting | None:
        """What is known about a node's beats."""
        return self._nodes.get(node_id)

    def lease_is_over(self, node_id: int, now: Millis) -> bool:
        """Whether a node's beat has not changed for a whole lease."""
        seen = self._nodes.get(node_id)
        return seen is not None and now - seen.since >= seen.lease_ms

    def is_beating(self, node_id: int, now: Millis) -> bool:
        """Whether a node was seen to beat, not only to have beaten once, and is not overdue. What
        it is given it takes; the row of a node that died looks like that of one that lives."""
        seen = self._nodes.get(node_id)
        return seen is not None and seen.has_beaten and not self.is_overdue(node_id, now)

    def is_overdue(self, node_id: int, now: Millis) -> bool:
        """Whether a node's beat has not changed for longer than that of a live node ever does. It
        may still own its slots, but clients should not be sent to it."""
        seen = self._nodes.get(node_id)
        return seen is not None and (now - seen.since) * BEATS_PER_LEASE >= OVERDUE * seen.lease_ms

    def takes_none(self, node_id: int) -> bool:
        """Whether a node's row says that it takes no slots."""
        return node_id in self._idle

    def orphaned_for(self, slot: int, now: Millis) -> Millis | None:
        """For how long a slot has had no live owner; None if it has one."""
        orphan = self._orphans.get(slot)
        return None if orphan is None else now - orphan.since
