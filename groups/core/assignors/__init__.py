"""Server-side assignors (KIP-848): who shall own what, as a pure function.

An assignor is given what each member subscribes to and holds, and answers with a target for
each. Every partition of a subscribed topic goes to exactly one subscriber. ``table`` lists those
that are built in; others come from outside, by entry point (docs/assignors.md), and are never
named here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

Part = tuple[str, int]
"""A partition: the topic's id (32 hex digits) and the index."""

Parts = frozenset[Part]

NOTHING: Final[Parts] = frozenset()

Racks = Mapping[str, Sequence[frozenset[str]]]
"""By topic id: for each partition the racks that are near to it. Shorter than the topic, or
missing: nothing is known."""

NOWHERE: Final[Racks] = {}


@dataclass(frozen=True, slots=True)
class Subscriber:
    """One member as an assignor sees it: the ids of its topics, and what it was last given.

    ``weight``: how much it wants compared to others (``groups.core.assignors.weights``).
    """

    member_id: str
    instance_id: str | None
    topics: frozenset[str]
    held: Parts
    rack_id: str | None = None
    weight: int = 1


Assignor = Callable[[Sequence[Subscriber], Mapping[str, int], Racks], Mapping[str, Parts]]
"""From subscribers (in the order of their ids), partition counts and racks (both by topic id) to
each member's target. ``held`` may name what is gone, or what another member holds too."""


def table() -> Mapping[str, Assignor]:
    """Name to assignor, of those that are built in."""
    from groups.core.assignors.range import assign_ranges
    from groups.core.assignors.uniform import assign_near, assign_uniformly

    return {"uniform": assign_uniformly, "range": assign_ranges, "uniform-rack": assign_near}


NAMES: Final = ("uniform", "range", "uniform-rack")

DEFAULT_NAMES: Final = ("uniform", "range")
"""What members may ask for unless the node is configured otherwise: Kafka's own two."""
