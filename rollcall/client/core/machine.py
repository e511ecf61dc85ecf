"""The life of a member, whatever it speaks: subscribe, be told, leave, be fenced, be refused.

Here stands what is the same rule in every protocol. What a member asks for, when, and what it
makes of a good answer stand in the protocol's own machine (``classic``, ``consumer``, ``draft``,
``commanded``); its moves stand in that one's table. No protocol is known here, and no I/O.
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
from rollcall.client.core.requests import Asking
from rollcall.wire.declare import Message

LEAVE_TIMEOUT_MS: Final[Millis] = 5_000
"""A leave is asked once; if it is not heard, the session ends a little later."""

S = TypeVar("S", bound=Enum)
I = TypeVar("I", bound=Enum)  # noqa: E741 - as the tables call them
P = TypeVar("P")


class Table(NamedTuple, Generic[S, I]):
    """A protocol's states and moves, as its ``*_states`` file declares them, and its steps.

    What every member's table has, it has under the same names; here it is looked up by them.
    """

    states: type[S]
    inputs: type[I]
    moves: Mapping[S, Mapping[I, S]]
    steps: Mapping[S, Callable[[Any], bool]]
    """What a state does when the application has returned from what it was told last, and whether
    there is more; functions of the machine."""


class MemberMachine(ABC, Generic[S, I, P]):
    """``take`` what happens, do what it gives, come back when it is ``due``.

    The order of things is the same for all: an event is taken in; then the clock is looked at;
    then the application is told, one thing at a time and losses first; then, if nothing is on its
    way, something is sent. While it leaves, any answer and none are the end of it.

    ``P`` is what the protocol calls a partition. What is abstract, a protocol must say; where it
    has more to say than all others, it overrides a rule and goes on with ``super()``.
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
        self._ask = Asking(Backoff.of(identity, rng))
        self._subscription = Subscription()
        self._next: Subscription | None = None  # subscribed to while it leaves
        self._owned = owned  # handed out
        self._revoking = revoking  # until the application has returned
        self._hand_outs = 0
        self._ids: Mapping[str, UUID] = {}  # of the topics of what is handed out next
        self._ids_asked: LookUp | None = None
        self._ids_known: LookUp | None = None
        self._lost: frozenset[P] = frozenset()  # and the application is not told yet
        self._is_leaving = False  # the leave is the only thing to ask for
        self._heard_at: Millis = 0  # when that was sent which proved it to be a member

    # -- what others see

    @property
    def is_gone(self) -> bool:
        """Whether it is in no group and wants to be in none."""
        states = self._table.states
        is_outside = self.state in (states["UNSUBSCRIBE"], states["FATAL"])
        return is_outside and self._ask.call is None

    def take(self, event: Event, now: Millis) -> list[Effect]:
        """Something happened; what is to be done, in order."""
        match event:
            case Subscribe(subscription):
                self._subscribe(subscription)
            case Unsubscribe():
                self._next = None
                self._move(self._table.inputs["UNSUBSCRIBED"])
            case Reply(ticket, message) if self._ask.answered(ticket):
                self._heard(message, now)
            case Unanswered(ticket) if self._ask.answered(ticket):
                self._heard(None, now)
            case Handled(ticket) if self._ask.handled(ticket):
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
        return self._ask.take()

    @abstractmethod
    def due(self) -> Millis | None:
        """When to come back with a ``Tick``; None: only when something happens."""

    # -- the application's wishes, and the topics

    def _subscribe(self, subscription: Subscription) -> None:
        if self.state is self._table.states["UNSUBSCRIBING"]:
            self._next = subscription
        else:
            self._subscription = subscription
            self._want_anew()
        self._move(self._table.inputs["SUBSCRIBED"])

    @abstractmethod
    def _want_anew(self) -> None:
        """There is another subscription, and the member is not about to leave."""

    @abstractmethod
    def _learn(self, topics: Topics, now: Millis) -> None:
        """The cluster was asked about topics, and this is what it knows."""

    def _topics_gone(self, hand_outs: Mapping[TopicPartition, HandOut]) -> None:
        """Topics were deleted, and perhaps made anew: where the coordinator says what of that is
        the member's, nothing is to be done."""

    def _worked_out(self, result: WorkedOut, now: Millis) -> None:
        """The leader's assignor has run; only the classic protocol has leaders."""

    # -- answers

    def _heard(self, message: Message | None, now: Millis) -> None:
        """The answer to what was asked last; None: there will be none."""
        if self._is_leaving:
            self._left()
        elif message is None:
            self._unanswered(now)
        else:
            self._answer(message, now)

    @abstractmethod
    def _answer(self, message: Any, now: Millis) -> None:
        """An answer to anything but a leave."""

    def _not_good(self, verdict: Verdict, why: Fail, now: Millis) -> None:
        """What an answer that is not good means to every member; ``why`` is told if it is fatal."""
        if verdict is Verdict.FENCED:
            self._fence()
        elif verdict is Verdict.FATAL:
            self._refused(why)
        else:
            self._ask.failed(now, elsewhere=verdict is Verdict.REDISCOVER)

    def _unanswered(self, now: Millis) -> None:
        self._ask.failed(now, elsewhere=True)

    def _refused(self, why: Fail) -> None:
        if self.state is self._table.states["UNSUBSCRIBING"]:
            self._fence()
            return
        self._forget_all()
        self._move(self._table.inputs["REFUSED"])
        self._ask.effects.append(why)

    # -- what follows from where it stands

    def _settle(self, now: Millis) -> None:
        """Rules that depend on the state alone, until none applies any more."""
        self._look_at_clock(now)
        while self._ask.call is None and self._tell():
            continue
        self._send(now)

    @abstractmethod
    def _look_at_clock(self, now: Millis) -> None:
        """Stop if it is too late for what it owns; whatever else is to be done in time."""

    def _lease(self) -> Millis:
        """Until when nobody else can have been given what this member owns: its session runs."""
        return self._heard_at + self.identity.session_timeout_ms

    def _tell(self) -> bool:
        """Tell the application one thing, or move on since it knows all; whether there is more."""
        if self._lost:
            lost, self._lost = self._lost, frozenset()
            self._call(Kind.LOST, lost)
            return False
        step = self._table.steps.get(self.state)
        return step(self) if step is not None else False

    def _give_up_all(self) -> bool:
        """A step: hold nothing any more, then leave."""
        if self._owned:
            self._revoke(frozenset(self._owned))
            return False
        return not self._is_leaving and self._leave()

    def _leave(self) -> bool:
        """Ask to leave, or be gone at once where nobody expects it; whether there is more."""
        self._ask.give_up()
        if self._is_expected:
            self._is_leaving = True
            return False
        self._left()
        return True

    @property
    def _is_expected(self) -> bool:
        """Whether a coordinator may know it, and is to be told that it leaves."""
        return True

    def _loss_is_told(self) -> bool:
        """A step: begin again."""
        self._move(self._table.inputs["LOSS_TOLD"])
        return True

    # -- partitions

    def _has_ids(self, come: AbstractSet[TopicPartition]) -> bool:
        """Whether the ids of these topics are known; they are asked for each time, since a topic
        may have been made anew."""
        wanted = LookUp(names=tuple(sorted({each.topic for each in come})))
        if self._ids_known == wanted:
            return True
        if self._ids_asked != wanted:
            self._ids_asked = wanted
            self._ask.effects.append(wanted)
        return False

    def _learn_ids(self, topics: Topics) -> None:
        if topics.asked is not None and topics.asked == self._ids_asked:
            self._ids_known, self._ids_asked = self._ids_asked, None
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
        self._ask.tell(Change(kind, self._named(which), self.standing.epoch))

    @abstractmethod
    def _named(self, which: AbstractSet[P]) -> Partitions:
        """As the application calls them."""

    def _topic_id(self, which: P) -> UUID | None:
        """The id of its topic, where the protocol has ids."""
        return None

    # -- requests

    def _send(self, now: Millis) -> None:
        """One request at a time; the leave does not wait for a back-off to end."""
        if self._ask.request is not None:
            return
        if self._is_leaving:
            self._ask.send(self._farewell(), LEAVE_TIMEOUT_MS, now)
        elif now >= self._ask.not_before:
            self._send_due(now)

    @abstractmethod
    def _send_due(self, now: Millis) -> None:
        """Ask for what is due, if anything is."""

    @abstractmethod
    def _farewell(self) -> Message:
        """The request to leave."""

    # -- endings and beginnings

    def _fence(self) -> None:
        self._forget_all()
        self._move(self._table.inputs["FENCED"])

    def _forget_all(self) -> None:
        """Out of the group: what was handed out is lost."""
        self._lose_all()
        self._begin_anew()
        self._ask.give_up()

    @abstractmethod
    def _begin_anew(self) -> None:
        """Forget what was true only in that membership."""

    def _left(self) -> None:
        """In no group any more; what was subscribed to meanwhile is wanted from now on."""
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
