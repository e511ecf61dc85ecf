"""A draft group while one step decides: a private working copy, and what the step gathered.

The means by which rules change a group, and no rule. Nothing is copied before it is changed.
"""

from dataclasses import replace
from typing import Any

from groups.core.draft.live import JoinPhase, Live
from groups.core.draft.states import EMPTY, TRANSITIONS
from groups.core.group import Rules
from groups.core.rows import GroupRow
from groups.core.step import ABSENT, Gathered

KIND = "draft"

OWED = "owed"
"""The key of the trigger of a rebalance that must come, whoever owns the group by then."""

EXCLUDED = "excluded"
"""The key of the consumers that the last round left out as dead: they may come back under their
ids until the next one has ended."""

TOPICS = "topics"
"""The key of what was dealt: partitions by topic name, 0 for a topic that did not exist."""


def absent_row(group_id: str, rules: Rules) -> GroupRow:
    """What stands for the row of a group that has none."""
    generation = rules.generations_after
    return GroupRow(group_id, KIND, EMPTY, generation, details={ABSENT: True})


class Work(Gathered[Live]):
    """One step's working copy of a draft group; thrown away if its batch fails."""

    transitions = TRANSITIONS

    # -- what is

    @property
    def join_phase(self) -> JoinPhase:
        """The rebalance that goes on."""
        assert self.live.join_phase is not None
        return self.live.join_phase

    # -- what becomes

    def set_subscription(self, consumer_id: str, subscription: bytes) -> None:
        """Note what a member wants; what it has stays."""
        row = replace(self.members[consumer_id], subscription=subscription)
        self.change_members()[consumer_id] = row

    def set_join_phase(self, **changes: Any) -> None:
        """Change fields of the rebalance that goes on."""
        self.change().join_phase = replace(self.join_phase, **changes)

    def forget_group(self) -> None:
        """Start over as the group that has no row (it was deleted)."""
        self.forget(absent_row(self.row.group_id, self.rules), Live(floor=self.now))

    def hear(self, consumer_id: str) -> None:
        """The consumer was heard of just now."""
        beat = self.live.beats[consumer_id]
        beat.at = self.now
