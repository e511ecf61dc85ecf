"""The draft group: the ``Group`` protocol over the rules in this folder.

It says which rule decides which event, and hands out what others may know of a group. It holds no
rule itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Final, Self

from groups.core import other_kinds
from groups.core.draft import guards, heartbeat, invariants, join, leave, offsets, recovery, topics
from groups.core.draft.live import Live
from groups.core.draft.states import STABLE
from groups.core.draft.work import Work, absent_row
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import (
    AcknowledgeCommand,
    ConsumerHeartbeat,
    DeleteGroup,
    DraftCommit,
    DraftHeartbeat,
    DraftJoin,
    Event,
    EvictMember,
    ExpireOffsets,
    ForceRebalance,
    IdsAbandoned,
    InstallAssignment,
    JoinGroup,
    LeaveGroup,
    MembersRefused,
    OffsetCommit,
    OffsetDelete,
    PrepareAssignment,
    RegisterConsumer,
    RestoreOffsets,
    SyncGroup,
    TargetComputed,
    Tick,
    Ticket,
    TopicsChanged,
    TopicsMatched,
    TxnOffsetCommit,
)
from groups.core.group import (
    NOBODY,
    Answer,
    Decision,
    HeartbeatView,
    Millis,
    Rules,
    Session,
    stands,
)
from groups.core.replies import Committed, DraftJoined
from groups.core.rows import Durable
from groups.core.shared import SharedDict
from groups.core.step import (
    ABSENT,
    EXACT_MAX,
    REFUSALS,
    Earliest,
    Halves,
    Handlers,
    Refusals,
    decide,
)


def _another_protocol(work: Work, event: JoinGroup) -> None:
    raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "the group is one of the 0.9 draft")


def _not_a_consumer_group(work: Work, event: ConsumerHeartbeat) -> None:
    raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "the group is one of the 0.9 draft")


def _no_sync_phase(work: Work, event: SyncGroup) -> None:
    raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)


HANDLERS: Final[Handlers[Work]] = {
    Tick: heartbeat.tick,
    DraftJoin: join.join_group,
    DraftHeartbeat: heartbeat.heartbeat,
    LeaveGroup: leave.leave_group,
    MembersRefused: leave.members_refused,
    TopicsChanged: topics.topics_changed,
    RegisterConsumer: other_kinds.register_consumer,
    AcknowledgeCommand: other_kinds.acknowledge_command,
    DraftCommit: offsets.commit,
    OffsetCommit: offsets.commit,
    TxnOffsetCommit: offsets.commit_in_transaction,
    OffsetDelete: offsets.delete_offsets,
    DeleteGroup: offsets.delete_group,
    ForceRebalance: leave.force_rebalance,
    EvictMember: leave.evict_member,
    ExpireOffsets: offsets.expire,
    RestoreOffsets: offsets.restore,
    JoinGroup: _another_protocol,
    SyncGroup: _no_sync_phase,
    ConsumerHeartbeat: _not_a_consumer_group,
    IdsAbandoned: other_kinds.ids_abandoned,
    PrepareAssignment: other_kinds.assigns_nothing,
    InstallAssignment: other_kinds.assigns_nothing,
    TargetComputed: other_kinds.not_asked_any_more,
    TopicsMatched: other_kinds.no_patterns,
}

REFUSED_HERE: Final[Refusals] = {
    **REFUSALS,
    OffsetCommit: lambda event, no: Committed(_today(no.code)),
    TxnOffsetCommit: lambda event, no: Committed(_today(no.code)),
}
"""Who commits over the Kafka port is told what Kafka has a word for."""


def _today(code: ErrorCode) -> ErrorCode:
    """For who commits to a draft group over the Kafka port: a code that Kafka has."""
    if code is ErrorCode.COMMITTING_PARTITIONS_NOT_ASSIGNED:
        return ErrorCode.INVALID_REQUEST
    return code


class DraftGroup(Halves[Live]):
    """A group of the 0.9 draft, at one instant."""

    __slots__ = ()

    @property
    def idle(self) -> bool:
        """Whether the group has no row and nothing waits."""
        return ABSENT in self._durable.group.details and not self._live.newcomers

    @property
    def breadth(self) -> int:
        """How many members, newcomers and partitions a step may have to go through."""
        counts = self._live.counts
        return len(self._durable.members) + len(self._live.newcomers) + sum(counts.values())

    @property
    def counts(self) -> Mapping[str, int]:
        """Partitions of the topics that it subscribes to, as it last heard: what to tell it of."""
        return self._live.counts

    @classmethod
    def absent(cls, group_id: str, rules: Rules, now: Millis) -> Self:
        """The group of an id that has no row."""
        nobody = Durable(absent_row(group_id, rules), MappingProxyType({}))
        return cls(nobody, Live(floor=now), rules)

    @classmethod
    def merge(cls, durable: Durable, live: Live | None, rules: Rules, now: Millis) -> Self:
        """Join reloaded rows with what was live, or None after a takeover."""
        durable = durable.in_order()
        if live is None:
            return cls(durable, recovery.fresh(durable, now), rules)
        return cls(durable, recovery.kept(durable, live, now), rules)

    def step(self, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
        """Decide the events in order; self stays as it is."""
        work = Work(self._durable, self._live, self.rules, now, rng)
        recovery.recover(work)
        for event in events:
            decide(work, event, HANDLERS, REFUSED_HERE)
        return self._decided(work, events, invariants.check)

    def due(self, now: Millis) -> Millis | None:
        """When the next awaited consumer would count as dead; None: never. In O(members) or from
        what the step before knew; and again when it has passed, since beats have moved on."""
        live = self._live
        if live.recovering:
            return live.floor
        if not stands(self._due, now):
            if self._earliest is None or self._due is not None:
                self._earliest = (self._earliest_of(self._durable.members),)
            ends = (*self._earliest, guards.due(self._durable, live, self.rules))
            self._due = (min((end for end in ends if end is not None), default=None),)
        assert self._due is not None
        return self._due[0]

    def _earliest_of(self, consumer_ids: Iterable[str]) -> Millis | None:
        rows, live = self._durable.members, self._live
        awaited = (rows[c] for c in consumer_ids if c in rows and live.is_awaited(c))
        return min(map(live.deadline, awaited), default=None)

    def _earliest_after(self, after: Self) -> Earliest | None:
        before, live, rows = self._live, after._live, after._durable.members
        same = (before.floor, before.round and before.round.started_at, before.suspects)
        is_same = same == (live.floor, live.round and live.round.started_at, live.suspects)
        if self._earliest is None or len(rows) <= EXACT_MAX or not is_same:
            return None
        ids: set[str] = set()
        for entries in (live.beats, live.joins, rows):
            if entries is self._durable.members:
                continue
            if not isinstance(entries, SharedDict) or entries.touched is None:
                return None
            ids |= entries.touched
        ends = (*self._earliest, after._earliest_of(ids))
        return (min((end for end in ends if end is not None), default=None),)

    def resume(self, tickets: Iterable[Ticket]) -> tuple[Answer, ...]:
        """After a reload: whose ticket is not held any more asks again, and is served by then."""
        held = set(self._live.tickets())
        lost = DraftJoined(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return tuple(Answer(ticket, lost) for ticket in tickets if ticket not in held)

    def rearm(self, now: Millis, missed: Millis = 0) -> Self:
        """The same group, with every timer set forward by what was missed."""
        return type(self)(self._durable, recovery.rearmed(self._live, now, missed), self.rules)

    def let_go(self, code: ErrorCode) -> tuple[Answer, ...]:
        """Answers for every held join when the node loses the group."""
        return tuple(
            Answer(held.ticket, DraftJoined(error=code, consumer_id=held.row.member_id))
            for held in self._live.held()
            if held.ticket is not None
        )

    def face(self) -> HeartbeatView:
        """Steady: heartbeats of the generation are good. Else each is an event: it may tell its
        consumer of the rebalance, or call it off."""
        group, live = self._durable.group, self._live
        if group.state != STABLE:
            return NOBODY
        return HeartbeatView(group.generation, ErrorCode.NONE, live.beats, {})

    def sessions(self, now: Millis) -> Iterator[Session]:
        """Each consumer's session; a held join is a sign of life."""
        live = self._live
        for consumer_id, row in self._durable.members.items():
            timeout_ms = row.session_timeout_ms
            heard = now if consumer_id in live.joins else live.deadline(row) - timeout_ms
            yield Session(consumer_id, heard, timeout_ms)
