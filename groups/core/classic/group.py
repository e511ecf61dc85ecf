"""The classic group: the ``Group`` protocol over the rules in this folder.

It dispatches events, catches refusals, and hands out what others may know of
a group. It holds no rule itself.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any, Final, Self

from groups.core import invariants, offsets, strangers
from groups.core.classic import join, leave, recovery, resuming, sync, timers, verbs
from groups.core.classic.live import Live
from groups.core.classic.states import EMPTY, PREPARING
from groups.core.classic.work import Work, absent_row
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
    InstallAssignment,
    JoinGroup,
    LeaveGroup,
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
from groups.core.gathered import ABSENT
from groups.core.group import NOBODY, Answer, Decision, Face, JournalEntry, Millis, Rules, Session
from groups.core.replies import (
    Acknowledged,
    Committed,
    ConsumerBeaten,
    Deleted,
    DraftBeaten,
    DraftJoined,
    Installed,
    Joined,
    Left,
    OffsetsDeleted,
    Prepared,
    Refused,
    Registered,
    Reply,
    Synced,
)
from groups.core.rows import Durable, MemberRow


def _not_a_consumer_group(work: Work, event: ConsumerHeartbeat) -> None:
    """Whether it may become one is asked before (``groups.core.migration``)."""
    raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "the group is not a consumer group")


def _not_asked_any_more(_work: Work, _event: TargetComputed) -> None:
    """The answer to a question of the consumer group that had this id before."""


def _no_patterns(work: Work, event: TopicsMatched) -> None:
    """A result that comes too late: the group was a consumer group when it was asked for."""


HANDLERS: Final[Mapping[type[Event], Callable[[Work, Any], None]]] = {
    Tick: timers.tick,
    JoinGroup: join.join_group,
    SyncGroup: sync.sync_group,
    LeaveGroup: leave.leave_group,
    OffsetCommit: offsets.commit,
    DraftCommit: offsets.commit,
    DraftJoin: strangers.draft_join,
    DraftHeartbeat: strangers.draft_heartbeat,
    TopicsChanged: strangers.topics_changed,
    RegisterConsumer: strangers.register_consumer,
    AcknowledgeCommand: strangers.acknowledge_command,
    TxnOffsetCommit: offsets.commit_in_transaction,
    OffsetDelete: offsets.delete_offsets,
    DeleteGroup: offsets.delete_group,
    ForceRebalance: verbs.force_rebalance,
    EvictMember: verbs.evict_member,
    ExpireOffsets: offsets.expire,
    RestoreOffsets: offsets.restore,
    ConsumerHeartbeat: _not_a_consumer_group,
    PrepareAssignment: strangers.assigns_nothing,
    InstallAssignment: strangers.assigns_nothing,
    TargetComputed: _not_asked_any_more,
    TopicsMatched: _no_patterns,
}

REFUSALS: Final[Mapping[type[Event], Callable[[Any, Refuse], Reply]]] = {
    JoinGroup: lambda event, no: Joined(error=no.code, member_id=event.member_id),
    SyncGroup: lambda event, no: Synced(error=no.code),
    LeaveGroup: lambda event, no: Left(no.code),
    OffsetCommit: lambda event, no: Committed(no.code),
    DraftCommit: lambda event, no: Committed(no.code),
    DraftJoin: lambda event, no: DraftJoined(error=no.code, consumer_id=event.consumer_id),
    DraftHeartbeat: lambda event, no: DraftBeaten(no.code),
    RegisterConsumer: lambda event, no: Registered(no.code, no.detail, event.consumer_id),
    AcknowledgeCommand: lambda event, no: Acknowledged(no.code, no.detail),
    TxnOffsetCommit: lambda event, no: Committed(no.code),
    OffsetDelete: lambda event, no: OffsetsDeleted(no.code),
    DeleteGroup: lambda event, no: Deleted(no.code),
    ConsumerHeartbeat: lambda event, no: ConsumerBeaten(error=no.code, detail=no.detail),
    PrepareAssignment: lambda event, no: Prepared(error=no.code, detail=no.detail),
    InstallAssignment: lambda event, no: Installed(error=no.code, detail=no.detail),
}
"""The shape of each event's answer when a rule says no."""


