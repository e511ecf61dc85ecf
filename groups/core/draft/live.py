"""What no row holds of a draft group: held joins, suspects, the round, beats. Values only.

A ``Live`` that a committed group holds is never changed (its ``Beat`` objects are): a step
changes a copy.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from groups.core.events import Ticket
from groups.core.group import Beat, Millis
from groups.core.rebalance_cause import Cause
from groups.core.rows import MemberRow
from groups.core.shared import SharedDict


@dataclass(frozen=True, slots=True)
class Join:
    """A held JoinGroup. ``row``: the consumer as it will be; its id is "" until it is given one."""

    row: MemberRow
    ticket: Ticket | None
    since: Millis


@dataclass(frozen=True, slots=True)
class JoinPhase:
    """One rebalance that goes on. ``has_told``: a consumer has heard of it by a heartbeat.
    ``is_doubtful``: nothing but silence began it, so that a sign of life may call it off.
    """

    cause: Cause
    started_at: Millis
    has_told: bool = False
    is_doubtful: bool = False
    left: tuple[str, ...] = ()


@dataclass(slots=True)
class Live:
    """The live half of a draft group.

    ``floor``: silence before it does not count. ``joins``: held joins of members, by consumer id;
    ``newcomers``: those of consumers without a row, in order of arrival. ``suspects``: members
    that count as dead and are not waited for; none of them has a held join. ``counts``:
    partitions of subscribed topics, as last heard. ``recovering``: a new owner has to settle what
    the old one's held requests had begun. ``settled_at``: when the last round ended.
    """

    floor: Millis
    counts: Mapping[str, int] = field(default_factory=dict)
    beats: SharedDict[str, Beat] = field(default_factory=SharedDict)
    joins: SharedDict[str, Join] = field(default_factory=SharedDict)
    newcomers: list[Join] = field(default_factory=list)
    suspects: set[str] = field(default_factory=set)
    join_phase: JoinPhase | None = None
    recovering: bool = False
    settled_at: Millis = 0

    def copy(self) -> "Live":
        """A copy that a step may change; beats stay shared."""
        return replace(
            self,
            beats=self.beats.copy(),
            joins=self.joins.copy(),
            newcomers=self.newcomers.copy(),
            suspects=self.suspects.copy(),
        )

    def held(self) -> Iterator[Join]:
        """Every held join."""
        yield from self.joins.values()
        yield from self.newcomers

    def tickets(self) -> Iterator[Ticket]:
        """Every ticket that waits for its answer."""
        return (join.ticket for join in self.held() if join.ticket is not None)

    def is_awaited(self, consumer_id: str) -> bool:
        """Whether a member is expected to say something: a heartbeat, or in a round a join."""
        return consumer_id not in self.joins and consumer_id not in self.suspects

    def deadline(self, row: MemberRow) -> Millis:
        """When an awaited member counts as dead. A round gives each a whole session to join."""
        since = max(self.beats[row.member_id].at, self.floor)
        if self.join_phase is not None:
            since = max(since, self.join_phase.started_at)
        return since + row.session_timeout_ms
