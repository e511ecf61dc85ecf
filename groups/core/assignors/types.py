"""The types of an assignor's input and result: members, partitions, racks (KIP-848)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from groups.core.values import quick

Part = tuple[str, int]
"""A partition: the topic's id (32 hex digits) and the index."""

Parts = frozenset[Part]

NOTHING: Final[Parts] = frozenset()

Racks = Mapping[str, Sequence[frozenset[str]]]
"""By topic id: for each partition the racks near to it. Shorter than the topic, or missing:
unknown."""

NOWHERE: Final[Racks] = {}


@quick
@dataclass(frozen=True, slots=True)
class Subscriber:
    """One member as an assignor sees it: the ids of its topics, and its last target.

    ``weight``: its share compared to others (``groups.core.assignors.weights``).
    """

    member_id: str
    instance_id: str | None
    topics: frozenset[str]
    held: Parts
    rack_id: str | None = None
    weight: int = 1


Assignor = Callable[[Sequence[Subscriber], Mapping[str, int], Racks], Mapping[str, Parts]]
"""From subscribers (in the order of their ids), partition counts and racks (both by topic id) to
each member's target. ``held`` may contain partitions that are gone, or that another member holds
too."""
