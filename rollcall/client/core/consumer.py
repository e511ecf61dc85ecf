"""A member of the consumer protocol (KIP-848): one machine, no I/O.

It moves by the table in ``consumer_states``. Three promises are kept here:

- Revoking is: stop handing out, commit, call. Only then does a heartbeat say that the partitions
  are owned no longer, so that nobody else is given them earlier. Assigning is: hand out, call.
- A member that has not been heard for a session, or is late with a revocation, knows so itself
  (``_lease``), counted from when it *sent* what was answered: it stops before the coordinator
  gives its partitions to another, however answers are lost, delayed or doubled.
- Whatever is lost on the way is said again in full.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final
from uuid import UUID

from protocol.messages.consumer_group_heartbeat import (
    ClientAssignor,
    ConsumerGroupHeartbeatResponse,
)
from rollcall.client.core.asking import Asking
from rollcall.client.core.backoff import Backoff
from rollcall.client.core.codes import CONSUMER, Code, Verdict, name_of
from rollcall.client.core.consumer_states import TRANSITIONS, Input, State
from rollcall.client.core.told import Place, Saying, assignors, heartbeat, leave, places
from rollcall.client.core.words import (
    Assign,
    Change,
    Effect,
    Event,
    Fail,
    Handled,
    Identity,
    Kind,
    LookUp,
    Millis,
    Reply,
    Standing,
    Subscribe,
    Subscription,
    Tick,
    TopicPartition,
    Topics,
    Unanswered,
    Unsubscribe,
)

LEAVE_TIMEOUT_MS: Final[Millis] = 5_000
"""A leave is asked once; if it is not heard, the session ends a little later."""

SETTLED = (State.STABLE, State.RECONCILE_ASSIGNMENT, State.ACK_ASSIGNMENT)
MEMBERS = (*SETTLED, State.UNSUBSCRIBING)
RECONCILING = (*SETTLED, State.JOINING)


class ConsumerMachine:
    """``take`` what happens, do what it gives, come back when it is ``due``."""

    def __init__(self, identity: Identity, rng: Random, own: Sequence[ClientAssignor] = ()) -> None:
        self.identity = identity
        self._assignors = assignors(identity, own)
        self.state = State.UNSUBSCRIBE
        self.standing = Standing(member_id=str(UUID(int=rng.getrandbits(128), version=4)), epoch=0)
        self._ask = Asking(Backoff(identity.retry_backoff_ms, identity.retry_backoff_max_ms, rng))
        self._subscription = Subscription()
        self._next: Subscription | None = None  # subscribed to while it leaves
        self._names: dict[UUID, str] = {}
        self._owned: dict[Place, int] = {}  # handed out, and in which epoch
        self._revoking: frozenset[Place] = frozenset()
        self._lost: frozenset[Place] = frozenset()  # and the application is not told yet
        self._target: frozenset[Place] = frozenset()
        self._told: Saying | None = None
        self._saying: Saying | None = None
        self._beat_at: Millis = 0
        self._heard_at: Millis = 0
        self._revoke_until: Millis | None = None
        self._is_leaving = False  # the leave is on its way

    # -- what others see

    @property
    def is_gone(self) -> bool:
        """Whether it is in no group and wants to be in none."""
        return self.state in (State.UNSUBSCRIBE, State.FATAL) and self._ask.call is None

    def take(self, event: Event, now: Millis) -> list[Effect]:
        """Something happened; what is to be done, in order."""
        match event:
            case Subscribe(subscription):
                self._subscribe(subscription)
            case Unsubscribe():
                self._unsubscribe()
            case Reply(ticket, message) if self._ask.answered(ticket):
                assert isinstance(message, ConsumerGroupHeartbeatResponse)
                self._answer(message, now)
            case Unanswered(ticket) if self._ask.answered(ticket):
                self._unanswered(now)
            case Handled(ticket) if self._ask.handled(ticket):
                self._revoking = frozenset()
            case Topics(known):
                self._names |= {topic_id: name for name, (topic_id, _) in known.items()}
                self._look_at_target()
            case Tick() | Reply() | Unanswered() | Handled():
                pass
        self._settle(now)
        self.standing.handed_out = {self._called(p): e for p, e in self._owned.items()}
        return self._ask.take()

    def due(self) -> Millis | None:
        """When to come back with a ``Tick``."""
        times = []
        if (self._is_member or self.state is State.JOINING) and self._ask.request is None:
            wanted = 0 if self._has_something_to_say() else self._beat_at
            times.append(max(wanted, self._ask.not_before))
        if self._is_member:
            times.append(self._lease())
        return min(times, default=None)

    @property
    def _is_member(self) -> bool:
        """Whether the coordinator counts on it: not before it has joined, nor once it leaves."""
        return self.state in MEMBERS and self.standing.epoch > 0 and not self._is_leaving

    # -- the application's wishes

    def _subscribe(self, subscription: Subscription) -> None:
        if self.state is State.UNSUBSCRIBING:
            self._next = subscription
        else:
            self._subscription = subscription
            if self.state in (State.UNSUBSCRIBE, State.FATAL):
                self._begin_anew()
        self._move(Input.SUBSCRIBED)

    def _unsubscribe(self) -> None:
        self._next = None
        self._move(Input.UNSUBSCRIBED)

    # -- answers

    def _answer(self, reply: ConsumerGroupHeartbeatResponse, now: Millis) -> None:
        if self._is_leaving:
            self._left()
            return
        verdict = CONSUMER.get(reply.error_code, Verdict.FATAL)
        if (
            verdict is Verdict.FATAL
            and reply.error_code == Code.GROUP_ID_NOT_FOUND
            and self.standing.epoch > 0
        ):
            verdict = Verdict.FENCED  # the group was deleted under a member: it begins anew
        if verdict is Verdict.GOOD:
            self._good(reply, now)
        elif verdict is Verdict.FENCED:
            self._fence()
        elif verdict is Verdict.FATAL:
            self._refused(reply)
        else:
            self._told = None
            self._ask.failed(now, elsewhere=verdict is Verdict.REDISCOVER)

    def _good(self, reply: ConsumerGroupHeartbeatResponse, now: Millis) -> None:
        asked_first = self._ask.unanswered_since
        assert asked_first is not None
        self._ask.succeeded()
        self._told, self._heard_at = self._saying, self._ask.sent_at
        self._beat_at = self._ask.sent_at + reply.heartbeat_interval_ms
        self.standing.epoch = reply.member_epoch
        if self._told is not None and self._told.owned <= self._target:
            self._revoke_until = None
        if reply.should_compute_assignment and self.state is not State.UNSUBSCRIBING:
            self._ask.effects.append(Assign())
        if reply.assignment is not None:
            self._target = places(reply.assignment.topic_partitions)
            self._look_up()
            if self._revoke_until is None and not self._all_owned <= self._target:
                self._revoke_until = asked_first + self.identity.rebalance_timeout_ms
        if not self._look_at_target() and self.state is not State.UNSUBSCRIBING:
            self._move(Input.WELCOMED)

    def _unanswered(self, now: Millis) -> None:
        if self._is_leaving:
            self._left()
            return
        self._told = None
        self._ask.failed(now, elsewhere=True)

    def _refused(self, reply: ConsumerGroupHeartbeatResponse) -> None:
        if self.state is State.UNSUBSCRIBING:
            self._fence()
            return
        self._forget_all()
        self._move(Input.REFUSED)
        name = name_of(reply.error_code)
        self._ask.effects.append(Fail(reply.error_code, reply.error_message or name))

    # -- the target

    @property
    def _all_owned(self) -> frozenset[Place]:
        """What the coordinator must believe to be this member's: handed out or being revoked."""
        return self._revoking.union(self._owned)

    @property
    def _known_target(self) -> frozenset[Place]:
        """The target as far as its topics have names yet."""
        return frozenset(place for place in self._target if place[0] in self._names)

    def _look_at_target(self) -> bool:
        """Whether there is something to reconcile; moves if so."""
        if self.state not in RECONCILING:
            return False
        if self._known_target == self._owned.keys() and not self._revoking:
            return False
        self._move(Input.ASSIGNED)
        return True

    def _look_up(self) -> None:
        unknown = {topic_id for topic_id, _ in self._target} - self._names.keys()
        if unknown:
            self._ask.effects.append(LookUp(ids=tuple(sorted(unknown))))

    # -- what follows from where it stands

    def _settle(self, now: Millis) -> None:
        """Rules that depend on the state alone, until none applies any more."""
        if self._is_member and now >= self._lease():
            self._fence()
        while self._ask.call is None and self._tell():
            continue
        self._beat(now)

    def _tell(self) -> bool:
        """Tell the application one thing, or move on since it knows all. Whether a move was made
        without a call."""
        if self._lost:
            lost, self._lost = self._lost, frozenset()
            self._call(Kind.LOST, lost)
            return False
        step = _STEPS.get(self.state)
        return step(self) if step is not None else False

    def _reconcile(self) -> bool:
        target = self._known_target
        if gone := self._owned.keys() - target:
            self._revoke(gone)
            return False
        if come := target - self._owned.keys():
            self._owned |= dict.fromkeys(come, self.standing.epoch)
            self._call(Kind.ASSIGNED, come)
            return False
        self._move(Input.RECONCILED)
        return True

    def _give_up_all(self) -> bool:
        if self._owned:
            self._revoke(frozenset(self._owned))
        elif not self._is_leaving:
            self._is_leaving = True
            self._ask.give_up()
        return False

    def _loss_is_told(self) -> bool:
        self._move(Input.LOSS_TOLD)
        return False

    def _revoke(self, gone: frozenset[Place] | set[Place]) -> None:
        self._revoking = frozenset(gone)
        for place in gone:
            del self._owned[place]
        self._call(Kind.REVOKED, gone)

    def _call(self, kind: Kind, which: frozenset[Place] | set[Place]) -> None:
        named = frozenset(self._called(place) for place in which)
        self._ask.tell(Change(kind, named, self.standing.epoch))

    def _called(self, place: Place) -> TopicPartition:
        return TopicPartition(self._names[place[0]], place[1])

    # -- heartbeats

    def _beat(self, now: Millis) -> None:
        """Send what is due; the leave as soon as nothing is held any more."""
        if self._is_leaving:
            if self._ask.request is None:
                message = leave(self.identity, self.standing.member_id)
                self._ask.send(message, LEAVE_TIMEOUT_MS, now)
            return
        if not self._is_member and self.state is not State.JOINING:
            return
        if self._ask.request is not None and self._is_news:
            # A coordinator may hold a heartbeat that says nothing. Its answer is not waited for;
            # whatever stood in it is asked for again by saying everything.
            self._ask.request = self._told = None
        if self._ask.request is not None or now < self._ask.not_before:
            return
        if not (self._has_something_to_say() or now >= self._beat_at):
            return
        self._look_up()
        self._saying = Saying(self._subscription, self._all_owned)
        epoch = 0 if self.state is State.JOINING else self.standing.epoch
        member_id = self.standing.member_id
        message = heartbeat(
            self.identity, member_id, epoch, self._saying, self._told, self._assignors
        )
        self._ask.send(message, self.identity.request_timeout_ms, now)
        if self.state is State.ACK_ASSIGNMENT:
            self._move(Input.SAID)

    def _has_something_to_say(self) -> bool:
        return (
            self.state is State.ACK_ASSIGNMENT
            or self._told is None
            or self._told != Saying(self._subscription, self._all_owned)
        )

    @property
    def _is_news(self) -> bool:
        """Whether there is something to say that the heartbeat on its way did not even begin to."""
        return (
            self._told is not None and self._saying == self._told and self._has_something_to_say()
        )

    def _lease(self) -> Millis:
        """Until when nobody else can have been given what this member owns."""
        ends = [self._heard_at + self.identity.session_timeout_ms]
        if self._ask.unanswered_since is not None:
            ends.append(self._ask.unanswered_since + self.identity.rebalance_timeout_ms)
        if self._revoke_until is not None:
            ends.append(self._revoke_until)
        return min(ends)

    # -- endings and beginnings

    def _fence(self) -> None:
        self._forget_all()
        self._move(Input.FENCED)

    def _forget_all(self) -> None:
        """Out of the group: what was handed out is lost, the member id stays."""
        self._lost |= self._owned.keys()
        self._owned = {}
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.standing.epoch = 0
        self._target = self._revoking = frozenset()
        self._told = self._saying = None
        self._revoke_until = None
        self._ask.give_up()

    def _left(self) -> None:
        self._is_leaving = False
        self._begin_anew()
        self._move(Input.LEFT)
        if self._next is not None:
            self._subscription, self._next = self._next, None
            self._move(Input.SUBSCRIBED)

    def _move(self, why: Input) -> None:
        moves = TRANSITIONS[self.state]
        assert why in moves, f"{self.state.name} cannot take {why.name}"
        self.state = moves[why]


_STEPS: Final[Mapping[State, Callable[[ConsumerMachine], bool]]] = {
    State.RECONCILE_ASSIGNMENT: ConsumerMachine._reconcile,
    State.UNSUBSCRIBING: ConsumerMachine._give_up_all,
    State.FENCED: ConsumerMachine._loss_is_told,
}
"""What a state does when the application has returned from what it was told last."""
