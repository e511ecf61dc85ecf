"""A draft group while one step decides: a private working copy, and what the step gathered.

The means by which rules change a group, and no rule. Nothing is copied before it is changed.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from groups.core.draft.live import Live, Round
from groups.core.draft.states import EMPTY, TRANSITIONS
from groups.core.gathered import ABSENT, Gathered
from groups.core.group import Millis, Rules
from groups.core.rows import Durable, GroupRow, MemberRow

KIND = "draft"

OWED = "owed"
"""The key of the trigger of a rebalance that must come, whoever owns the group by then."""

EXCLUDED = "excluded"
"""The key of the consumers that the last round left out as dead: they may come back under their
ids until the next one has ended."""

TOPICS = "topics"
"""The key of what was dealt: partitions by topic name, 0 for a topic that did not exist."""


def absent_row(group_id: str) -> GroupRow:
    """What stands for the row of a group that has none."""
    return GroupRow(group_id=group_id, kind=KIND, state=EMPTY, details={ABSENT: True})


class Work(Gathered):
    """One step's working copy of a draft group; thrown away if its batch fails."""

    def __init__(
        self, durable: Durable, live: Live, rules: Rules, now: Millis, rng: Random
    ) -> None:
        super().__init__(durable, rules, now, rng)
        self.live = live
        self.hung_up: list[str] = []
        self._own_live: Live | None = None

    # -- what is

    @property
    def round(self) -> Round:
        """The rebalance that goes on."""
        assert self.live.round is not None
        return self.live.round

    # -- what becomes

    def change(self) -> Live:
        """The live half, to be changed; copied at the first call of a step."""
        if self._own_live is None:
            self._own_live = self.live = self.live.copy()
        return self._own_live

    def set_members(self, members: Mapping[str, MemberRow]) -> None:
        """The members from now on, in order of arrival; each has a beat."""
        self.members = dict(members)

    def set_subscription(self, consumer_id: str, subscription: bytes) -> None:
        """Note what a member wants; what it has stays."""
        row = replace(self.members[consumer_id], subscription=subscription)
        self.set_members({**self.members, consumer_id: row})

    def set_round(self, **changes: Any) -> None:
        """Change fields of the rebalance that goes on."""
        self.change().round = replace(self.round, **changes)

    def move_to(self, state: str, **columns: Any) -> None:
        """Go to another state along a legal edge."""
        assert state in TRANSITIONS[self.state], f"{self.state} never leads to {state}"
        self.set_row(state=state, **columns)

    def forget_group(self) -> None:
        """Start over as the group that has no row (it was deleted)."""
        self.forget_rows(absent_row(self.row.group_id))
        self._own_live = self.live = Live(floor=self.now)

    def hear(self, consumer_id: str) -> None:
        """The consumer was heard of just now."""
        beat = self.live.beats[consumer_id]
        beat.at = max(beat.at, self.now)

    # -- what follows

    @property
    def changed_live(self) -> Live | None:
        """The copy this step changed, or None when it changed nothing live."""
        return self._own_live
