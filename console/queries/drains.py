"""Drained nodes, and what a drain or its withdrawal would move. Reads only.

Here a node is alive by the time of its last beat, for display; nodes use their own clocks, and may
decide differently.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db.models import Count
from django.db.models.functions import Now

from console.queries.situation_text import many
from groups.core import placement
from groups.models import Drain, Group, Node, Slot

SILENT_AFTER: Final = timedelta(seconds=15)
"""A node with an older beat takes no slots."""


@dataclass(frozen=True, slots=True)
class Moves:
    """The changes: how many slots each node gets, and from which; how many groups."""

    gains: Mapping[int, int]
    losses: Mapping[int, int]
    groups: int

    @property
    def slots(self) -> int:
        """The number of slots that move."""
        return sum(self.gains.values())


NOTHING: Final = Moves({}, {}, 0)


@dataclass(frozen=True, slots=True)
class NodesAndSlots:
    """Slots with their owners, live nodes that could load groups, and drains."""

    owners: Mapping[int, int | None]
    live: Collection[int]
    able: Collection[int]
    drains: Mapping[int, Drain]

    def takers(self, without: int | None = None) -> set[int]:
        """The nodes that take slots now, except this one."""
        return set(self.able) - set(self.drains) - {without}

    def moves(self, takers: Collection[int]) -> Moves:
        """The moves if these nodes took all slots."""
        living = {slot: n if n in self.live else None for slot, n in self.owners.items()}
        planned = placement.plan(living, takers)
        moved = {slot: node for slot, node in planned.items() if node != self.owners[slot]}
        before = Counter(n for slot in moved if (n := self.owners[slot]) is not None)
        return Moves(Counter(moved.values()), before, _groups_in(moved))


def look() -> NodesAndSlots:
    """Read the rows. Three statements."""
    alive = Node.objects.filter(beat_at__gte=Now() - SILENT_AFTER)
    rows = dict(alive.values_list("node_id", "takes_slots"))
    drains = {drain.node_id: drain for drain in all_of_them()}
    # A drained node's row says that it takes none; whether it could is then unknown.
    able = {node_id for node_id, takes in rows.items() if takes or node_id in drains}
    owners = dict(Slot.objects.order_by("slot").values_list("slot", "node_id"))
    return NodesAndSlots(owners, set(rows), able, drains)


def all_of_them() -> Sequence[Drain]:
    """Every drain, by node. One statement."""
    return list(Drain.objects.order_by("node_id"))


def of(node_id: int) -> Drain | None:
    """The drain of a node. One statement."""
    drain: Drain | None = Drain.objects.filter(node_id=node_id).first()
    return drain


def by_draining(node_id: int) -> Moves:
    """The moves when a node is drained. Four statements."""
    fleet = look()
    return fleet.moves(fleet.takers(node_id))


def by_undraining(node_id: int) -> Moves:
    """The moves when a node's drain is withdrawn. Four statements."""
    fleet = look()
    back = {node_id} & set(fleet.live)
    return fleet.moves(fleet.takers(node_id) | back)


def in_words(moves: Moves, *, is_drain: bool) -> Sequence[str]:
    """The moves in words."""
    if not moves.slots:
        return ["No slot changes its owner."]
    nodes = moves.gains if is_drain else moves.losses
    how = "takes" if is_drain else "gives"
    sentences = [
        f"{many(moves.slots, 'slot')} with {many(moves.groups, 'group')}"
        f" {'changes' if moves.slots == 1 else 'change'} the owner.",
        *(f"Node {n} {how} {many(count, 'slot')}." for n, count in sorted(nodes.items())),
    ]
    return [
        *sentences,
        "Members keep their partitions and find their new coordinator by themselves.",
    ]


def _groups_in(slots: Collection[int]) -> int:
    counted = Group.objects.filter(slot__in=slots).aggregate(n=Count("group_id"))
    return int(counted["n"])
