"""Which server-side assignors there are, by name (KIP-848).

An assignor is given what each member subscribes to and holds, and answers with a target for
each. Every partition of a subscribed topic goes to exactly one subscriber. Others than these come
from outside, by entry point (docs/assignors.md), and are never named here.
"""

from collections.abc import Mapping
from typing import Final

from groups.core.assignors.range import assign_ranges
from groups.core.assignors.types import Assignor
from groups.core.assignors.uniform import assign_near, assign_uniformly


def table() -> Mapping[str, Assignor]:
    """Name to assignor, of those that are built in."""
    return {"uniform": assign_uniformly, "range": assign_ranges, "uniform-rack": assign_near}


NAMES: Final = ("uniform", "range", "uniform-rack")

DEFAULT_NAMES: Final = ("uniform", "range")
"""What members may ask for unless the node is configured otherwise: Kafka's own two."""
