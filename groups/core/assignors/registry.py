"""The built-in server-side assignors, by name (KIP-848).

An assignor gets the subscription and current partitions of each member, and returns a target for
each. Every partition of a subscribed topic goes to exactly one subscriber. Other assignors are
installed by entry points (docs/assignors.md), and are never named here.
"""

from collections.abc import Mapping
from typing import Final

from groups.core.assignors.range import assign_ranges
from groups.core.assignors.types import Assignor
from groups.core.assignors.uniform import assign_near, assign_uniformly


def table() -> Mapping[str, Assignor]:
    """Name to assignor, for the built-in ones."""
    return {"uniform": assign_uniformly, "range": assign_ranges, "uniform-rack": assign_near}


NAMES: Final = tuple(table())

DEFAULT_NAMES: Final = ("uniform", "range")
"""The assignors that members may request by default: Kafka's own two."""
