"""The working copy of a commanded group during one step, and the results of the step.

It has the operations by which rules change a group, and no rule. Nothing is copied before it
changes.
"""

from collections.abc import Mapping
from typing import Final

from groups.core.commanded import thread_offers
from groups.core.commanded.live import Live
from groups.core.commanded.offered import Offered
from groups.core.commanded.states import COMPLETING, TRANSITIONS
from groups.core.commanded.thread_offers import Matches
from groups.core.facts import Began, Departure
from groups.core.group import Beat, Millis
from groups.core.rebalance_cause import Cause
from groups.core.rows import MemberRow
from groups.core.step import RowsWorkingCopy

KIND: Final = "commanded"

QUEUED = "queued"
"""Key of the row's details: the cause for which the group is in the rebalance queue."""

FORCED = "forced"
"""Key of the details: the queued rebalance skips the necessity check."""

CAUSE = "cause"
"""Key of the details: the cause of the current rebalance."""

ATTEMPT = "attempt"
"""Key of the details: how often the commands of the current phase were sent."""

ROUND = "round"
"""Key of the details: results of the current rebalance so far, for the journal."""

TOPICS = "topics"
"""Key of the details: partitions by topic, as last reported; 0 if the topic does not exist."""

MATCHES = "matches"
"""Key of the details: topics that match each filter, as last reported."""

LAST_COMMAND = "last_command"
"""Key of the details: the greatest command id that was ever used in the group."""


class Work(RowsWorkingCopy[Live]):
    """One step's working copy of a commanded group; discarded if its batch fails.

    ``emptied_by``: why no member is left.
    """

    kind = KIND
    transitions = TRANSITIONS
    emptied_by: Cause | None = None
    _own_counts: dict[str, int] | None = None

    # -- state

    @property
    def counts(self) -> Mapping[str, int]:
        """Partitions by topic, as last reported."""
        found: Mapping[str, int] = self.row.details.get(TOPICS, {})
        return found

    @property
    def matches(self) -> Matches:
        """Topics by filter, as last reported."""
        found: Matches = self.row.details.get(MATCHES, {})
        return found

    @property
    def offered(self) -> Offered:
        """What all consumers offer, to be read; counted at the first call after a load."""
        if self.live.offered is None:
            self.live.offered = Offered.of(self.members.values(), self.counts)
        return self.live.offered

    def stopped_at(self, member_id: str) -> Millis | None:
        """When it acknowledged that it has stopped, unless it has started again."""
        if self.state == COMPLETING:
            return self.live.phase_since if self.members[member_id].commands else None
        return self.live.stopped.get(member_id)

    # -- changes

    def put(self, row: MemberRow) -> None:
        """Set a member; a new one gets a beat of now."""
        before = self.members.get(row.member_id)
        if before is row:
            return
        if before is None:
            self.change().beats[row.member_id] = Beat(self.now)
            self.facts.append(self._began(row))
        if self.live.offered is not None:
            offered = self.change_offered()
            offered.add(row) if before is None else offered.swap(before, row)
        self.change_members()[row.member_id] = row

    def _began(self, row: MemberRow) -> Began:
        """The life of a new consumer."""
        threads = row.details.get(thread_offers.THREADS)
        return Began(
            row,
            KIND,
            self.row.generation,
            client=self.client,
            topics=None if threads is None else tuple(sorted(threads)),
            pattern=row.details.get(thread_offers.FILTER, ""),
            protocols=(thread_offers.STRATEGY,),
        )

    def drop(self, member_id: str, departure: Departure) -> None:
        """Remove the member."""
        self.ended(member_id, departure)
        if self.live.offered is not None:
            self.change_offered().remove(self.members[member_id])
        del self.change_members()[member_id]
        self.change().beats.pop(member_id, None)

    def change_offered(self) -> Offered:
        """What all consumers offer, for changes."""
        self.change()
        return self.offered

    def change_counts(self) -> dict[str, int]:
        """The partitions by topic, for changes; copied at the first call in a step."""
        if self._own_counts is None or self._own_counts is not self.counts:
            self._own_counts = dict(self.counts)
            self.set_details(topics=self._own_counts)
        return self._own_counts

    def next_command_id(self) -> int:
        """A command id that the group has not used before."""
        command_id: int = self.row.details.get(LAST_COMMAND, 0) + 1
        self.set_details(last_command=command_id)
        return command_id

    def topics_in_use(self) -> frozenset[str]:
        """Every topic that a consumer works on."""
        return frozenset().union(*map(thread_offers.topics_in, self.members.values()))

    def forget_group(self) -> None:
        """Continue as the group without a row: it was deleted."""
        self.forget(Live())

    def hear(self, member_id: str) -> None:
        """The consumer sent something now."""
        beat = self.live.beats[member_id]
        beat.at = self.now
