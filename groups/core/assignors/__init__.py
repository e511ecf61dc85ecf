"""Server-side assignors (KIP-848): who shall own what, as a pure function.

An assignor is given what each member subscribes to and holds, and answers with a target for
each. Every partition of a subscribed topic goes to exactly one subscriber. ``ASSIGNORS`` is the
table of those that exist; a new one is a function here and a line in it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

Part = tuple[str, int]
"""A partition: the topic's id (32 hex digits) and the index."""

Parts = frozenset[Part]

NOTHING: Final[Parts] = frozenset()


@dataclass(frozen=True, slots=True)
class Subscriber:
    """One member as an assignor sees it: the ids of its topics, and what it was last given."""

    member_id: str
    instance_id: str | None
    topics: frozenset[str]
    held: Parts


Assignor = Callable[[Sequence[Subscriber], Mapping[str, int]], Mapping[str, Parts]]
"""From subscribers and partition counts (by topic id) to each member's target."""


def table() -> Mapping[str, Assignor]:
    """Name to assignor."""
    from groups.core.assignors.range import assign_ranges
    from groups.core.assignors.uniform import assign_uniformly

    return {"uniform": assign_uniformly, "range": assign_ranges}


NAMES: Final = ("uniform", "range")