class ClassicGroup:
    """A group of the classic protocol (KIP-62 and after), at one instant."""

    __slots__ = ("_due", "_durable", "_live", "rules")

    def __init__(self, durable: Durable, live: Live, rules: Rules) -> None:
        self.rules = rules
        self._durable = durable
        self._live = live
        self._due: tuple[Millis | None] | None = None

    @property
    def durable(self) -> Durable:
        """What the rows hold once this value is committed."""
        return self._durable

    @property
    def live(self) -> Live:
        """Parked requests, handed-out ids, timers, beats."""
        return self._live

    @property
    def idle(self) -> bool:
        """Whether the group has no row and nothing waits."""
        live = self._live
        return ABSENT in self._durable.group.details and not live.pending and not live.joins

    @property
    def has_row(self) -> bool:
        """Whether the group has a row, or will have one by the step that gave this value."""
        return ABSENT not in self._durable.group.details

    @classmethod
    def absent(cls, group_id: str, rules: Rules, now: Millis) -> Self:
        """The group of an id that has no row."""
        nobody = Durable(absent_row(group_id), MappingProxyType({}))
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
        resuming.resume(work)
        for event in events:
            _decide(work, event)
        resuming.tidy(work)
        if work.has_row and not self._durable.exists:
            work.journal.insert(0, JournalEntry("group-created"))
        group = self._after(work, any(isinstance(event, Tick) for event in events))
        invariants.check(self._durable, group.durable, work.answers)
        return Decision(
            group=group,
            answers=tuple(work.answers),
            journal=tuple(work.journal),
            offsets=tuple(work.offsets.values()),
            offset_deletes=tuple(work.offset_deletes),
            pending=tuple(work.pending.values()),
            operations=tuple(work.operations),
            deleted=work.deleted,
        )

    def _after(self, work: Work, ticked: bool) -> "ClassicGroup":
        """The group afterwards: self where nothing changed, so that ``due`` stays known."""
        durable, live = work.durable(), work.changed_live
        if durable is self._durable and live is None and not ticked:
            return self
        return type(self)(durable, self._live if live is None else live, self.rules)

    def due(self, now: Millis) -> Millis | None:
        """The next instant at which a ``Tick`` may decide something; None: never.

        Found once per value, in O(members). Beats move on meanwhile, so a tick
        may find that everyone was heard of, and the value it gives knows better.
        """
        if self._due is None:
            self._due = (timers.due(self._durable, self._live, self.rules),)
        return self._due[0]

    def resume(self, tickets: Iterable[Ticket]) -> tuple[Answer, ...]:
        """After a reload: answers for those of the tickets that are not parked any more."""
        parked = set(self._live.tickets())
        elsewhere = Refused(ErrorCode.NOT_COORDINATOR)
        dropped = self._live.dropped
        return tuple(
            Answer(ticket, dropped.get(ticket, elsewhere))
            for ticket in tickets
            if ticket not in parked
        )

    def rearm(self, now: Millis) -> Self:
        """The same group with every timer started anew."""
        return type(self)(self._durable, recovery.rearmed(self._live, now), self.rules)

    def let_go(self, code: ErrorCode) -> tuple[Answer, ...]:
        """Answers for every parked ticket when the node loses the group."""
        joins = (
            Answer(join.ticket, Joined(error=code, member_id=member_id))
            for member_id, join in self._live.joins.items()
            if join.ticket is not None
        )
        syncs = (
            Answer(ticket, Synced(error=code))
            for ticket in self._live.syncs.values()
            if ticket is not None
        )
        return (*joins, *syncs)

    def with_revision(self, revision: int) -> Self:
        """The same group after its rows were written."""
        durable = Durable(self._durable.group, self._durable.members, revision)
        after = type(self)(durable, self._live, self.rules)
        after._due = self._due
        return after

    def with_rules(self, rules: Rules) -> Self:
        """The same group under other rules."""
        return type(self)(self._durable, self._live, rules)

    def face(self) -> Face:
        """What the fast path may answer heartbeats with."""
        group, live = self._durable.group, self._live
        if group.state == EMPTY:
            return NOBODY
        rebalancing = group.state == PREPARING and (
            live.round is not None or "must_rebalance" in group.details
        )
        code = ErrorCode.REBALANCE_IN_PROGRESS if rebalancing else ErrorCode.NONE
        return Face(group.generation, code, live.beats, live.instances)

    def sessions(self, now: Millis) -> Iterator[Session]:
        """Each durable member's session."""
        live = self._live
        for member_id, row in self._durable.members.items():
            waits = member_id in live.joins or member_id in live.syncs
            heard = now if waits else live.heard_of(member_id)
            yield Session(member_id, heard, row.session_timeout_ms)

    def roster(self) -> tuple[MemberRow, ...]:
        """The members as DescribeGroups lists them: newcomers that wait to be let in included."""
        fresh = (join.row for join in self._live.joins.values() if join.is_new)
        return (*self._durable.members.values(), *fresh)


def _decide(work: Work, event: Event) -> None:
    """One event; a refusal is answered and leaves everything as it was."""
    handler = HANDLERS.get(type(event))
    assert handler is not None, f"no rule for {type(event).__name__}"
    try:
        handler(work, event)
    except Refuse as refusal:
        work.answer(event.ticket, REFUSALS[type(event)](event, refusal))
