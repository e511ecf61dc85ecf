"""The draft group: the ``Group`` protocol over the rules in this folder.

It dispatches events, catches refusals, and hands out what others may know of a group. It holds no
rule itself.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Any, Final, Self

from groups.core import strangers
from groups.core.draft import (
    heartbeat,
    holding,
    invariants,
    join,
    leaving,
    offsets,
    recovery,
    topics,
)
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
    InstallAssignment,
    JoinGroup,
    LeaveGroup,
    OffsetCommit,
    OffsetDelete,
    PrepareAssignment,
    RegisterConsumer,
    RestoreOffsets,
    SyncGroup,
    Tick,
    Ticket,
    TopicsChanged,
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
    Registered,
    Reply,
    Synced,
)
from groups.core.rows import Durable, MemberRow


def _another_protocol(work: Work, event: JoinGroup) -> None:
    raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "the group is one of the 0.9 draft")


def _not_a_consumer_group(work: Work, event: ConsumerHeartbeat) -> None:
    raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "the group is one of the 0.9 draft")


def _no_sync_phase(work: Work, event: SyncGroup) -> None:
    raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)


HANDLERS: Final[Mapping[type[Event], Callable[[Work, Any], None]]] = {
    Tick: heartbeat.tick,
    DraftJoin: join.join_group,
    DraftHeartbeat: heartbeat.heartbeat,
    LeaveGroup: leaving.leave_group,
    TopicsChanged: topics.topics_changed,
    RegisterConsumer: strangers.register_consumer,
    AcknowledgeCommand: strangers.acknowledge_command,
    DraftCommit: offsets.commit,
    OffsetCommit: offsets.commit,
    TxnOffsetCommit: offsets.commit_in_transaction,
    OffsetDelete: offsets.delete_offsets,
    DeleteGroup: offsets.delete_group,
    ForceRebalance: leaving.force_rebalance,
    EvictMember: leaving.evict_member,
    ExpireOffsets: offsets.expire,
    RestoreOffsets: offsets.restore,
    JoinGroup: _another_protocol,
    SyncGroup: _no_sync_phase,
    ConsumerHeartbeat: _not_a_consumer_group,
    PrepareAssignment: strangers.assigns_nothing,
    InstallAssignment: strangers.assigns_nothing,
}

REFUSALS: Final[Mapping[type[Event], Callable[[Any, Refuse], Reply]]] = {
    DraftJoin: lambda event, no: DraftJoined(error=no.code, consumer_id=event.consumer_id),
    DraftHeartbeat: lambda event, no: DraftBeaten(no.code),
    RegisterConsumer: lambda event, no: Registered(no.code, no.detail, event.consumer_id),
    AcknowledgeCommand: lambda event, no: Acknowledged(no.code, no.detail),
    LeaveGroup: lambda event, no: Left(no.code),
    DraftCommit: lambda event, no: Committed(no.code),
    OffsetCommit: lambda event, no: Committed(_today(no.code)),
    TxnOffsetCommit: lambda event, no: Committed(_today(no.code)),
    OffsetDelete: lambda event, no: OffsetsDeleted(no.code),
    DeleteGroup: lambda event, no: Deleted(no.code),
    JoinGroup: lambda event, no: Joined(error=no.code, member_id=event.member_id),
    SyncGroup: lambda event, no: Synced(error=no.code),
    ConsumerHeartbeat: lambda event, no: ConsumerBeaten(error=no.code, detail=no.detail),
    PrepareAssignment: lambda event, no: Prepared(error=no.code, detail=no.detail),
    InstallAssignment: lambda event, no: Installed(error=no.code, detail=no.detail),
}
"""The shape of each event's answer when a rule says no."""


def _today(code: ErrorCode) -> ErrorCode:
    """For who commits to a draft group over the Kafka port: a code that Kafka has."""
    if code is ErrorCode.COMMITTING_PARTITIONS_NOT_ASSIGNED:
        return ErrorCode.INVALID_REQUEST
    return code


