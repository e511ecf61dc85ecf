"""A commanded group while one step decides: a private working copy, and what the step gathered.

The means by which rules change a group, and no rule. Nothing is copied before it is changed.
"""

from collections.abc import Mapping

from groups.core.commanded.live import Live
from groups.core.commanded.states import EMPTY, TRANSITIONS
from groups.core.commanded.thread_offers import Matches
from groups.core.group import Beat, Rules
from groups.core.rebalance_cause import Cause
from groups.core.rows import GroupRow, MemberRow
from groups.core.step import ABSENT, Gathered

KIND = "commanded"

QUEUED = "queued"
"""The key of the cause for which the group stands in the rebalance queue."""

FORCED = "forced"
"""The key that says that the queued rebalance goes past the necessity check."""

CAUSE = "cause"
"""The key of the cause of the rebalance that goes on."""

ATTEMPT = "attempt"
"""The key of how often the commands of the present phase were sent."""

ROUND = "round"
"""The key of what the rebalance that goes on has done, for the journal."""

TOPICS = "topics"
"""The key of the partitions by topic, as last heard; 0 for a topic that does not exist."""

MATCHES = "matches"
"""The key of the topics that each filter lets through, as last heard."""

LAST_COMMAND = "last_command"
"""The key of the greatest command id that was ever given in the group."""


def absent_row(group_id: str, rules: Rules) -> GroupRow:
    """What stands for the row of a group that has none."""
    generation = rules.generations_after
    return GroupRow(group_id, KIND, EMPTY, generation, details={ABSENT: True})


class Work(Gathered[Live]):
    """One step's working copy of a commanded group; thrown away if its batch fails.

    ``emptied_by``: why nobody is left.
    """

    transitions = TRANSITIONS
    emptied_by: Cause | None = None

    # -- what is

    @property
    def counts(self) -> Mapping[str, int]:
        """Partitions by topic, as last heard."""
        found: Mapping[str, int] = self.row.details.get(TOPICS, {})
        return found

    @property
    def matches(self) -> Matches:
        """Topics by filter, as last heard."""
        found: Matches = self.row.details.get(MATCHES, {})
        return found

    # -- what becomes

    def put(self, row: MemberRow) -> None:
        """A member as it is from now on; a new one was heard of just now."""
        if self.members.get(row.member_id) is row:
            return
        if row.member_id not in self.members:
            self.change().beats[row.member_id] = Beat(self.now)
        self.change_members()[row.member_id] = row

    def drop(self, member_id: str) -> None:
        """The member is gone."""
        del self.change_members()[member_id]
        self.change().beats.pop(member_id, None)

    def next_command_id(self) -> int:
        """An id that no command of the group has had."""
        command_id: int = self.row.details.get(LAST_COMMAND, 0) + 1
        self.set_details(last_command=command_id)
        return command_id

    def forget_group(self) -> None:
        """Start over as the group that has no row (it was deleted)."""
        self.forget(absent_row(self.row.group_id, self.rules), Live())

    def hear(self, member_id: str) -> None:
        """The consumer was heard of just now."""
        beat = self.live.beats[member_id]
        beat.at = self.now
