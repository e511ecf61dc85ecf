"""Subscriptions by pattern: which patterns of which groups must be matched with the catalogue, and
when.

Members' heartbeats show which groups have patterns; the names are matched in a thread, and the
results go to the groups as events (KIP-848). ``groups.core.consumer.patterns`` has the effect of a
result on a group, ``groups.catalogue.regex`` the syntax of patterns.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from groups.catalogue import regex
from groups.catalogue.cache import Catalogue
from groups.catalogue.regex import Matching
from groups.core.consumer.group import ConsumerGroup
from groups.core.events import TopicsMatched
from groups.core.group import Millis
from groups.runtime.runtime import CoordinatorRuntime

logger = logging.getLogger(__name__)

LOOK_MS: Millis = 100
"""How often groups are checked for patterns that must be matched."""

AFTER_A_CHANGE_MS: Millis = 1_000
"""Topics that are created shortly after each other are matched together."""

AGAIN_MS: Millis = 10_000
"""A lost match is repeated after this time, which is also Kafka's minimum between two matches of a
group."""

REFUSED_MAX = 1_000
"""The number of patterns that a node remembers as too slow."""


Found = Mapping[str, tuple[str, ...]]
"""The names that match each pattern."""


@dataclass(frozen=True, slots=True)
class LastMatch:
    """The last match for a group: the version of the catalogue, the time, the patterns, and the
    result."""

    version: int = -1
    at: Millis = 0
    patterns: frozenset[str] = frozenset()
    found: Found = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A group whose patterns are being matched: the version of the catalogue, the start time, and
    its patterns that are not refused."""

    version: int
    at: Millis
    patterns: frozenset[str]
    matchings: Mapping[str, Matching]

    @property
    def is_over(self) -> bool:
        """Whether matching is complete."""
        return all(each.is_over for each in self.matchings.values())


