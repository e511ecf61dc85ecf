"""The commanded group: the ``Group`` protocol over the rules in this folder.

It maps events to rules, gives others access to a group's state, and has what holds after each step
(``check_change``). It has no rules itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Final, Self

from groups.core import commands, other_kinds
from groups.core.commanded import (
    acknowledging,
    leave,
    offsets,
    operator,
    rebalance,
    recovery,
    registering,
    thread_offers,
    timers,
    topics,
    waiting,
)
from groups.core.commanded.live import Live
from groups.core.commanded.states import EMPTY
from groups.core.commanded.thread_offers import FILTER, THREADS
from groups.core.commanded.work import KIND, MATCHES, TOPICS, Work
from groups.core.earlier import Earlier
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import (
    AcknowledgeCommand,
    ConsumerHeartbeat,
    Event,
    LeaveGroup,
    OffsetCommit,
    OffsetDelete,
    RegisterConsumer,
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
from groups.core.replies import ErrorReply
from groups.core.rows import Durable, MemberRow
from groups.core.signs_of_life import CommandPoll, Sign
from groups.core.step import Handlers, RowsGroup, absent_row, decide
from groups.core.values import may_differ
from groups.core.waiting import Waiting


def _not_a_consumer_group(_work: Work, _event: ConsumerHeartbeat) -> None:
    raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "the coordinator commands the group")


HANDLERS: Final[Handlers[Work]] = {
    **other_kinds.HANDLERS,
    ConsumerHeartbeat: _not_a_consumer_group,
    Tick: timers.tick,
    RegisterConsumer: registering.register,
    AcknowledgeCommand: acknowledging.acknowledge,
    LeaveGroup: leave.leave_group,
    TopicsChanged: topics.topics_changed,
    **operator.HANDLERS,
    **offsets.HANDLERS,
}

OFFSETS_ALONE: Final = (OffsetCommit, TxnOffsetCommit, OffsetDelete)
"""Events that do not advance a rebalance: they only write offsets."""


def check_change(before: Durable, after: Durable) -> None:
    """The invariants of rows that a step has changed."""
    group = after.group
    assert (group.state == EMPTY) == (not after.members), "Empty, and only then nobody"
    if group.generation > before.group.generation:
        check_owners(after.members)
        _check_handed_over(after)
    else:
        for consumer_id in may_differ(before.members, after.members):
            had, row = before.members.get(consumer_id), after.members.get(consumer_id)
            if row is None:
                continue
            gained = had is not row and thread_offers.parts_in(row) - (
                thread_offers.parts_in(had) if had is not None else frozenset()
            )
            assert not gained, "partitions were given outside of a new generation"


def check_owners(members: Mapping[str, MemberRow]) -> None:
    """No partition has two owners."""
    parts = [part for row in members.values() for part in thread_offers.parts_in(row)]
    assert len(parts) == len(set(parts)), "a partition has two owners"


def _check_handed_over(after: Durable) -> None:
    """No consumer may start partitions that another one may still work on."""
    for row in after.members.values():
        assert len(row.commands) <= 1, "started before stop-fetcher was acknowledged"
        assert all(c.option == commands.START for c in row.commands), "started while stopping"


class CommandedGroup(RowsGroup[Live]):
    """A commanded group at one time."""

    __slots__ = ("_wants",)

    def __init__(self, durable: Durable, live: Live, rules: Rules) -> None:
        super().__init__(durable, live, rules)
        self._wants: tuple[frozenset[str], frozenset[str]] | None = None

    @property
    def idle(self) -> bool:
        """Whether the group has no row; it has no other state then."""
        return not self.has_row

    @property
    def breadth(self) -> int:
        """The number of consumers, topics and partitions that a step may have to process."""
        counts = self.counts
        return len(self._durable.members) + len(counts) + sum(counts.values())

    # -- for the node

    @property
    def names(self) -> frozenset[str]:
        """The topics that consumers subscribe to by name."""
        return self._names_and_filters()[0]

    @property
    def filters(self) -> frozenset[str]:
        """The keys of the consumers' filters."""
        return self._names_and_filters()[1]

    @property
    def room(self) -> int:
        """The maximum number of topics that match each filter."""
        rows = self._durable.members.values()
        return thread_offers.room(sum(FILTER in row.details for row in rows))

    @property
    def counts(self) -> Mapping[str, int]:
        """The partition counts of its topics, as last reported to it."""
        found: Mapping[str, int] = self._durable.group.details.get(TOPICS, {})
        return found

    @property
    def matches(self) -> Mapping[str, Sequence[str]]:
        """The topics that match its filters, as last reported to it."""
        found: Mapping[str, Sequence[str]] = self._durable.group.details.get(MATCHES, {})
        return found

    def beat_of(self, sign: Sign) -> Beat | None:
        """The beat of a poll, an acknowledgement, or an offer of a consumer in the group."""
        match sign:
            case CommandPoll():
                consumer_id = sign.member_id
            case AcknowledgeCommand() if acknowledging.was_sent(
                self._durable.group, sign.command_id
            ):
                consumer_id = sign.member_id
            case RegisterConsumer():
                consumer_id = sign.consumer_id
            case _:
                return None
        is_there = commands.receiver(self, consumer_id) is not None
        return self._live.beats[consumer_id] if is_there else None

    def _names_and_filters(self) -> tuple[frozenset[str], frozenset[str]]:
        if self._wants is None:
            details = [row.details for row in self._durable.members.values()]
            names = frozenset(name for each in details for name in each.get(THREADS, ()))
            self._wants = names, frozenset(each[FILTER] for each in details if FILTER in each)
        return self._wants

    # -- the ``Group`` protocol

    @classmethod
    def absent(cls, group_id: str, rules: Rules, now: Millis) -> Self:
        nobody = Durable(absent_row(group_id, KIND, rules), MappingProxyType({}))
        return cls(nobody, Live(), rules)

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
        return cls(durable, recovery.kept(durable, live, now), rules)

    def step(self, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
        """Decide the events in order, then advance the group as far as possible; self is not
        changed."""
        work = Work(self._durable, self._live, self.rules, now, rng)
        for event in events:
            decide(work, event, HANDLERS)
        if not all(isinstance(event, OFFSETS_ALONE) for event in events):
            recovery.recover(work)
            rebalance.advance(work)
        return self._decided(work, events, check_change)

    def _next(self, earliest: Millis | None) -> Millis | None:
        return timers.due(self._durable, self._live, self.rules, earliest)

    def resume(self, tickets: Iterable[Ticket]) -> tuple[Answer, ...]:
        """After a reload: the group holds no ticket, so clients have to ask again."""
        lost = ErrorReply(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return tuple(Answer(ticket, lost) for ticket in tickets)

    def rearm(self, now: Millis, missed: Millis = 0) -> Self:
        return type(self)(self._durable, recovery.rearmed(self._live, now, missed), self.rules)

    def let_go(self, code: ErrorCode) -> tuple[Answer, ...]:
        """A group of this kind parks nothing: polls wait outside of it, on changes of its view."""
        return ()

    def with_revision(self, revision: int) -> Self:
        after = super().with_revision(revision)
        after._wants = self._wants
        return after

    def heartbeat_view(self) -> HeartbeatView:
        """A classic heartbeat is never valid."""
        return NOBODY

    def waiting(self, now: Millis) -> Waiting | None:
        return waiting.waiting(self._durable, self._live, self.rules, now)

    def sessions(self, now: Millis) -> Iterator[Session]:
        live = self._live
        for consumer_id, row in self._durable.members.items():
            timeout_ms = row.session_timeout_ms
            heard = live.deadline(row) - timeout_ms
            yield session_of(consumer_id, live.beats[consumer_id], heard, timeout_ms)

    def waits(self) -> Mapping[str, Millis]:
        """Since when the current attempt waits for acknowledgements."""
        return recovery.waits(self._durable, self._live)
