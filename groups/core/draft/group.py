"""The draft group: the ``Group`` protocol over the rules in this folder.

It maps events to rules, gives others access to a group's state, and has what holds after each step
(``check_change``). It has no rules itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Final, Self

from groups.core import other_kinds, row_packing
from groups.core.draft import (
    heartbeat,
    join,
    leave,
    offsets,
    operator,
    recovery,
    timers,
    topics,
    waiting,
)
from groups.core.draft.live import Live
from groups.core.draft.states import EMPTY, PREPARING, STABLE
from groups.core.draft.work import KIND, OWED, Work
from groups.core.earlier import Earlier
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import (
    ConsumerHeartbeat,
    DraftHeartbeat,
    DraftJoin,
    Event,
    IdsAbandoned,
    LeaveGroup,
    MembersRefused,
    OffsetCommit,
    Tick,
    Ticket,
    TopicsChanged,
    TxnOffsetCommit,
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
from groups.core.replies import REFUSALS, Committed, DraftJoined, Refusals
from groups.core.rows import Durable, MemberRow
from groups.core.signs_of_life import ClassicHeartbeat, Sign
from groups.core.step import Handlers, RowsGroup, absent_row, decide
from groups.core.waiting import Waiting


def _not_a_consumer_group(_work: Work, _event: ConsumerHeartbeat) -> None:
    raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "the group is one of the 0.9 draft")


HANDLERS: Final[Handlers[Work]] = {
    **other_kinds.HANDLERS,
    ConsumerHeartbeat: _not_a_consumer_group,
    Tick: timers.tick,
    DraftJoin: join.join_group,
    DraftHeartbeat: heartbeat.heartbeat,
    LeaveGroup: leave.leave_group,
    IdsAbandoned: leave.ids_abandoned,
    MembersRefused: leave.members_refused,
    TopicsChanged: topics.topics_changed,
    **operator.HANDLERS,
    **offsets.HANDLERS,
}

REFUSED_HERE: Final[Refusals] = {
    **REFUSALS,
    OffsetCommit: lambda event, no: Committed(_today(no.code)),
    TxnOffsetCommit: lambda event, no: Committed(_today(no.code)),
}
"""Codes for commits over the Kafka port in place of the draft's: Kafka has no such codes."""


def _today(code: ErrorCode) -> ErrorCode:
    """Kafka's code for a commit to a draft group over the Kafka port."""
    if code is ErrorCode.COMMITTING_PARTITIONS_NOT_ASSIGNED:
        return ErrorCode.INVALID_REQUEST
    return code


def check_change(before: Durable, after: Durable) -> None:
    """The invariants of rows that a step has changed."""
    group = after.group
    assert group.state in (EMPTY, PREPARING, STABLE), group.state
    assert group.state != EMPTY or not after.members, "an empty group has members"
    if group.generation == before.group.generation:
        added = after.members.keys() - before.members.keys()
        assert not added, "a consumer joined a generation"
        gone = len(before.members) > len(after.members)
        owed = group.state == EMPTY or OWED in group.details
        assert owed or not gone, "a consumer went, and no rebalance is owed"
    else:
        check_owners(after.members)


def check_owners(members: Mapping[str, MemberRow]) -> None:
    """No partition has two owners."""
    parts = [part for row in members.values() for part in row_packing.parts_in(row.assignment)]
    assert len(parts) == len(set(parts)), "a partition has two owners"


class DraftGroup(RowsGroup[Live]):
    """A group of the 0.9 draft at one time."""

    __slots__ = ()

    @property
    def idle(self) -> bool:
        """Whether the group has no row and no live state."""
        return not self.has_row and not self._live.newcomers

    @property
    def breadth(self) -> int:
        """The number of members, new consumers, topics and partitions that a step may have to
        process."""
        live, members = self._live, self._durable.members
        return len(members) + len(live.newcomers) + len(live.counts) + live.partitions

    @property
    def counts(self) -> Mapping[str, int]:
        """Partition counts of the topics that it subscribes to, as last reported to it."""
        return self._live.counts

    @classmethod
    def absent(cls, group_id: str, rules: Rules, now: Millis) -> Self:
        nobody = Durable(absent_row(group_id, KIND, rules), MappingProxyType({}))
        return cls(nobody, Live(floor=now), rules)

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
            return cls(durable, recovery.fresh(durable, now, earlier), rules)
        return cls(durable, recovery.kept(durable, live, now), rules)

    def step(self, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
        work = Work(self._durable, self._live, self.rules, now, rng)
        if self._live.recovering:
            recovery.recover(work)
        for event in events:
            decide(work, event, HANDLERS, REFUSED_HERE)
        return self._decided(work, events, check_change)

    def _next(self, earliest: Millis | None) -> Millis | None:
        return timers.due(self._durable, self._live, self.rules, earliest)

    def resume(self, tickets: Iterable[Ticket]) -> tuple[Answer, ...]:
        """After a reload: clients whose tickets are not held any more have to ask again."""
        held = set(self._live.tickets())
        lost = DraftJoined(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return tuple(Answer(ticket, lost) for ticket in tickets if ticket not in held)

    def rearm(self, now: Millis, missed: Millis = 0) -> Self:
        return type(self)(self._durable, recovery.rearmed(self._live, now, missed), self.rules)

    def let_go(self, code: ErrorCode) -> tuple[Answer, ...]:
        """Answers for every held join when the node loses the group."""
        return tuple(
            Answer(held.ticket, DraftJoined(error=code, consumer_id=held.row.member_id))
            for held in self._live.held()
            if held.ticket is not None
        )

    def heartbeat_view(self) -> HeartbeatView:
        """If the group is steady, heartbeats of the generation are valid. Otherwise each is an
        event: it may tell its consumer of the rebalance, or cancel it."""
        group, live = self._durable.group, self._live
        if group.state != STABLE:
            return NOBODY
        return HeartbeatView(group.generation, ErrorCode.NONE, live.beats, {})

    def beat_of(self, sign: Sign) -> Beat | None:
        """The beat of a join, and of a heartbeat of the generation. A commit is no sign of life.

        During a rebalance a heartbeat that is decided extends nothing, as it tells its consumer of
        the rebalance; one that is refused told it nothing, so its time to join starts again.
        """
        match sign:
            case DraftHeartbeat():
                is_current = sign.generation_id == self._durable.group.generation
                return self._live.beats.get(sign.consumer_id) if is_current else None
            case ClassicHeartbeat():  # answered from the view, in every kind of group
                return self.heartbeat_view().find(*sign)[1]
            case DraftJoin():
                return self._live.beats.get(sign.consumer_id)
        return None

    def waiting(self, now: Millis) -> Waiting | None:
        return waiting.waiting(self._durable, self._live, self.rules, now)

    def sessions(self, now: Millis) -> Iterator[Session]:
        """Each consumer's session; a held join counts as a sign of life."""
        live = self._live
        for consumer_id, row in self._durable.members.items():
            timeout_ms = row.session_timeout_ms
            heard = now if consumer_id in live.joins else live.deadline(row) - timeout_ms
            yield session_of(consumer_id, live.beats[consumer_id], heard, timeout_ms)

    def waits(self) -> Mapping[str, Millis]:
        """Since when its rebalance waits."""
        return recovery.waits(self._durable, self._live)