class Patterns:
    """The groups of this node that subscribe by pattern.

    A pattern is matched once for all groups that have it, in turns. New patterns alternate with
    those that have had a turn, so that a new one does not wait for a slow one. A pattern that is
    too slow is refused from then on, and groups that have it keep its previous match.
    """

    def __init__(
        self, coordinator: CoordinatorRuntime, catalogue: Catalogue, refresh_ms: Millis
    ) -> None:
        self._coordinator = coordinator
        self._catalogue = catalogue
        self._refresh_ms = refresh_ms
        self._last_matches: dict[str, LastMatch] = {}
        self._waiting: dict[str, Waiting] = {}
        self._names: tuple[int, list[str]] = (-1, [])
        self._begun: dict[tuple[int, str], Matching] = {}
        self._groups: dict[Matching, set[str]] = {}
        self._new: deque[Matching] = deque()
        self._old: deque[Matching] = deque()
        self._refused: dict[str, None] = {}

    def problem(self, pattern: str) -> str | None:
        """Why the pattern is refused, as a sentence; None if it is valid."""
        if pattern in self._refused:
            return regex.refusal(pattern, regex.TOO_SLOW)
        return regex.problem(pattern)

    def problem_of(self, group_id: str, member_id: str) -> str | None:
        """Why a member's current pattern is refused."""
        if not self._refused:
            return None
        group = self._coordinator.group(group_id)
        pattern = group.pattern_of(member_id) if isinstance(group, ConsumerGroup) else ""
        return self.problem(pattern) if pattern in self._refused else None

    def watch(self, group_id: str) -> None:
        """A member of this group has sent a heartbeat: keep the group's patterns, if any,
        matched."""
        if group_id not in self._last_matches:
            group = self._coordinator.group(group_id)
            if isinstance(group, ConsumerGroup) and group.patterns:
                self._last_matches[group_id] = LastMatch()

    async def run(self) -> None:
        """Check and match, until cancelled."""
        looked_at = -LOOK_MS
        while True:
            if self._coordinator.clock() - looked_at >= LOOK_MS:
                looked_at = self._coordinator.clock()
                await self._begin(self._due())
            if not self._new and not self._old:
                await asyncio.sleep(LOOK_MS / 1000)
            await self._turns(self._new, len(self._new))
            await self._turns(self._old, min(1, len(self._old)))

    async def _begin(self, due: Mapping[str, frozenset[str]]) -> None:
        """Start matching for these groups."""
        version, now = self._catalogue.version, self._coordinator.clock()
        if due and self._names[0] != version:
            self._names = version, [entry.name for entry in self._catalogue.all()]
        for group_id, patterns in due.items():
            good = [pattern for pattern in sorted(patterns) if self.problem(pattern) is None]
            mine = {pattern: self._matching(version, pattern) for pattern in good}
            for matching in mine.values():
                self._groups[matching].add(group_id)
            self._waiting[group_id] = Waiting(version, now, patterns, mine)
        await self._settle(due)

    def _matching(self, version: int, pattern: str) -> Matching:
        """Groups with the same pattern share its matching."""
        begun = self._begun.get((version, pattern))
        if begun is None:
            begun = self._begun[version, pattern] = Matching(pattern, self._names[1], version)
            self._groups[begun] = set()
            self._new.append(begun)
        return begun

    async def _turns(self, line: "deque[Matching]", most: int) -> None:
        """Give the first ``most`` of a line a turn, and process the results."""
        if not most:
            return
        first = [line.popleft() for _ in range(most)]
        taken = await asyncio.to_thread(regex.take_turns, first)
        line.extendleft(reversed(first[taken:]))
        for matching in first[:taken]:
            if matching.is_over:
                await self._finish(matching)
            else:
                self._old.append(matching)

    async def _finish(self, matching: Matching) -> None:
        if matching.is_too_slow:
            self._refuse(matching.pattern)
        self._begun.pop((matching.version, matching.pattern))
        await self._settle(self._groups.pop(matching))

    def _refuse(self, pattern: str) -> None:
        logger.warning("a pattern is refused, since it takes too long: %.200s", pattern)
        self._refused[pattern] = None
        if len(self._refused) > REFUSED_MAX:
            del self._refused[next(iter(self._refused))]

    async def _settle(self, group_ids: Iterable[str]) -> None:
        """Send the results to groups whose patterns are all matched, if they are new. Groups with
        the same patterns get the same object."""
        news: dict[frozenset[str], tuple[Found, list[str]]] = {}
        for group_id in group_ids:
            found = self._settled(group_id)
            if self._is_news(group_id, found):
                news.setdefault(frozenset(found), (found, []))[1].append(group_id)
        for found, alike in news.values():
            topics = await asyncio.to_thread(self._facts, found)
            for group_id in alike:
                if self._consumers(group_id) is not None:  # the group may not exist any more
                    event = TopicsMatched(matches=found, topics=topics)
                    self._coordinator.submit(group_id, event)

    def _settled(self, group_id: str) -> Found:
        """The result for a waiting group. Refused patterns, and those that this version finds
        invalid, keep their previous match, and are not matched again and again."""
        waiting = self._waiting.get(group_id)
        if waiting is None or not waiting.is_over:
            return {}
        del self._waiting[group_id]
        group = self._consumers(group_id)
        if group is None:
            return {}
        kept = {pattern: group.matches.get(pattern, ()) for pattern in waiting.patterns}
        found = {p: matching.found for p, matching in waiting.matchings.items() if matching.is_done}
        last = LastMatch(waiting.version, waiting.at, waiting.patterns, {**kept, **found})
        self._last_matches[group_id] = last
        return found

    def _is_news(self, group_id: str, found: Found) -> bool:
        group = self._consumers(group_id)
        return group is not None and _differ(group.matches, found, found)

    def _consumers(self, group_id: str) -> ConsumerGroup | None:
        group = self._coordinator.group(group_id)
        return group if isinstance(group, ConsumerGroup) else None

    def _due(self) -> dict[str, frozenset[str]]:
        """The patterns that must be matched now, by group."""
        now = self._coordinator.clock()
        due: dict[str, frozenset[str]] = {}
        for group_id, last in list(self._last_matches.items()):
            if group_id in self._waiting:
                continue
            group = self._coordinator.group(group_id)
            if not isinstance(group, ConsumerGroup) or not group.patterns:
                del self._last_matches[group_id]  # a heartbeat adds it again when it has patterns
            elif self._is_due(group, last, now):
                due[group_id] = group.patterns
        return due

    def _is_due(self, group: ConsumerGroup, last: LastMatch, now: Millis) -> bool:
        passed, patterns = now - last.at, group.patterns
        if not patterns <= last.patterns or passed >= self._refresh_ms:
            return True
        if last.version != self._catalogue.version and passed >= AFTER_A_CHANGE_MS:
            return True
        if passed < AGAIN_MS:
            return False  # the names are not compared at every check
        return _differ(group.matches, last.found, patterns) or not patterns <= last.found.keys()

    def _facts(self, found: Found) -> Mapping[str, tuple[str, int]]:
        """Topics by name. Runs in a thread, since ten thousand names take milliseconds; topics may
        be deleted in the meantime."""
        names = {name for names in found.values() for name in names}
        entries = [entry for name in names if (entry := self._catalogue.get(name)) is not None]
        return {entry.name: (entry.topic_id.hex, entry.partitions) for entry in entries}


def _differ(known: Found, found: Found, patterns: Iterable[str]) -> bool:
    """Whether any of the patterns matches other names. Most results are the same object, so twenty
    thousand names are not compared ten times a second."""
    pairs = ((known.get(pattern), found.get(pattern)) for pattern in patterns)
    return any(one is not other and one != other for one, other in pairs)
