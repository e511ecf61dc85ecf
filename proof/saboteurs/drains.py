"""Saboteurs of the placement of slots: nodes that ignore drains, nodes that take no slots again
afterwards, and nodes that keep more than their share."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from groups.cluster.beats import NodeRow, SlotRow
from groups.cluster.slot_keeper import SlotKeeper
from groups.core import placement
from proof.saboteurs.breaking import Saboteur, around, nothing, put, several

DRAINS: Final = ("operator-drain",)


def _as_before(
    self: SlotKeeper, nodes: Sequence[NodeRow], slots: Sequence[SlotRow], dead: Collection[int]
) -> Mapping[int, int]:
    """The plan of a version that does not know drains."""
    live = {node.node_id for node in nodes} - set(dead)
    taking = {node.node_id for node in nodes if node.takes_slots} & live
    return placement.plan(self._owners(slots, live), taking)


def _never_again(original: Any) -> Any:
    async def say(self: SlotKeeper, connection: Any, nodes: Sequence[NodeRow]) -> None:
        if self._drains or self._is_at_rest:
            await original(self, connection, nodes)

    return say


async def _keeps_all(*_: Any) -> None:
    """No slot is given to another node."""


SABOTEURS: Final[Mapping[str, Saboteur]] = {
    "drain-not-heeded": Saboteur(
        "a drained node keeps its slots",
        several(put(SlotKeeper, "_plan", _as_before), put(SlotKeeper, "_look_at_drains", nothing)),
        DRAINS,
    ),
    "drain-for-ever": Saboteur(
        "a node whose drain is withdrawn does not say that it takes slots",
        around(SlotKeeper, "_say_whether_it_takes", _never_again),
        DRAINS,
    ),
    "share-exceeded": Saboteur(
        "a node keeps the slots that it took from another when that one is back",
        put(SlotKeeper, "_hand_over", _keeps_all),
        ("node-crash", "node-drain"),
    ),
}
