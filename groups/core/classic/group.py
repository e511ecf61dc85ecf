"""The classic group: the ``Group`` protocol over the rules in this folder.

It maps events to rules, gives others access to a group's state, and has what holds after each step
(``check_change``). It has no rules itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Final, Self

from groups.core import other_kinds
from groups.core.classic import (
    join,
    join_phase,
    leave,
    offsets,
    operator,
    recovery,
    sync,
    timers,
    waiting,
)
from groups.core.classic.descriptions import described
from groups.core.classic.live import Live
from groups.core.classic.states import COMPLETING, EMPTY, PREPARING, STABLE, UNASSIGNED
from groups.core.classic.work import KIND, Work
from groups.core.earlier import Earlier
from groups.core.errors import ErrorCode
from groups.core.events import (
    DraftCommit,
    Event,
    IdsAbandoned,
    JoinGroup,
    LeaveGroup,
    MembersRefused,
    OffsetCommit,
    SyncGroup,
    Tick,
    Ticket,
)
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
from groups.core.replies import ErrorReply, Joined, Synced
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.core.signs_of_life import ClassicHeartbeat, Sign, beat_in
from groups.core.step import Handlers, RowsGroup, absent_row, decide
from groups.core.values import may_differ
from groups.core.waiting import Waiting

HANDLERS: Final[Handlers[Work]] = {
    **other_kinds.HANDLERS,
    Tick: timers.tick,
    JoinGroup: join.join_group,
    SyncGroup: sync.sync_group,
    LeaveGroup: leave.leave_group,
    MembersRefused: leave.members_refused,
    **operator.HANDLERS,
    **offsets.HANDLERS,
    IdsAbandoned: leave.ids_abandoned,
}

_SETTLED = (COMPLETING, STABLE)


def check_change(before: Durable, after: Durable) -> None:
    """The invariants of rows that a step has changed."""
    check_row(after.group, after.members)
    if after.group.generation == before.group.generation and after.members is not before.members:
        _check_same_generation(before, after)


def check_row(group: GroupRow, members: Mapping[str, MemberRow]) -> None:
    """The group's row agrees with its members."""
    assert group.state in (EMPTY, PREPARING, COMPLETING, STABLE), group.state
    assert group.leader is None or group.leader in members, "the leader is no member"
    if group.state in _SETTLED:
        assert members, f"{group.state} without members"
        assert group.protocol_name is not None, f"{group.state} without a protocol"
        # A rebalance may be put off in Stable, and its leader may be the removed member.
        owes = "must_rebalance" in group.details
        assert group.state == STABLE or not owes, "a rebalance is owed while one goes on"
        assert owes or group.leader is not None, f"{group.state} without a leader"
    if group.state == EMPTY:
        assert not members, "an empty group has members"


def _check_same_generation(before: Durable, after: Durable) -> None:
    """Within a generation members are removed, or replaced by instance id; none is added."""
    was, now = before.members, after.members
    added = [m for m in may_differ(was, now) if m in now and m not in was]
    if added:
        instances = {row.instance_id for row in was.values() if row.instance_id}
        assert all(now[m].instance_id in instances for m in added), "a member joined a generation"
    removed = len(before.members) - len(after.members)
    if removed > 0:
        assert "must_rebalance" in after.group.details, "a member went, and no rebalance is owed"


