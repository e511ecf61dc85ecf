"""The life cycle of a member in every protocol: subscribe, call the application, leave, be fenced,
be refused.

This module has the rules that all protocols share. Requests, their times and the handling of good
responses are in the protocol's own machine (``classic``, ``consumer``, ``draft``, ``commanded``),
its transitions in its table. No protocol is known here, and no I/O.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from random import Random
from typing import Any, Final, Generic, NamedTuple, TypeVar
from uuid import UUID

from rollcall.client.core.backoff import Backoff
from rollcall.client.core.codes import Verdict
from rollcall.client.core.events import (
    Change,
    Effect,
    Event,
    Fail,
    Gone,
    Handled,
    HandOut,
    Identity,
    Kind,
    LookUp,
    Millis,
    Partitions,
    Rediscover,
    Reply,
    Standing,
    Subscribe,
    Subscription,
    Tick,
    TopicPartition,
    Topics,
    Unanswered,
    Unsubscribe,
    WorkedOut,
)
from rollcall.client.core.requests import PendingRequests
from rollcall.wire.declare import Message

LEAVE_TIMEOUT_MS: Final[Millis] = 5_000
"""A leave is sent once; if it is lost, the session ends a little later."""

S = TypeVar("S", bound=Enum)
I = TypeVar("I", bound=Enum)  # noqa: E741 - as the tables call them
P = TypeVar("P")


class Table(NamedTuple, Generic[S, I]):
    """A protocol's states and transitions, from its ``*_states`` file, and its steps.

    States that every member has have the same names in all tables; here they are looked up by
    these.
    """

    states: type[S]
    inputs: type[I]
    moves: Mapping[S, Mapping[I, S]]
    steps: Mapping[S, Callable[[Any], bool]]
    """The step of a state when the application has returned from the last call, which returns
    whether there is more to do; functions of the machine."""


class MemberMachine(ABC, Generic[S, I, P]):
    """Pass events to ``take``, process its outputs, return when it is ``due``.

    The order is the same for all: the event is processed; then deadlines are checked; then the
    application is called, one call at a time and losses first; then, if no request is pending, one
    is sent. During a leave, any response or none ends it.

    ``P`` is the protocol's type of a partition. A protocol implements the abstract methods; where
    it adds to a common rule, it overrides it and calls ``super()``.
    """

    def __init__(
        self,
        table: Table[S, I],
        identity: Identity,
        standing: Standing,
        owned: dict[P, HandOut],
        revoking: dict[P, HandOut],
        rng: Random,
    ) -> None:
        self._table = table
        self.identity = identity
        self.state = table.states["UNSUBSCRIBE"]
        self.standing = standing
        self._requests = PendingRequests(Backoff.of(identity, rng))
        self._subscription = Subscription()
        self._next: Subscription | None = None  # the subscription after a leave
        self._owned = owned  # assigned
        self._revoking = revoking  # until the application has returned
        self._hand_outs = 0
        self._ids: Mapping[str, UUID] = {}  # of the topics of the next assignment
        self._ids_requested: LookUp | None = None
        self._ids_known: LookUp | None = None
        self._lost: frozenset[P] = frozenset()  # and the application was not called yet
        self._is_leaving = False  # only the leave may be sent
        self._heard_at: Millis = 0  # when the request was sent whose response proved its membership

    # -- interface

    @property
    def is_gone(self) -> bool:
        """Whether it is in no group and has no subscription."""
        states = self._table.states
        is_outside = self.state in (states["UNSUBSCRIBE"], states["FATAL"])
        return is_outside and self._requests.call is None

    def take(self, event: Event, now: Millis) -> list[Effect]:
        """Process an event; returns the outputs, in order."""
        match event:
            case Subscribe(subscription):
                self._subscribe(subscription)
            case Unsubscribe():
                self._next = None
                self._move(self._table.inputs["UNSUBSCRIBED"])
            case Reply(ticket, message) if self._requests.answered(ticket):
                self._take_reply(message, now)
            case Unanswered(ticket, refusal) if self._requests.answered(ticket):
                self._take_reply(refusal, now)
            case Handled(ticket) if self._requests.handled(ticket):
                self._revoking.clear()
            case Topics():
                self._learn_ids(event)
                self._learn(event, now)
            case Gone(hand_outs):
                self._topics_gone(hand_outs)
            case WorkedOut():
                self._worked_out(event, now)
            case Tick() | Reply() | Unanswered() | Handled():
                pass
        self._settle(now)
        return self._requests.take()

    @abstractmethod
    def due(self) -> Millis | None:
        """When to return with a ``Tick``; None: only after another event."""

    # -- subscriptions and topics

    def _subscribe(self, subscription: Subscription) -> None:
        if self.state is self._table.states["UNSUBSCRIBING"]:
            self._next = subscription
        else:
            self._subscription = subscription
            self._want_anew()
        self._move(self._table.inputs["SUBSCRIBED"])

    @abstractmethod
    def _want_anew(self) -> None:
        """The subscription has changed, and the member is not about to leave."""

    @abstractmethod
    def _learn(self, topics: Topics, now: Millis) -> None:
        """Metadata of topics has arrived."""

    def _topics_gone(self, hand_outs: Mapping[TopicPartition, HandOut]) -> None:
        """Topics were deleted, and maybe created again: if the coordinator handles that, nothing is
        to be done."""

    def _worked_out(self, result: WorkedOut, now: Millis) -> None:
        """The leader's assignor has run; only the classic protocol has leaders."""

    # -- responses

    def _take_reply(self, message: Message | Fail | None, now: Millis) -> None:
        """The response to the last request; None: there will be none, and a ``Fail`` says why there
        can be none."""
        if self._is_leaving:
            self._left()
        elif isinstance(message, Fail):
            self._refused(message)
        elif message is None:
            self._unanswered(now)
        else:
            self._answer(message, now)

    @abstractmethod
    def _answer(self, message: Any, now: Millis) -> None:
        """A response to any request but a leave."""

    def _not_good(self, verdict: Verdict, why: Fail, now: Millis) -> None:
        """What an error response means in every protocol; ``why`` is logged if it is fatal."""
        if verdict is Verdict.FENCED:
            self._fence()
        elif verdict is Verdict.FATAL:
            self._refused(why)
        else:
            self._requests.failed(now, elsewhere=verdict is Verdict.REDISCOVER)

    def _unanswered(self, now: Millis) -> None:
        self._requests.failed(now, elsewhere=True)

    def _refused(self, why: Fail) -> None:
        if self.state is self._table.states["UNSUBSCRIBING"]:
            self._fence()
            return
        self._forget_all()
        self._move(self._table.inputs["REFUSED"])
        self._requests.effects.append(why)

    # -- steps that depend on the state

    def _settle(self, now: Millis) -> None:
        """Apply rules that depend only on the state, until none applies any more."""
        self._look_at_clock(now)
        while self._requests.call is None and self._call_next():
            continue
        self._send(now)

    @abstractmethod
    def _look_at_clock(self, now: Millis) -> None:
        """Stop if it is too late for its partitions; and other deadlines."""

    def is_overdue(self, now: Millis) -> bool:
        """Whether its partitions may be another member's by now, for readers that cannot pass a
        ``Tick``. Changes nothing."""
        return bool(self._owned) and now >= self._lease()

    def _lease(self) -> Millis:
        """Until when no other member can have got this member's partitions: its session is
        running."""
        return self._heard_at + self.identity.session_timeout_ms

    def _patience(self, interval: Millis) -> Millis:
        """How long the response to a heartbeat is awaited. It may be held for the interval, and a
        suspended node never answers: half of the session's rest is left to find another one."""
        half = (interval + self.identity.session_timeout_ms) // 2
        return min(half, self.identity.request_timeout_ms)

    def _silent(self) -> None:
        """No coordinator has answered for a session: the next one is looked up."""
        self._requests.effects.append(Rediscover())
        self._fence()

    def _call_next(self) -> bool:
        """Call the application, or change the state if there is nothing to report; returns whether
        there is more to do."""
        if self._lost:
            lost, self._lost = self._lost, frozenset()
            self._call(Kind.LOST, lost)
            return False
        step = self._table.steps.get(self.state)
        return step(self) if step is not None else False

    def _give_up_all(self) -> bool:
        """A step: revoke everything, then leave."""
        if self._owned:
            self._revoke(frozenset(self._owned))
            return False
        return not self._is_leaving and self._leave()

    def _leave(self) -> bool:
        """Send the leave, or end at once if no coordinator expects it; returns whether there is
        more to do."""
        self._requests.give_up()
        if self._is_expected:
            self._is_leaving = True
            return False
        self._left()
        return True

    @property
    def _is_expected(self) -> bool:
        """Whether a coordinator may have it as a member, and must receive a leave."""
        return True

    def _loss_is_reported(self) -> bool:
        """A step: begin again."""
        self._move(self._table.inputs["LOSS_REPORTED"])
        return True

    # -- partitions

    def _has_ids(self, come: AbstractSet[TopicPartition]) -> bool:
        """Whether the ids of these topics are known; they are requested each time, since a topic
        may have been created again."""
        wanted = LookUp(names=tuple(sorted({each.topic for each in come})))
        if self._ids_known == wanted:
            return True
        if self._ids_requested != wanted:
            self._ids_requested = wanted
            self._requests.effects.append(wanted)
        return False

    def _learn_ids(self, topics: Topics) -> None:
        if topics.look_up is not None and topics.look_up == self._ids_requested:
            self._ids_known, self._ids_requested = self._ids_requested, None
            self._ids = {name: topic_id for name, (topic_id, _) in topics.known.items()}

    def _hand_out(self, come: AbstractSet[P]) -> None:
        self._hand_outs += 1
        for each in come:
            topic_id = self._topic_id(each)
            self._owned[each] = HandOut(self.standing.epoch, self._hand_outs, topic_id)
        self._ids_known = None
        self._call(Kind.ASSIGNED, come)

    def _revoke(self, gone: AbstractSet[P]) -> None:
        for each in gone:
            self._revoking[each] = self._owned.pop(each)
        self._call(Kind.REVOKED, gone)

    def _lose_all(self) -> None:
        self._lost |= frozenset(self._owned)
        self._owned.clear()
        self._revoking.clear()

    def _call(self, kind: Kind, which: AbstractSet[P]) -> None:
        self._requests.report(Change(kind, self._named(which), self.standing.epoch))

    @abstractmethod
    def _named(self, which: AbstractSet[P]) -> Partitions:
        """With the application's names."""

    def _topic_id(self, which: P) -> UUID | None:
        """The id of its topic, if the protocol has ids."""
        return None

    # -- requests

    def _send(self, now: Millis) -> None:
        """One request at a time; a leave does not wait for a back-off to end."""
        if self._requests.request is not None:
            return
        if self._is_leaving:
            self._requests.send(self._farewell(), LEAVE_TIMEOUT_MS, now)
        elif now >= self._requests.not_before:
            self._send_due(now)

    @abstractmethod
    def _send_due(self, now: Millis) -> None:
        """Send the request that is due, if any."""

    @abstractmethod
    def _farewell(self) -> Message:
        """The request to leave."""

    # -- end and start

    def _fence(self) -> None:
        self._forget_all()
        self._move(self._table.inputs["FENCED"])

    def _forget_all(self) -> None:
        """Out of the group: assigned partitions are lost."""
        self._lose_all()
        self._begin_anew()
        self._requests.give_up()

    @abstractmethod
    def _begin_anew(self) -> None:
        """Reset the state of that membership."""

    def _left(self) -> None:
        """In no group any more; a new subscription applies from now on."""
        self._is_leaving = False
        self._forget_all()
        self._move(self._table.inputs["LEFT"])
        if self._next is not None:
            wanted, self._next = self._next, None
            self._subscribe(wanted)

    def _move(self, why: I) -> None:
        moves = self._table.moves[self.state]
        assert why in moves, f"{self.state.name} cannot take {why.name}"
        self.state = moves[why]
