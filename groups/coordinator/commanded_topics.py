"""Tells commanded groups what became of their topics, and what their filters let through.

Level, not edge: a group is compared with the catalogue, and told where they differ, so that a ring
that was lost, or came to the last owner, is made good within a second. Names are matched in a
thread, once for each version of the catalogue. No SQL and no rules here.
"""

import asyncio
import logging
from collections.abc import Collection, Mapping
from contextlib import suppress

from groups.catalogue import regex
from groups.catalogue.cache import Catalogue
from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.commanded.group import CommandedGroup
from groups.core.commanded.thread_offers import BLACK_LIST, filter_of
from groups.core.events import TopicsChanged

logger = logging.getLogger(__name__)

LOOK_S = 1.0
"""How much later than a ring a change is noticed at the latest."""

MATCH_S_MAX = 2.0
"""All filters that are matched at one look, together. RE2 matches some million names a second."""

Names = tuple[str, ...]


class CommandedTopics:
    """The node's commanded groups and the catalogue, side by side.

    Only such groups are looked at: those that registrations were handed to (``knows``), and those
    that came with a slot, for which all groups are gone through, once for each change of slots.
    """

    def __init__(self, coordinator: CoordinatorRuntime, catalogue: Catalogue) -> None:
        self._coordinator = coordinator
        self._catalogue = catalogue
        self._epochs: Mapping[int, int] = {}
        self._groups: set[str] = set()
        self._matched: dict[str, tuple[int, Names]] = {}
        self._awake = asyncio.Event()

    def knows(self, group_id: str) -> None:
        """The group is one that is commanded, or is about to be."""
        self._groups.add(group_id)

    def wake(self) -> None:
        """The catalogue has changed."""
        self._awake.set()

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._awake.wait()
            self._awake.clear()
            await self.look()

    async def look(self) -> None:
        """Tell every commanded group of what is not as it last heard. Telling it twice, while the
        first word is on its way, does no harm."""
        if self._epochs != self._coordinator.epochs:
            self._go_through()
        keys = {key for group_id in self._groups for key in self._filters(group_id)}
        matched = await self.matched(keys)
        self._matched = {key: found for key, found in self._matched.items() if key in keys}
        for group_id in list(self._groups):
            group = self._coordinator.group(group_id)
            if isinstance(group, CommandedGroup):
                self._tell(group_id, group, matched)
            else:
                self._groups.discard(group_id)

    async def matched(self, keys: Collection[str]) -> Mapping[str, Names]:
        """The topics that each filter lets through today; one that takes too long is left out."""
        version = self._catalogue.version
        due = [key for key in keys if self._matched.get(key, (-1, ()))[0] != version]
        if due:
            names = [entry.name for entry in self._catalogue.all()]
            found = await asyncio.to_thread(let_through, due, names)
            if len(found) < len(due):
                logger.warning("%d filters could not be matched in time", len(due) - len(found))
            self._matched.update({key: (version, some) for key, some in found.items()})
        return {key: self._matched[key][1] for key in keys if key in self._matched}

    def count(self, topic: str) -> int:
        """Partitions of a topic, as far as this node knows."""
        entry = self._catalogue.get(topic)
        return 0 if entry is None else entry.partitions

    def _filters(self, group_id: str) -> Collection[str]:
        group = self._coordinator.group(group_id)
        return group.filters if isinstance(group, CommandedGroup) else ()

    def _tell(self, group_id: str, group: CommandedGroup, matched: Mapping[str, Names]) -> None:
        known = {key: tuple(names) for key, names in group.matches.items()}
        matches = {key: matched.get(key, known.get(key, ())) for key in group.filters}
        topics = group.names.union(*matches.values())
        counts = {topic: self.count(topic) for topic in topics}
        if counts != group.counts or matches != known:
            event = TopicsChanged(counts=counts, matches=matches)
            self._coordinator.submit(group_id, event)

    def _go_through(self) -> None:
        self._epochs = dict(self._coordinator.epochs)
        for group in self._coordinator.groups():
            if isinstance(group, CommandedGroup):
                self._groups.add(group.durable.group.group_id)


def let_through(keys: Collection[str], names: list[str]) -> Mapping[str, Names]:
    """The names that each filter lets through, sorted as they come."""
    patterns = {filter_of(key)[1] for key in keys}
    matching = regex.matches(patterns, names, MATCH_S_MAX)
    found: dict[str, Names] = {}
    for key in keys:
        kind, pattern = filter_of(key)
        if pattern in matching:
            some = frozenset(matching[pattern])
            found[key] = tuple(name for name in names if (name in some) != (kind == BLACK_LIST))
    return found