class ClassicGroup(RowsGroup[Live]):
    """A group of the classic protocol (KIP-62 and later) at one time."""

    __slots__ = ()

    @property
    def idle(self) -> bool:
        """Whether the group has no row and no live state."""
        live = self._live
        return not self.has_row and not live.pending and not live.joins

    @property
    def breadth(self) -> int:
        """The number of members and parked joins that a step may have to process."""
        return len(self._durable.members) + len(self._live.joins)

    @classmethod
    def absent(cls, group_id: str, rules: Rules, now: Millis) -> Self:
        nobody = Durable(absent_row(group_id, KIND, rules), MappingProxyType({}))
        return cls(nobody, Live(floor=now, generation=nobody.group.generation), rules)

    @classmethod
    def merge(
        cls,
        durable: Durable,
        live: Live | None,
        rules: Rules,
        now: Millis,
        earlier: Earlier | None = None,
    ) -> Self:
        durable = durable.in_order()
        if live is None:
            return cls(durable, recovery.fresh(durable, now, rules, earlier), rules)
        return cls(durable, recovery.kept(durable, live, now, rules), rules)

    def step(self, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
        work = Work(self._durable, self._live, self.rules, now, rng)
        if self._live.recovering:
            recovery.recover(work)
        join_phase.resume(work)
        for event in events:
            decide(work, event, HANDLERS)
        join_phase.tidy(work)
        return self._decided(work, events, check_change)

    def judge(self, commit: OffsetCommit, now: Millis) -> ErrorCode | None:
        return offsets.judge(self._durable, self._live, commit, now)

    def _ids(self) -> Iterable[str]:
        return self._live.ids(self._durable)

    def _next(self, earliest: Millis | None) -> Millis | None:
        return self._live.due(self._durable, self.rules, earliest)

    def resume(self, tickets: Iterable[Ticket]) -> tuple[Answer, ...]:
        """After a reload: answers for those of the tickets that are not parked any more."""
        parked = set(self._live.tickets())
        elsewhere = ErrorReply(ErrorCode.NOT_COORDINATOR)
        dropped = self._live.dropped
        return tuple(
            Answer(ticket, dropped.get(ticket, elsewhere))
            for ticket in tickets
            if ticket not in parked
        )

    def rearm(self, now: Millis, missed: Millis = 0) -> Self:
        return type(self)(self._durable, recovery.rearmed(self._live, now, missed), self.rules)

    def let_go(self, code: ErrorCode) -> tuple[Answer, ...]:
        """Answers for every parked ticket when the node loses the group."""
        joins = (
            Answer(join.ticket, Joined(error=code, member_id=member_id))
            for member_id, join in self._live.joins.items()
            if join.ticket is not None
        )
        syncs = (
            Answer(held.ticket, Synced(error=code))
            for held in self._live.syncs.values()
            if held.ticket is not None
        )
        return (*joins, *syncs)

    def heartbeat_view(self) -> HeartbeatView:
        """What the fast path may answer heartbeats with."""
        group, live = self._durable.group, self._live
        if group.state == EMPTY and not live.joins:  # new members of a frozen group wait in Empty
            return NOBODY
        rebalancing = group.state == PREPARING and (
            live.join_phase is not None or "must_rebalance" in group.details
        )
        code = ErrorCode.REBALANCE_IN_PROGRESS if rebalancing else ErrorCode.NONE
        return HeartbeatView(group.generation, code, live.beats, live.instances)

    def beat_of(self, sign: Sign) -> Beat | None:
        """The beat of a heartbeat, a join, a sync or a commit (HB-05)."""
        match sign:
            case DraftCommit():
                return None
            case SyncGroup() if self._durable.group.state == PREPARING:
                return None  # the reply tells it to join
            case ClassicHeartbeat() | SyncGroup() | OffsetCommit():
                generation_id: int | None = sign.generation_id
            case JoinGroup():
                generation_id = None
            case _:
                return None
        return beat_in(self.heartbeat_view(), sign.member_id, sign.instance_id, generation_id)

    def waiting(self, now: Millis) -> Waiting | None:
        return waiting.waiting(self._durable, self._live, self.rules, now)

    def sessions(self, now: Millis) -> Iterator[Session]:
        live = self._live
        for member_id, row in self._durable.members.items():
            waits = member_id in live.joins or member_id in live.syncs
            heard = now if waits else live.heard_of(member_id)
            yield session_of(member_id, live.beats[member_id], heard, row.session_timeout_ms)

    def waits(self) -> Mapping[str, Millis]:
        """Since when its phases wait."""
        return recovery.waits(self._durable, self._live)

    def roster(self) -> tuple[MemberRow, ...]:
        """The members as DescribeGroups lists them, including new members with parked joins."""
        fresh = (join.row for join in self._live.joins.values() if join.is_new)
        if self._durable.group.details.get(UNASSIGNED):
            return (*self.assigned(), *fresh)
        return (*map(described, self._durable.members.values()), *fresh)

    def assigned(self) -> Iterable[MemberRow]:
        """The members of the generation with their assignments: empty ones if there was a
        generation without an assignment since. Their rows still contain the old ones, to count what
        moves."""
        rows = self._durable.members.values()
        if self._durable.group.details.get(UNASSIGNED):
            return [replace(row, assignment=b"") for row in rows]
        return rows
