"""Subscriptions by pattern: which group's patterns are to be matched with the catalogue, and when.

Members' heartbeats tell of groups that have patterns; the names are matched in a thread, and the
results go to the groups as events, as if somebody had sent them (KIP-848). What a result means
for a group stands in ``groups.core.consumer.patterns``, what a pattern is in ``groups.regexes``.
"""

import asyncio
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from groups import regexes
from groups.catalogue import Catalogue
from groups.coordinator import Coordinator
from groups.core.consumer.group import ConsumerGroup
from groups.core.events import TopicsMatched
from groups.core.group import Millis

logger = logging.getLogger(__name__)

LOOK_S = 0.1
"""How often somebody asks whether a group's patterns are to be matched."""

AFTER_A_CHANGE_MS: Millis = 1_000
"""Topics that come one after the other are taken together."""

AGAIN_MS: Millis = 10_000
"""A match that was lost, or took too long, is repeated after this time, which is the least that
Kafka lets pass between any two matches of a group."""

MATCH_S_MAX = 5.0
"""All that is due at one look, together. RE2 matches some million names a second."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The last match for a group: at which version of the catalogue and when, of which patterns,
    and what was found."""

    version: int = -1
    at: Millis = 0
    patterns: frozenset[str] = frozenset()
    found: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Patterns:
    """The groups of this node that subscribe by pattern."""

    def __init__(self, coordinator: Coordinator, catalogue: Catalogue, refresh_ms: Millis) -> None:
        self._coordinator = coordinator
        self._catalogue = catalogue
        self._refresh_ms = refresh_ms
        self._asked: dict[str, Asked] = {}

    def watch(self, group_id: str) -> None:
        """A member of this group lives: its patterns, where it has any, are kept matched."""
        if group_id not in self._asked:
            group = self._coordinator.group(group_id)
            if isinstance(group, ConsumerGroup) and group.patterns:
                self._asked[group_id] = Asked()

    async def run(self) -> None:
        """Look and match until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            due = self._due()
            if due:
                await self._match(due)

    def _due(self) -> dict[str, frozenset[str]]:
        """The patterns to be matched now, by group."""
        now = self._coordinator.clock()
        due: dict[str, frozenset[str]] = {}
        for group_id, asked in list(self._asked.items()):
            group = self._coordinator.group(group_id)
            if not isinstance(group, ConsumerGroup) or not group.patterns:
                del self._asked[group_id]  # a heartbeat tells of it when it has some again
            elif self._is_due(group, asked, now):
                due[group_id] = group.patterns
        return due

    def _is_due(self, group: ConsumerGroup, asked: Asked, now: Millis) -> bool:
        passed, patterns = now - asked.at, group.patterns
        if not patterns <= asked.patterns or passed >= self._refresh_ms:
            return True
        if asked.version != self._catalogue.version and passed >= AFTER_A_CHANGE_MS:
            return True
        if passed < AGAIN_MS:
            return False  # the names are not compared at every look
        differs = any(group.matches.get(p) != asked.found.get(p) for p in patterns)
        return differs or not patterns <= asked.found.keys()

    async def _match(self, due: Mapping[str, frozenset[str]]) -> None:
        version, now = self._catalogue.version, self._coordinator.clock()
        names = [entry.name for entry in self._catalogue.all()]
        wanted = sorted(frozenset[str]().union(*due.values()))
        found = await asyncio.to_thread(regexes.matches, wanted, names, MATCH_S_MAX)
        if len(found) < len(wanted):
            logger.warning("%d patterns could not be matched in time", len(wanted) - len(found))
        for group_id, patterns in due.items():
            mine = {pattern: found[pattern] for pattern in patterns if pattern in found}
            self._asked[group_id] = Asked(version, now, patterns, mine)
            self._tell(group_id, mine)

    def _tell(self, group_id: str, found: Mapping[str, tuple[str, ...]]) -> None:
        """Bring a group what it does not know yet."""
        group = self._coordinator.group(group_id)
        if not isinstance(group, ConsumerGroup):
            return
        if all(group.matches.get(pattern) == names for pattern, names in found.items()):
            return
        self._coordinator.submit(group_id, TopicsMatched(matches=found, topics=self._facts(found)))

    def _facts(self, found: Mapping[str, Collection[str]]) -> Mapping[str, tuple[str, int]]:
        known = self._catalogue.known(name for names in found.values() for name in names)
        return {name: (entry.topic_id.hex, entry.partitions) for name, entry in known.items()}