class DraftGroup:
    """A group of the 0.9 draft, at one instant."""

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
        """Held joins, suspects, the round, beats."""
        return self._live

    @property
    def idle(self) -> bool:
        """Whether the group has no row and nothing waits."""
        return ABSENT in self._durable.group.details and not self._live.newcomers

    @property
    def counts(self) -> Mapping[str, int]:
        """Partitions of the topics that it subscribes to, as it last heard: what to tell it of."""
        return self._live.counts

    @classmethod
    def absent(cls, group_id: str, rules: Rules, now: Millis) -> Self:
        """The group of an id that has no row."""
        return cls(Durable(absent_row(group_id), MappingProxyType({})), Live(floor=now), rules)

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
            _decide(work, event)
        if work.exists and not self._durable.exists:
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
            hung_up=tuple(work.hung_up),
            deleted=work.deleted,
        )

    def _after(self, work: Work, ticked: bool) -> "DraftGroup":
        """The group afterwards: self where nothing changed, so that ``due`` stays known."""
        durable, live = work.durable(), work.changed_live
        if durable is self._durable and live is None and not ticked:
            return self
        return type(self)(durable, self._live if live is None else live, self.rules)

    def due(self, now: Millis) -> Millis | None:
        """When the next awaited consumer would count as dead; None: never. O(members), once a
        value; beats move on meanwhile, so a tick may find that everyone was heard of."""
        if self._due is None:
            live = self._live
            if live.recovering:
                return live.floor
            rows = self._durable.members.values()
            ends = [live.deadline(row) for row in rows if live.is_awaited(row.member_id)]
            put_off = holding.due(self._durable, live, self.rules)
            ends += [] if put_off is None else [put_off]
            self._due = (min(ends, default=None),)
        return self._due[0]

    def resume(self, tickets: Iterable[Ticket]) -> tuple[Answer, ...]:
        """After a reload: whose ticket is not held any more asks again, and is served by then."""
        held = set(self._live.tickets())
        lost = DraftJoined(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return tuple(Answer(ticket, lost) for ticket in tickets if ticket not in held)

    def rearm(self, now: Millis) -> Self:
        """The same group with every timer started anew."""
        return type(self)(self._durable, recovery.rearmed(self._live, now), self.rules)

    def let_go(self, code: ErrorCode) -> tuple[Answer, ...]:
        """Answers for every held join when the node loses the group."""
        return tuple(
            Answer(held.ticket, DraftJoined(error=code, consumer_id=held.row.member_id))
            for held in self._live.held()
            if held.ticket is not None
        )

    def with_revision(self, revision: int) -> Self:
        """The same group after its rows were written."""
        durable = replace(self._durable, revision=revision)
        after = type(self)(durable, self._live, self.rules)
        after._due = self._due
        return after

    def with_rules(self, rules: Rules) -> Self:
        """The same group under other rules."""
        return type(self)(self._durable, self._live, rules)

    def face(self) -> Face:
        """Steady: heartbeats of the generation are good. Else each is an event: it may tell its
        consumer of the rebalance, or call it off."""
        group, live = self._durable.group, self._live
        if group.state != STABLE:
            return NOBODY
        return Face(group.generation, ErrorCode.NONE, live.beats, {})

    def sessions(self, now: Millis) -> Iterator[Session]:
        """Each consumer's session; a held join is a sign of life."""
        live = self._live
        for consumer_id, row in self._durable.members.items():
            timeout_ms = row.session_timeout_ms
            heard = now if consumer_id in live.joins else live.deadline(row) - timeout_ms
            yield Session(consumer_id, heard, timeout_ms)

    def roster(self) -> tuple[MemberRow, ...]:
        """The members as DescribeGroups lists them."""
        return tuple(self._durable.members.values())


def _decide(work: Work, event: Event) -> None:
    """One event; a refusal is answered and leaves everything as it was."""
    handler = HANDLERS.get(type(event))
    assert handler is not None, f"no rule for {type(event).__name__}"
    try:
        handler(work, event)
    except Refuse as refusal:
        work.answer(event.ticket, REFUSALS[type(event)](event, refusal))
