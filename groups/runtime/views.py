"""The part of the catalogue that a request's group needs, if the group computes assignments.

A group with thousands of topics needs the same at every heartbeat, so the view is kept with the
group. It is created again when the group's names or the catalogue have changed. No I/O and no rule
here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self

from groups.catalogue.cache import Catalogue, CatalogueEntry
from groups.core.assignors.types import Racks
from groups.core.consumer.group import ConsumerGroup

Topics = Mapping[str, tuple[str, int]]


@dataclass(frozen=True, slots=True)
class View:
    """The names that were looked up, and the topics found (topic id in 32 hex digits, partition
    count). ``racks`` of topics that have some, by topic id."""

    looked_up: frozenset[str] = frozenset()
    topics: Topics = field(default_factory=dict)
    racks: Racks = field(default_factory=dict)

    @classmethod
    def of(cls, looked_up: frozenset[str], entries: Mapping[str, CatalogueEntry]) -> Self:
        """The view of these entries of the catalogue."""
        topics = {name: (entry.topic_id.hex, entry.partitions) for name, entry in entries.items()}
        racks = {entry.topic_id.hex: entry.racks for entry in entries.values() if entry.racks}
        return cls(looked_up, topics, racks)


@dataclass(frozen=True, slots=True)
class Kept:
    """A view, and its inputs: the group's own objects, and the catalogue's change count."""

    view: View
    names: frozenset[str]
    topics: Topics
    racks: Racks
    changes: int


class ViewHolder(Protocol):
    """The object that keeps a group's view (``groups.runtime.entries``)."""

    kept_view: Kept | None


def of_group(holder: ViewHolder, group: ConsumerGroup, catalogue: Catalogue) -> View:
    """The topics of the group's names. If the group already has the same values, the view contains
    the group's own objects, so that comparing them is cheap."""
    kept = holder.kept_view
    if (
        kept is None
        or kept.names is not group.topic_names
        or kept.topics is not group.topics
        or kept.racks is not group.racks
        or kept.changes != catalogue.changes
    ):
        kept = holder.kept_view = _kept(group, catalogue)
    return kept.view


def is_behind(holder: ViewHolder, group: ConsumerGroup, catalogue: Catalogue) -> bool:
    """Whether the group would decide otherwise with the topics of the catalogue. (It may keep some
    that nobody subscribes to any more.)"""
    known, seen = group.topics, of_group(holder, group, catalogue).topics
    return seen is not known and any(
        seen.get(name) != known.get(name) for name in group.topic_names
    )


def _kept(group: ConsumerGroup, catalogue: Catalogue) -> Kept:
    names, topics, racks = group.topic_names, group.topics, group.racks
    seen = View.of(names, catalogue.known(names))
    view = View(
        names,
        topics if seen.topics == topics else seen.topics,
        racks if seen.racks == racks else seen.racks,
    )
    return Kept(view, names, topics, racks, catalogue.changes)
