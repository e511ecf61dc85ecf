"""I11: some time after the last fault every slot has a node, and the correct one."""

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from proof.history.family import Family, Rule
from proof.history.format import Record


class Placement(Family):
    """Where slots are in the end, and which drains took effect."""

    def end(self, record: Record, _call: Record) -> None:
        """Slots are distributed evenly over the live nodes that are not drained, or over all if all
        are drained. Those that ``stay`` were taken instead of another node, and are not counted; a
        node that rests has just given back what it could not load."""
        owners = record.get("owners")
        if owners is None:
            return  # this recorder does not know slots
        live, stays = set(record["live"]), set(record["stays"])
        taking = live - set(record["drained"]) or live
        for slot, node in owners.items():
            if node not in live:
                self.say("I11", f"slot {slot} has no live owner", record)
            elif node not in taking and slot not in stays:
                self.say("I11", f"node {node} was drained and owns slot {slot}", record)
        if not stays:
            self._share(Counter(owners.values()), taking - set(record["resting"]), record)

    def _share(self, counts: Counter[int | None], taking: set[int], record: Record) -> None:
        shares = {node: counts[node] for node in taking}
        if shares and max(shares.values()) - min(shares.values()) > 1:
            self.say("I11", f"slots are not shared evenly: {sorted(shares.items())}", record)

    RULES: ClassVar[Mapping[str, Rule]] = {"end": end}
