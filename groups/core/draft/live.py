"""The state of a draft group that is not in rows: held joins, suspects, the rebalance, beats.
Values only.

The ``Live`` of a committed group never changes (its ``Beat`` objects do): a step changes a copy.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from groups.core.authors import UNKNOWN_CLIENT, Client
from groups.core.earlier import Earlier
from groups.core.events import Ticket
from groups.core.explanation import Episode
from groups.core.group import Beat, Millis
from groups.core.rebalance_cause import Cause
from groups.core.rounds import NEVER_IDLE, Idle
from groups.core.rows import Durable, MemberRow
from groups.core.step import EXACT_MAX
from groups.core.values import SharedDict


@dataclass(frozen=True, slots=True)
class Join:
    """A held JoinGroup. ``row``: the consumer's future row; its id is "" until it gets one.
    ``first``: since when it is not awaited any more."""

    row: MemberRow
    ticket: Ticket | None
    since: Millis
    client: Client = UNKNOWN_CLIENT
    first: Millis = 0


@dataclass(frozen=True, slots=True)
class JoinPhase:
    """The current rebalance. ``is_announced``: a consumer was told of it by a heartbeat.
    ``is_doubtful``: only silence began it, so a sign of life may cancel it. ``episode``: what to
    say of it in the journal."""

    cause: Cause
    started_at: Millis
    episode: Episode
    is_announced: bool = False
    is_doubtful: bool = False
    left: tuple[str, ...] = ()


@dataclass(slots=True)
class Live:
    """The live half of a draft group.

    ``floor``: silence before it does not count. ``joins``: held joins of members, by consumer id;
    ``newcomers``: those of consumers without a row, in order of arrival. ``suspects``: members that
    count as dead and are not awaited, since when; none has a held join. ``counts``: partitions of
    subscribed topics, as last reported, and ``partitions`` their sum; ``count`` changes both.
    ``recovering``: a new owner has to finish or cancel what the held requests of the old one had
    begun, which left ``earlier``.
    ``settled_at``: when the last rebalance ended. ``idle``: partitions without a worker.
    """

    floor: Millis
    counts: SharedDict[str, int] = field(default_factory=SharedDict)
    partitions: int = 0
    beats: SharedDict[str, Beat] = field(default_factory=SharedDict)
    joins: SharedDict[str, Join] = field(default_factory=SharedDict)
    newcomers: list[Join] = field(default_factory=list)
    suspects: dict[str, Millis] = field(default_factory=dict)
    join_phase: JoinPhase | None = None
    recovering: bool = False
    settled_at: Millis = 0
    earlier: Earlier | None = None
    idle: Idle = NEVER_IDLE

    def copy(self) -> "Live":
        """A copy that a step may change; beats stay shared."""
        return replace(
            self,
            beats=self.beats.copy(),
            joins=self.joins.copy(),
            newcomers=self.newcomers.copy(),
            suspects=self.suspects.copy(),
        )

    def count(self, counts: Mapping[str, int]) -> None:
        """Note these counts; the cost does not depend on the group's other topics. ``counts`` stays
        the same object if it has them."""
        known = self.counts
        news = {topic: n for topic, n in counts.items() if known.get(topic) != n}
        if news:
            self.counts = known = known.copy()
            self.partitions += sum(n - known.get(topic, 0) for topic, n in news.items())
            known.update(news)

    def count_only(self, counts: Mapping[str, int]) -> None:
        """These are the counts now, and there are no others."""
        self.counts, self.partitions = SharedDict(counts), sum(counts.values())

    def held(self) -> Iterator[Join]:
        """Every held join."""
        yield from self.joins.values()
        yield from self.newcomers

    def tickets(self) -> Iterator[Ticket]:
        """Every ticket that waits for its reply."""
        return (join.ticket for join in self.held() if join.ticket is not None)

    def is_awaited(self, consumer_id: str) -> bool:
        """Whether a member is expected to send something: a heartbeat, or a join in a rebalance."""
        return consumer_id not in self.joins and consumer_id not in self.suspects

    def deadline(self, row: MemberRow) -> Millis:
        """When an awaited member counts as dead. In a rebalance each has a full session to join;
        of a suspect it is when it did: what an owner notes of its silence stays as it was."""
        since = max(self.beats[row.member_id].at, self.floor)
        if self.join_phase is not None and row.member_id not in self.suspects:
            since = max(since, self.join_phase.started_at)
        return since + row.session_timeout_ms

    def earliest_of(self, ids: Iterable[str], durable: Durable) -> Millis | None:
        """When the first awaited one of these would count as dead."""
        rows = durable.members
        awaited = (rows[c] for c in ids if c in rows and self.is_awaited(c))
        return min(map(self.deadline, awaited), default=None)

    def touched(self, durable: Durable, after: Durable, changed: "Live") -> Iterable[str] | None:
        """The members whose deadlines a step may have made earlier, by its working copy
        ``changed`` of this; None: all."""
        rows = after.members
        if len(rows) <= EXACT_MAX or self._times() != changed._times():
            return None
        ids: set[str] = set()
        for entries in (changed.beats, changed.joins, rows):
            if entries is durable.members:
                continue
            if not isinstance(entries, SharedDict) or entries.touched is None:
                return None
            ids |= entries.touched
        return ids

    def _times(self) -> tuple[Millis, Millis | None, dict[str, Millis]]:
        """Values on which the deadlines of all members depend."""
        phase = self.join_phase
        return self.floor, None if phase is None else phase.started_at, self.suspects
