"""The consumer group: the ``Group`` protocol over the rules in this folder.

It dispatches events, catches refusals, and hands out what others may know of a group. No request
is ever parked: each heartbeat is answered in its own step.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Any, Final, Self

from groups.core.consumer import heartbeat, leaving, offsets
from groups.core.consumer.member import UNREVOKED, Member
from groups.core.consumer.work import EMPTY, Live, Timer, Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import (
    ConsumerHeartbeat,
    DeleteGroup,
    Event,
    EvictMember,
    ForceRebalance,
    JoinGroup,
    LeaveGroup,
    OffsetCommit,
    OffsetDelete,
    SyncGroup,
    Tick,
    Ticket,
)
from groups.core.group import NOBODY, Answer, Beat, Decision, Face, JournalEntry, Millis, Rules
from groups.core.replies import (
    Committed,
    ConsumerBeaten,
    Deleted,
    Joined,
    Left,
    OffsetsDeleted,
    Reply,
    Synced,
)
from groups.core.rows import Durable, GroupRow

KIND = "consumer"


def _not_a_classic_group(_work: Work, event: JoinGroup) -> None:
    raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def _not_a_classic_member(_work: Work, event: SyncGroup) -> None:
    raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)


HANDLERS: Final[Mapping[type[Event], Callable[[Work, Any], None]]] = {
    Tick: leaving.tick,
    ConsumerHeartbeat: heartbeat.heartbeat,
    OffsetCommit: offsets.commit,
    OffsetDelete: offsets.delete_offsets,
    DeleteGroup: offsets.delete_group,
    ForceRebalance: leaving.force_rebalance,
    EvictMember: leaving.evict_member,
    LeaveGroup: leaving.leave_group,
    JoinGroup: _not_a_classic_group,
    SyncGroup: _not_a_classic_member,
}

REFUSALS: Final[Mapping[type[Event], Callable[[Any, Refuse], Reply]]] = {
    ConsumerHeartbeat: lambda event, no: ConsumerBeaten(error=no.code, detail=no.detail),
    OffsetCommit: lambda event, no: Committed(no.code),
    OffsetDelete: lambda event, no: OffsetsDeleted(no.code),
    DeleteGroup: lambda event, no: Deleted(no.code),
    LeaveGroup: lambda event, no: Left(no.code),
    JoinGroup: lambda event, no: Joined(error=no.code),
    SyncGroup: lambda event, no: Synced(error=no.code),
}
"""The shape of each event's answer when a rule says no."""


class ConsumerGroup:
    """A group of the consumer protocol (KIP-848), at one instant."""

    __slots__ = ("_durable", "_live", "_names", "members", "rules")

    def __init__(
        self, durable: Durable, members: Mapping[str, Member], live: Live, rules: Rules
    ) -> None:
        self.rules = rules
        self.members = members
        self._durable = durable
        self._live = live
        self._names: frozenset[str] | None = None

    @property
    def durable(self) -> Durable:
        """What the rows hold once this value is committed."""
        return self._durable

    @property
    def live(self) -> Live:
        """Beats and timers."""
        return self._live

    @property
    def idle(self) -> bool:
        """Nothing is ever parked."""
        return True

    @property
    def topic_names(self) -> frozenset[str]:
        """Every name that a member subscribes to, existing or not."""
        if self._names is None:
            self._names = frozenset(n for m in self.members.values() for n in m.topics)
        return self._names

    @classmethod
    def absent(cls, group_id: str, rules: Rules, now: Millis) -> Self:
        """The group of an id that has no row."""
        nobody = Durable(GroupRow(group_id, KIND, EMPTY), MappingProxyType({}))
        return cls(nobody, {}, Live(now), rules)

    @classmethod
    def merge(cls, durable: Durable, live: Live | None, rules: Rules, now: Millis) -> Self:
        """Rows and what was live; after a takeover every session and timer starts in full."""
        members = {member_id: Member.load(row) for member_id, row in durable.members.items()}
        before = live or Live(now)
        beats = {member_id: before.beats.get(member_id, Beat(now)) for member_id in members}
        timers = {
            member_id: before.timers.get(member_id) or _timer(member, now)
            for member_id, member in members.items()
            if member.state == UNREVOKED
        }
        return cls(durable, members, Live(before.floor, beats, timers), rules)

    def step(self, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
        """Decide the events in order; self stays as it is."""
        work = Work(self._durable.group, self.members, self._live, self.rules, now, rng)
        for event in events:
            _decide(work, event)
        if work.exists and not work.deleted:
            work.settle(self._durable.group)
        if work.exists and not self._durable.exists:
            work.journal.insert(0, JournalEntry("group-created"))
        if work.deleted:
            work.journal.append(JournalEntry("group-deleted"))
        return Decision(
            group=self._after(work),
            answers=tuple(work.answers),
            journal=tuple(work.journal),
            offsets=tuple(work.offsets.values()),
            offset_deletes=tuple(work.offset_deletes),
            operations=tuple(work.operations),
            deleted=work.deleted,
        )

    def _after(self, work: Work) -> "ConsumerGroup":
        before = self._durable
        if work.row == before.group and not work.members_changed:
            return type(self)(before, self.members, work.live, self.rules)
        members = {
            member_id: self.members.get(member_id, member) if self._same(member) else member
            for member_id, member in work.members.items()
        }
        rows = {member_id: member.row for member_id, member in members.items()}
        return type(self)(Durable(work.row, rows, before.revision), members, work.live, self.rules)

    def _same(self, member: Member) -> bool:
        """Whether a member came out of the step as it went in: its row is then not written."""
        return self.members.get(member.row.member_id) == member

    def due(self, now: Millis) -> Millis | None:
        """The end of the next session or rebalance timer. O(members)."""
        floor, session = self._live.floor, self.rules.group_consumer_session_timeout_ms
        ends = [max(beat.at, floor) + session for beat in self._live.beats.values()]
        ends += [timer.deadline for timer in self._live.timers.values()]
        return min(ends, default=None)

    def resume(self, tickets: Iterable[Ticket]) -> tuple[Answer, ...]:
        """Nothing is ever parked, so whatever waited was lost with its batch."""
        lost = ConsumerBeaten(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return tuple(Answer(ticket, lost) for ticket in tickets)

    def rearm(self, now: Millis) -> Self:
        """Every session and timer starts anew."""
        timers = {
            member_id: replace(timer, deadline=now + timer.timeout_ms)
            for member_id, timer in self._live.timers.items()
        }
        live = Live(now, self._live.beats, timers)
        return type(self)(self._durable, self.members, live, self.rules)

    def let_go(self, code: ErrorCode) -> tuple[Answer, ...]:
        """Nothing is parked."""
        return ()

    def with_revision(self, revision: int) -> Self:
        """The same group after its rows were written."""
        durable = replace(self._durable, revision=revision)
        return type(self)(durable, self.members, self._live, self.rules)

    def face(self) -> Face:
        """A classic heartbeat has nobody to find here."""
        return NOBODY


def _timer(member: Member, now: Millis) -> Timer:
    timeout = member.row.rebalance_timeout_ms
    return Timer(now + timeout, timeout, member.epoch)


def _decide(work: Work, event: Event) -> None:
    """One event; a refusal is answered and leaves everything as it was."""
    handler = HANDLERS.get(type(event))
    assert handler is not None, f"no rule for {type(event).__name__}"
    try:
        handler(work, event)
    except Refuse as refusal:
        work.answer(event.ticket, REFUSALS[type(event)](event, refusal))
