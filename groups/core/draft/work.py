"""The working copy of a draft group during one step, and the results of the step.

It has the operations by which rules change a group, and no rule. Nothing is copied before it
changes.
"""

from dataclasses import replace
from typing import Any, Final

from groups.core.draft.live import JoinPhase, Live
from groups.core.draft.states import EMPTY, PREPARING, TRANSITIONS
from groups.core.group import Millis
from groups.core.row_packing import topics_in
from groups.core.step import RowsWorkingCopy

KIND: Final = "draft"

OWED = "owed"
"""Key of the row's details: the trigger of a rebalance that must follow under any owner."""

EXCLUDED = "excluded"
"""Key of the details: consumers that the last rebalance left out as dead; they may return under
their ids until the next one ends."""

TOPICS = "topics"
"""Key of the details: partitions by topic name in the last assignment, 0 for a missing topic."""


class Work(RowsWorkingCopy[Live]):
    """One step's working copy of a draft group; discarded if its batch fails."""

    kind = KIND
    transitions = TRANSITIONS

    # -- state

    @property
    def join_phase(self) -> JoinPhase:
        """The current rebalance."""
        assert self.live.join_phase is not None
        return self.live.join_phase

    def stopped_at(self, member_id: str) -> Millis | None:
        """When it joined: it had given up its partitions by then."""
        join = self.live.joins.get(member_id)
        return None if join is None else join.first

    @property
    def has_members(self) -> bool:
        """Whether anybody is in the group, or waits to be."""
        return self.state != EMPTY

    @property
    def rebalances(self) -> bool:
        """Whether a rebalance goes on."""
        return self.state == PREPARING

    def topics_in_use(self) -> frozenset[str]:
        """Every topic that a member subscribes to."""
        rows = self.members.values()
        return frozenset().union(*(topics_in(row.subscription) for row in rows))

    # -- changes

    def set_subscription(self, consumer_id: str, subscription: bytes) -> None:
        """Store a member's subscription; its partitions do not change."""
        row = replace(self.members[consumer_id], subscription=subscription)
        self.change_members()[consumer_id] = row

    def set_join_phase(self, **changes: Any) -> None:
        """Change fields of the current rebalance."""
        self.change().join_phase = replace(self.join_phase, **changes)

    def forget_group(self) -> None:
        """Continue as the group without a row: it was deleted."""
        self.forget(Live(floor=self.now))

    def hear(self, consumer_id: str) -> None:
        """The consumer sent something now."""
        beat = self.live.beats[consumer_id]
        beat.at = self.now
