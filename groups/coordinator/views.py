"""The catalogue as one request sees it: what a group that assigns must know of its topics.

A group with thousands of topics is shown the same at every heartbeat, so what was put together
for one request is kept beside the group. It is put together anew when the group's names or the
catalogue have changed. No I/O and no rule here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self

from groups.catalogue.cache import Catalogue, Entry
from groups.core.assignors.types import Racks
from groups.core.consumer.group import ConsumerGroup

Topics = Mapping[str, tuple[str, int]]


@dataclass(frozen=True, slots=True)
class View:
    """Which names were looked up, and what was found (topic id in 32 hex digits, partition
    count). ``racks`` of those that have some, by topic id."""

    looked_up: frozenset[str] = frozenset()
    topics: Topics = field(default_factory=dict)
    racks: Racks = field(default_factory=dict)

    @classmethod
    def of(cls, looked_up: frozenset[str], entries: Mapping[str, Entry]) -> Self:
        """What these entries of the catalogue say."""
        topics = {name: (entry.topic_id.hex, entry.partitions) for name, entry in entries.items()}
        racks = {entry.topic_id.hex: entry.racks for entry in entries.values() if entry.racks}
        return cls(looked_up, topics, racks)


@dataclass(frozen=True, slots=True)
class Kept:
    """A view, and what it was made from: the group's own objects, and the catalogue's count."""

    view: View
    names: frozenset[str]
    topics: Topics
    racks: Racks
    changes: int


class Shown(Protocol):
    """Where the view of a group is kept (``groups.coordinator.entries``)."""

    kept_view: Kept | None


def of_group(shown: Shown, group: ConsumerGroup, catalogue: Catalogue) -> View:
    """What the group's own names stand for. Where the group knows it so already, the view holds
    the group's very own objects: whoever compares them need not look inside."""
    kept = shown.kept_view
    if (
        kept is None
        or kept.names is not group.topic_names
        or kept.topics is not group.topics
        or kept.racks is not group.racks
        or kept.changes != catalogue.changes
    ):
        kept = shown.kept_view = _kept(group, catalogue)
    return kept.view


def _kept(group: ConsumerGroup, catalogue: Catalogue) -> Kept:
    names, topics, racks = group.topic_names, group.topics, group.racks
    seen = View.of(names, catalogue.known(names))
    view = View(
        names,
        topics if seen.topics == topics else seen.topics,
        racks if seen.racks == racks else seen.racks,
    )
    return Kept(view, names, topics, racks, catalogue.changes)
