"""Sends changes of the catalogue to commanded groups: of their topics, and of the topics that match
their filters.

A group is compared with the catalogue, and receives an event if they differ. So a notification that
was lost, or went to the previous owner, delays a change by a second at most. Names are matched in a
thread, once for each version of the catalogue. This file has no SQL and no rules.
"""

import asyncio
import logging
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from groups.catalogue import regex
from groups.catalogue.cache import Catalogue
from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.commanded.group import CommandedGroup
from groups.core.commanded.thread_offers import BLACK_LIST, filter_of
from groups.core.events import TopicsChanged
from groups.event_loop import Slices

logger = logging.getLogger(__name__)

LOOK_S = 1.0
"""The longest delay of a change whose notification was lost."""

MATCH_S_MAX = 2.0
"""The time limit for matching all filters of one comparison. RE2 matches some million names a
second."""

FILTERS_AT_ONCE = 100
"""Filters of several groups that are matched together. The results of this many filters are kept
until the catalogue changes; each has at most as many names as there are topics."""

Names = tuple[str, ...]


class CommandedTopics:
    """Compares the node's commanded groups with the catalogue.

    It keeps a list of these groups: those that received registrations (``knows``), and those that
    were loaded with a slot; to find the latter it checks all groups after each change of slots.
    """

    def __init__(self, coordinator: CoordinatorRuntime, catalogue: Catalogue) -> None:
        self._coordinator = coordinator
        self._catalogue = catalogue
        self._epochs: Mapping[int, int] = {}
        self._groups: dict[str, tuple[CommandedGroup, int] | None] = {}
        self._matched: dict[str, tuple[int, Names]] = {}
        self._awake = asyncio.Event()

    def knows(self, group_id: str) -> None:
        """The group is, or is about to become, a commanded group."""
        self._groups.setdefault(group_id)

    def wake(self) -> None:
        """The catalogue has changed."""
        self._awake.set()

    async def run(self) -> None:
        """Compare repeatedly, until cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._awake.wait()
            self._awake.clear()
            await self.look()

    async def look(self) -> None:
        """Send an event to every commanded group that differs from the catalogue. A second event,
        while the first is being processed, has no effect."""
        slices = Slices()
        if self._epochs != self._coordinator.epochs:
            await self._go_through(slices)
        for few in together(await self._to_compare(slices)):
            matched = await self.matched({key for _, group in few for key in group.filters})
            for group_id, group in few:
                self._groups[group_id] = await self._compare(group_id, group, matched, slices)

    async def _to_compare(self, slices: Slices) -> list[tuple[str, CommandedGroup]]:
        """The groups that have changed, or have not been compared with the current catalogue."""
        found = list[tuple[str, CommandedGroup]]()
        for group_id, agreed in list(self._groups.items()):
            if slices.is_over:
                await slices.pause()
            group = self._coordinator.group(group_id)
            if not isinstance(group, CommandedGroup):
                self._groups.pop(group_id, None)
            elif agreed is None or agreed[0] is not group or agreed[1] != self._catalogue.changes:
                found.append((group_id, group))
        return found

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

    def count(self, topic: str) -> int:
        """The number of partitions of a topic; 0 if it does not exist."""
        entry = self._catalogue.get(topic)
        return 0 if entry is None else entry.partitions

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
        known = {key: tuple(names) for key, names in group.matches.items()}
        room = group.room
        matches = {key: matched.get(key, known.get(key, ()))[:room] for key in group.filters}
        cut = sum(len(matched.get(key, ())) > room for key in group.filters)
        if cut:
            logger.warning("%r: %d filters let through more than %d topics", group_id, cut, room)
        counts = dict[str, int]()
        for topic in group.names.union(*matches.values()):
            if slices.is_over:
                await slices.pause()
            counts[topic] = self.count(topic)
        if counts != group.counts or matches != known:
            event = TopicsChanged(counts=counts, matches=matches)
            self._coordinator.submit(group_id, event)
            return None
        return (group, changes) if matched.keys() >= group.filters else None

    async def _go_through(self, slices: Slices) -> None:
        self._epochs = dict(self._coordinator.epochs)
        for group in list(self._coordinator.groups()):
            if slices.is_over:
                await slices.pause()
            if isinstance(group, CommandedGroup):
                self.knows(group.durable.group.group_id)


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
