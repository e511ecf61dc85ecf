"""Sends changes of the catalogue to commanded groups: of their topics, and of the topics that match
their filters.

Names are matched in a thread, once for each version of the catalogue. No SQL and no rules here.
"""

import asyncio
import logging
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from groups.catalogue import regex
from groups.catalogue.cache import Catalogue
from groups.core.commanded.group import CommandedGroup
from groups.core.commanded.thread_offers import BLACK_LIST, filter_of
from groups.core.events import TopicsChanged
from groups.event_loop import Slices
from groups.runtime.runtime import CoordinatorRuntime
from groups.topics.topic_updates import TopicUpdates

logger = logging.getLogger(__name__)

MATCH_S_MAX = 2.0
"""The time limit for matching all filters of one comparison. RE2 matches some million names a
second."""

FILTERS_AT_ONCE = 100
"""Filters of several groups that are matched together. The results of this many filters are kept
until the catalogue changes; each has at most as many names as there are topics."""

Names = tuple[str, ...]


class CommandedTopics(TopicUpdates[CommandedGroup]):
    """Compares the topics and filters of each commanded group with the catalogue."""

    kind = CommandedGroup

    def __init__(self, coordinator: CoordinatorRuntime, catalogue: Catalogue) -> None:
        super().__init__(coordinator, catalogue)
        self._matched: dict[str, tuple[int, Names]] = {}

    async def look(self) -> None:
        """See ``TopicUpdates``."""
        slices = Slices()
        for few in together([each async for each in self._to_compare(slices)]):
            matched = await self.matched({key for _, group in few for key in group.filters})
            for group_id, group in few:
                self._groups[group_id] = await self._compare(group_id, group, matched, slices)

    async def matched(self, keys: Collection[str]) -> Mapping[str, Names]:
        """The topics that match each filter now, without filters that take too long."""
        version = self._catalogue.version
        due = [key for key in keys if self._matched.get(key, (-1, ()))[0] != version]
        if due:
            names = [entry.name for entry in self._catalogue.all()]
            found = await asyncio.to_thread(let_through, due, names)
            if len(found) < len(due):
                logger.warning("%d filters could not be matched in time", len(due) - len(found))
            if len(self._matched) + len(found) > FILTERS_AT_ONCE:
                self._matched = {key: self._matched[key] for key in keys if key in self._matched}
            self._matched.update({key: (version, some) for key, some in found.items()})
        return {key: self._matched[key][1] for key in keys if key in self._matched}

    async def _compare(
        self,
        group_id: str,
        group: CommandedGroup,
        matched: Mapping[str, Names],
        slices: Slices,
    ) -> tuple[CommandedGroup, int] | None:
        """The group and the version of the catalogue, if they agree; otherwise None, and the group
        receives an event."""
        changes = self._catalogue.changes
        before = {key: tuple(names) for key, names in group.matches.items()}
        room = group.room
        matches = {key: matched.get(key, before.get(key, ()))[:room] for key in group.filters}
        cut = sum(len(matched.get(key, ())) > room for key in group.filters)
        if cut:
            logger.warning("%r: %d filters let through more than %d topics", group_id, cut, room)
        counts = await self._counts(group.names.union(*matches.values()), slices)
        if counts != group.counts or matches != before:
            event = TopicsChanged(counts=counts, matches=matches)
            self._coordinator.submit(group_id, event)
            return None
        return (group, changes) if matched.keys() >= group.filters else None


def together(groups: Iterable[tuple[str, CommandedGroup]]) -> Iterator[list[Any]]:
    """Split the groups into parts with at most ``FILTERS_AT_ONCE`` filters, or one group with
    more."""
    few: list[tuple[str, CommandedGroup]] = []
    filters = 0
    for group_id, group in groups:
        if few and filters + len(group.filters) > FILTERS_AT_ONCE:
            yield few
            few, filters = [], 0
        few.append((group_id, group))
        filters += len(group.filters)
    if few:
        yield few


def let_through(keys: Collection[str], names: list[str]) -> Mapping[str, Names]:
    """The names that match each filter, in the given order."""
    patterns = {filter_of(key)[1] for key in keys}
    until = time.monotonic() + MATCH_S_MAX
    matching = regex.matches(patterns, names, MATCH_S_MAX)
    found: dict[str, Names] = {}
    for key in keys:
        kind, pattern = filter_of(key)
        if pattern in matching and time.monotonic() < until:
            some = frozenset(matching[pattern])
            found[key] = tuple(name for name in names if (name in some) != (kind == BLACK_LIST))
    return found
