"""What the groups of this node have of their own, in memory: rules and rates, by group id.

Filled with the slots and by the doorbell (``groups.coordinator.group_configs``). No I/O, and no
rule about values.
"""

import asyncio
from collections.abc import Collection
from dataclasses import replace

from groups.coordinator.pauses import Paused
from groups.core.configs import group
from groups.core.configs.group import Values
from groups.core.group import Millis, Rules
from groups.core.rows import slot_of
from groups.core.token_bucket import Bucket

NOTHING: Values = {}


class GroupOverrides:
    """The groups that differ from the node's own settings; all others are not here.

    ``reading`` is held from a look at the rows until what they say is here: so what was read
    later is applied later. ``buckets``: the groups whose commits are limited. ``paused``: where
    operators have stopped work.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.reading = asyncio.Lock()
        self.buckets: dict[str, Bucket] = {}
        self.paused = Paused()
        self._rules: dict[str, Rules] = {}

    def rules_of(self, group_id: str) -> Rules:
        """The rules that hold for a group. The same object until they change."""
        return self._rules.get(group_id, self.rules)

    def count_from(self, generations_after: int) -> None:
        """Generations of groups that have no row yet begin behind this."""
        self.rules = replace(self.rules, generations_after=generations_after)

    def put(self, group_id: str, values: Values, now: Millis) -> None:
        """What the group has of its own from now on; nothing at all: it is as all others."""
        if values:
            self._rules[group_id] = group.rules_of(values, self.rules)
        else:
            self._rules.pop(group_id, None)
        self._put_bucket(group_id, group.commits_per_second_max(values), now)

    def _put_bucket(self, group_id: str, per_second: int, now: Millis) -> None:
        known = self.buckets.get(group_id)
        if not per_second:
            self.buckets.pop(group_id, None)
        elif known is None or known.per_second != per_second:
            self.buckets[group_id] = Bucket.full(per_second, now)

    def of_slots(self, slots: Collection[int]) -> set[str]:
        """The groups of these slots that have something of their own."""
        return {group_id for group_id in self._rules if slot_of(group_id) in slots}

    def forget(self, slots: Collection[int]) -> None:
        """These slots are not this node's any more."""
        for group_id in self.of_slots(slots):
            self.put(group_id, NOTHING, 0)
        self.paused.forget(slots)
