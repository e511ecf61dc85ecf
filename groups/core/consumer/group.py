"""The consumer group: the ``Group`` protocol over the rules in this folder.

It maps events to rules, and gives others access to a group's state. No request is ever parked: each
heartbeat, and each join of a classic member, is answered in its own step.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Final, Self

from groups.core import other_kinds
from groups.core.assignors.types import Racks
from groups.core.consumer import (
    awaited,
    classic_heartbeats,
    classic_members,
    client_assignment,
    client_rounds,
    heartbeat,
    leave,
    offsets,
    operator,
    patterns,
    rebalance,
    recovery,
    timers,
    waiting,
)
from groups.core.consumer.index import Index, Topic
from groups.core.consumer.member import Member
from groups.core.consumer.sessions import Sessions
from groups.core.consumer.states import EMPTY
from groups.core.consumer.work import KIND, VACATED, Live, Work
from groups.core.earlier import Earlier
from groups.core.errors import ErrorCode
from groups.core.events import (
    ConsumerHeartbeat,
    Event,
    InstallAssignment,
    JoinGroup,
    LeaveGroup,
    OffsetCommit,
    PrepareAssignment,
    SyncGroup,
    TargetComputed,
    Tick,
    Ticket,
    TopicsMatched,
)
from groups.core.explanation import Episode
from groups.core.group import (
    NOBODY,
    Answer,
    Beat,
    Decision,
    HeartbeatView,
    Millis,
    Rules,
    Session,
    session_of,
)
from groups.core.replies import ConsumerBeaten
from groups.core.rows import Durable
from groups.core.signs_of_life import ClassicHeartbeat, Sign
from groups.core.step import ABSENT, GroupValue, Handlers, absent_row, check_step, decide, stands
from groups.core.values import replaced
from groups.core.waiting import Waiting

HANDLERS: Final[Handlers[Work]] = {
    **other_kinds.HANDLERS,
    Tick: timers.tick,
    ConsumerHeartbeat: heartbeat.heartbeat,
    **operator.HANDLERS,
    **offsets.HANDLERS,
    TargetComputed: leave.target_computed,
    LeaveGroup: leave.leave_group,
    JoinGroup: classic_members.join_group,
    SyncGroup: classic_members.sync_group,
    TopicsMatched: patterns.topics_matched,
    PrepareAssignment: client_assignment.prepare,
    InstallAssignment: client_assignment.install,
}


def check_change(_before: Durable, after: Durable) -> None:
    """The invariants of rows that a step has changed. ``Index`` asserts that no partition has two
    holders."""
    group = after.group
    if ABSENT in group.details:
        return
    assert group.details["target_epoch"] <= group.generation, "a target of the future"
    waits = group.details.get("put_off") is not None
    assert not waits or group.details["target_epoch"] < group.generation, "nothing to put off"
    assert (group.state == EMPTY) is (not after.members), "the state is not the members'"


class ConsumerGroup(GroupValue[Live]):
    """A group of the consumer protocol (KIP-848) at one time."""

    __slots__ = ("_index", "members")

    def __init__(
        self,
        durable: Durable,
        members: Mapping[str, Member],
        index: Index,
        live: Live,
        rules: Rules,
    ) -> None:
        super().__init__(durable, live, rules)
        self.members = members
        self._index = index

    @property
    def idle(self) -> bool:
        """True: nothing is ever parked."""
        return True

    @property
    def has_classic_members(self) -> bool:
        """Whether any member speaks the classic protocol (migration)."""
        return bool(self._index.classic)

    @property
    def topic_names(self) -> frozenset[str]:
        """Every name that a member subscribes to, existing or not; the same object until they
        change."""
        return self._index.topic_names

    def is_settled(self, member_id: str, epoch: int) -> bool:
        """Whether the member has its full assignment of this epoch, and its heartbeat is not
        needed: the group is in that epoch too, or gets its next target without it. Then its next
        heartbeat would be answered without news."""
        member, row, schedule = (
            self.members.get(member_id),
            self._durable.group,
            self._live.schedule,
        )
        now = self._live.client_round
        comes = (
            schedule.is_wanted or bool(schedule.requested_epoch) or client_rounds.is_open(now, row)
        )
        newest = row.details.get("target_epoch") if comes else row.generation
        if member is None or client_rounds.waits_for(now, row, member):
            return False
        return epoch == newest and member.is_settled(epoch)

    def expects_first(self, member_id: str) -> bool:
        """Whether the member has no partition, and its next heartbeat would bring none: its target
        is to come, or others still hold all of it."""
        member, now, row = self.members.get(member_id), self._live.client_round, self._durable.group
        if member is None or member.holds or client_rounds.waits_for(now, row, member):
            return False
        if not member.target:
            return self.is_settled(member_id, member.epoch)
        return all(part in self._index.holders for part in member.target)

    def is_calm(self, heartbeat: ConsumerHeartbeat) -> bool:
        """Whether a heartbeat that reports nothing would be answered without news and with the
        usual interval, and change nothing, as long as this value is the committed one and the
        catalogue does not change. False for groups with patterns."""
        member_id, epoch, now = heartbeat.member_id, heartbeat.member_epoch, self._live
        member, row = self.members.get(member_id), self._durable.group
        if member is None or self._index.regexes or VACATED in row.details:
            return False
        is_coming = (
            now.schedule.is_wanted or now.schedule.requested_epoch or now.client_round.elected
        )
        client = (heartbeat.client_id, heartbeat.client_host)
        return (
            not is_coming
            and client == (member.row.client_id, member.row.client_host)
            and self.is_settled(member_id, epoch)
            and row.details.get("target_epoch") == row.generation
        )

    @property
    def target_at(self) -> Millis | None:
        """When the current target was computed, by the node's ``clock``; None: not known here."""
        return self._live.schedule.last_at

    @property
    def breadth(self) -> int:
        """The number of members and partitions that a step may have to process."""
        return len(self.members) + sum(count for _, count in self._index.catalogue.values())

    @property
    def patterns(self) -> frozenset[str]:
        """Every regular expression that a member subscribes to."""
        return frozenset(self._index.regexes)

    def pattern_of(self, member_id: str) -> str:
        """The regular expression that a member subscribes to; "" if it has none."""
        member = self.members.get(member_id)
        return "" if member is None else member.regex

    @property
    def matches(self) -> Mapping[str, tuple[str, ...]]:
        """The names that patterns were last found to match, by pattern."""
        return self._index.matches

    @property
    def topics(self) -> Mapping[str, Topic]:
        """The subscribed topics that exist, by name, as the group last used them."""
        return self._index.catalogue

    @property
    def racks(self) -> Racks:
        """The racks of their partitions, by topic id, as last reported."""
        return self._live.racks

    @classmethod
    def absent(cls, group_id: str, rules: Rules, now: Millis) -> Self:
        nobody = Durable(absent_row(group_id, KIND, rules), MappingProxyType({}))
        return cls(nobody, {}, Index(), Live(now), rules)

    @classmethod
    def merge(
        cls,
        durable: Durable,
        live: Live | None,
        rules: Rules,
        now: Millis,
        earlier: Earlier | None = None,
    ) -> Self:
        members = {member_id: Member.load(row) for member_id, row in durable.members.items()}
        index = Index.of(members.values(), durable.group.details)
        before = live or recovery.taken_over(members, index, rules, now, earlier)
        after = recovery.kept(durable.group, members, index, before, now, earlier)
        return cls(durable, members, index, after, rules)

    def step(self, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
        row = self._durable.group
        work = Work(row, self.members, self._index, self._live, self.rules, now, rng)
        for event in events:
            if decide(work, event, HANDLERS) and work.exists and not work.is_quiet:
                rebalance.settle(work)
        if not work.is_quiet:
            classic_heartbeats.renew(work)
        group = self._after(work, any(isinstance(event, Tick) for event in events))
        check_step(self._durable, group.durable, work.answers, check_change)
        return work.decision(group)

    def judge(self, commit: OffsetCommit, now: Millis) -> ErrorCode | None:
        """The code that a step would answer to a commit, which is no sign of life here; None: it
        has to be stepped, since the group does not exist, was vacated, or may become a classic one
        (``groups.core.conversion``)."""
        details = self._durable.group.details
        if ABSENT in details or VACATED in details or self._index.classic:
            return None
        return offsets.verdict(self.members, self._index, commit)

    def _after(self, work: Work, ticked: bool) -> "ConsumerGroup":
        """The group after the step: self if nothing changed, so that ``due`` stays known."""
        before = self._durable
        if work.is_quiet and work.row is before.group and not ticked:
            return self
        row, rows, members = work.saved(before.group, before.members)
        durable = before
        if row is not before.group or rows is not before.members:
            durable = Durable(row, rows, 0 if work.deleted else before.revision)
        return type(self)(durable, members, work.index, work.live, self.rules)

    def due(self, now: Millis) -> Millis | None:
        """The end of the next session or rebalance timer, or of a rebalance's wait; None: never.

        Computed in O(members), and again after it has passed, since heartbeats move it.
        """
        if not stands(self._due, now):
            due = timers.due(self._durable, self.members, self._index, self._live, self.rules, now)
            self._due = (due,)
        assert self._due is not None
        return self._due[0]

    def resume(self, tickets: Iterable[Ticket]) -> tuple[Answer, ...]:
        """Nothing is ever parked, so waiting requests were lost with their batch."""
        lost = ConsumerBeaten(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return tuple(Answer(ticket, lost) for ticket in tickets)

    def rearm(self, now: Millis, missed: Millis = 0) -> Self:
        live = recovery.rearmed(self._live, self.rules, now, missed)
        return type(self)(self._durable, self.members, self._index, live, self.rules)

    def let_go(self, code: ErrorCode) -> tuple[Answer, ...]:
        """Nothing: no request is parked."""
        return ()

    def with_revision(self, revision: int) -> Self:
        durable = replaced(self._durable, revision=revision)
        after = type(self)(durable, self.members, self._index, self._live, self.rules)
        after._due = self._due
        return after

    def with_rules(self, rules: Rules) -> Self:
        return type(self)(self._durable, self.members, self._index, self._live, rules)

    def heartbeat_view(self) -> HeartbeatView:
        """Classic members are answered from here, and a client whose instance id belongs to another
        member gets the error."""
        if not self._index.classic and not self._index.instances:
            return NOBODY
        row = self._durable.group
        return classic_heartbeats.heartbeat_view(row, self.members, self._index, self._live)

    def beat_of(self, sign: Sign) -> Beat | None:
        """The beat of the protocol's own heartbeat, and of requests of classic members. Commits are
        no sign of life here."""
        if not isinstance(sign, ConsumerHeartbeat | ClassicHeartbeat | JoinGroup | SyncGroup):
            return None
        member = self.members.get(sign.member_id)
        if member is None:
            return None
        holder = None if sign.instance_id is None else self._index.instances.get(sign.instance_id)
        if isinstance(sign, ConsumerHeartbeat):
            is_right = heartbeat.is_sign_of_life(member, holder, sign)
        else:
            is_right = classic_heartbeats.is_sign_of_life(member, holder, sign)
        return self._live.beats[sign.member_id] if is_right else None

    def waiting(self, now: Millis) -> Waiting | None:
        return waiting.waiting(
            self._durable, self.members, self._index, self._live, self.rules, now
        )

    def left_off(self, now: Millis) -> Episode | None:
        """The rebalance that a change of kind interrupts; None: there is none."""
        return awaited.left_off(self._live, self.members, self._index, now)

    def sessions(self, now: Millis) -> Iterator[Session]:
        sessions, members = Sessions(self._live, self._index, self.rules), self.members
        for member_id in self._live.beats:
            timeout_ms, heard = (
                sessions.timeout_ms(members[member_id]),
                sessions.heard_at(member_id),
            )
            yield session_of(member_id, self._live.beats[member_id], heard, timeout_ms)

    def waits(self) -> Mapping[str, Millis]:
        """Since when members have had to do something."""
        return recovery.waits(self.members, self._live)
