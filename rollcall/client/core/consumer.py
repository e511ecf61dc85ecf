"""A member of the consumer protocol (KIP-848): one machine, no I/O.

Its transitions are in ``consumer_states``. It guarantees:

- To revoke partitions it stops their work, commits, and calls the application. Only then does a
  heartbeat report that they are not owned any more, so that no other member gets them earlier. To
  assign partitions it makes them available and calls the application; but not while a heartbeat
  that does not name them is pending, or was lost.
- A member whose session may have ended, or that is late with a revocation, notices that itself
  (``_lease``), counted from when it *sent* the last answered request: it stops before the
  coordinator gives its partitions to another member, even if responses are lost, late or doubled.
- After a lost request or response all fields are sent again.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from random import Random
from typing import Any, Final
from uuid import UUID

from rollcall.client.core.codes import CONSUMER, Code, Verdict, name_of
from rollcall.client.core.consumer_states import TRANSITIONS, Input, State
from rollcall.client.core.events import (
    Assign,
    Effect,
    Event,
    Fail,
    Identity,
    LookUp,
    Millis,
    Partitions,
    Standing,
    TopicPartition,
    Topics,
)
from rollcall.client.core.heartbeat_delta import Place, Saying, assignors, heartbeat, leave, places
from rollcall.client.core.machine import MemberMachine, Table
from rollcall.wire.declare import Message
from rollcall.wire.messages.consumer_group_heartbeat import (
    ClientAssignor,
    ConsumerGroupHeartbeatResponse,
)

SETTLED = (State.STABLE, State.RECONCILE_ASSIGNMENT, State.ACK_ASSIGNMENT)
MEMBERS = (*SETTLED, State.UNSUBSCRIBING)
RECONCILING = (*SETTLED, State.JOINING)


class ConsumerMachine(MemberMachine[State, Input, Place]):
    """One member of a consumer group; see ``MemberMachine`` for its use."""

    def __init__(self, identity: Identity, rng: Random, own: Sequence[ClientAssignor] = ()) -> None:
        standing = Standing(member_id=str(UUID(int=rng.getrandbits(128), version=4)), epoch=0)
        table = Table(State, Input, TRANSITIONS, _STEPS)
        super().__init__(table, identity, standing, {}, {}, rng)
        self._assignors = assignors(identity, own)
        self._names: dict[UUID, str] = {}
        self._target: frozenset[Place] = frozenset()
        self._acknowledged: Saying | None = None
        self._saying: Saying | None = None
        self._beat_at: Millis = 0
        self._interval = identity.heartbeat_interval_ms
        self._revoke_until: Millis | None = None

    def take(self, event: Event, now: Millis) -> list[Effect]:
        """As in ``MemberMachine``, with names of assigned partitions."""
        effects = super().take(event, now)
        self.standing.handed_out = {self._called(p): each for p, each in self._owned.items()}
        self.standing.revoking = {self._called(p): each for p, each in self._revoking.items()}
        return effects

    def due(self) -> Millis | None:
        """When to return with a ``Tick``."""
        times = []
        if self._is_beating and self._requests.request is None:
            wanted = 0 if self._has_something_to_say() else self._beat_at
            times.append(max(wanted, self._requests.not_before))
        if self._is_member:
            times.append(self._lease())
        return min(times, default=None)

    @property
    def _is_member(self) -> bool:
        """Whether the coordinator has it as a member: not before the join, nor after a leave."""
        return self.state in MEMBERS and self.standing.epoch > 0 and not self._is_leaving

    @property
    def _is_beating(self) -> bool:
        return self._is_member or self.state is State.JOINING

    # -- subscriptions and topics

    def _want_anew(self) -> None:
        if self.state in (State.UNSUBSCRIBE, State.FATAL):
            self._begin_anew()

    def _learn(self, topics: Topics, now: Millis) -> None:
        self._names |= {topic_id: name for name, (topic_id, _) in topics.known.items()}
        self._look_at_target()

    # -- responses

    def _answer(self, reply: Any, now: Millis) -> None:
        assert isinstance(reply, ConsumerGroupHeartbeatResponse)
        code = reply.error_code
        verdict = CONSUMER.get(code, Verdict.FATAL)
        if code == Code.GROUP_ID_NOT_FOUND and self.standing.epoch > 0:
            verdict = Verdict.FENCED  # the group was deleted under a member: it begins anew
        if verdict is Verdict.GOOD and reply.member_epoch <= 0:
            self._unanswered(now)  # nobody is a member at such an epoch: it is no answer
        elif verdict is Verdict.GOOD:
            self._good(reply, now)
        else:
            self._acknowledged = None
            self._not_good(verdict, Fail(code, reply.error_message or name_of(code)), now)

    def _good(self, reply: ConsumerGroupHeartbeatResponse, now: Millis) -> None:
        unanswered_since = self._requests.unanswered_since
        assert unanswered_since is not None
        self._requests.succeeded()
        self._acknowledged, self._heard_at = self._saying, self._requests.sent_at
        self._interval = reply.heartbeat_interval_ms
        self._beat_at = self._requests.sent_at + self._interval
        self.standing.epoch = reply.member_epoch
        if self._acknowledged is not None and self._acknowledged.owned <= self._target:
            self._revoke_until = None
        if reply.should_compute_assignment and self.state is not State.UNSUBSCRIBING:
            self._requests.effects.append(Assign())
        before = self._target
        if reply.assignment is not None:
            self._target = places(reply.assignment.topic_partitions)
            self._look_up()
            if self._revoke_until is None and not self._all_owned <= self._target:
                self._revoke_until = unanswered_since + self.identity.rebalance_timeout_ms
        if not self._look_at_target() and self.state is not State.UNSUBSCRIBING:
            self._move(Input.WELCOMED)
            if before != self._target == self._known_target:
                # Nothing is to be done, and the coordinator waits to hear so: what it takes back
                # may have had no name here, as partitions of a topic that was deleted at once.
                self._acknowledged = None

    def _unanswered(self, now: Millis) -> None:
        self._acknowledged = None
        super()._unanswered(now)

    # -- the target

    @property
    def _all_owned(self) -> frozenset[Place]:
        """The partitions that the coordinator must see as this member's: assigned or being
        revoked."""
        return frozenset((*self._revoking, *self._owned))

    @property
    def _known_target(self) -> frozenset[Place]:
        """The part of the target whose topics have known names."""
        return frozenset(place for place in self._target if place[0] in self._names)

    def _look_at_target(self) -> bool:
        """Whether there is something to reconcile; if so, changes the state."""
        if self.state not in RECONCILING:
            return False
        if self._known_target == self._owned.keys() and not self._revoking:
            return False
        self._move(Input.ASSIGNED)
        return True

    def _look_up(self) -> None:
        unknown = {topic_id for topic_id, _ in self._target} - self._names.keys()
        if unknown:
            self._requests.effects.append(LookUp(ids=tuple(sorted(unknown))))

    # -- steps that depend on the state

    def _look_at_clock(self, now: Millis) -> None:
        if self._is_member and now >= self._lease():
            self._silent()

    def _reconcile(self) -> bool:
        target = self._known_target
        if gone := self._owned.keys() - target:
            self._revoke(gone)
            return False
        if come := target - self._owned.keys():
            if self._is_understood:
                self._hand_out(come)
            return False
        self._move(Input.RECONCILED)
        return True

    @property
    def _is_understood(self) -> bool:
        """Whether the coordinator knows what is owned, and no request is pending. Partitions that a
        heartbeat omits may be another member's when the coordinator receives it, so nothing is
        assigned until its response."""
        if self._acknowledged is None:
            return False
        saying = self._saying if self._requests.request is not None else None
        return saying is None or saying.owned == self._acknowledged.owned

    def _named(self, which: AbstractSet[Place]) -> Partitions:
        return frozenset(self._called(place) for place in which)

    def _called(self, place: Place) -> TopicPartition:
        return TopicPartition(self._names[place[0]], place[1])

    def _topic_id(self, which: Place) -> UUID:
        return which[0]

    # -- heartbeats

    def _farewell(self) -> Message:
        return leave(self.identity, self.standing.member_id)

    def _send(self, now: Millis) -> None:
        if self._is_beating and self._requests.request is not None and self._is_news:
            # A coordinator may hold an empty heartbeat. Its response is not waited for; a lost
            # update is requested again by sending all fields.
            self._requests.request = self._acknowledged = None
        super()._send(now)

    def _send_due(self, now: Millis) -> None:
        if not self._is_beating or not (self._has_something_to_say() or now >= self._beat_at):
            return
        self._look_up()
        self._saying = Saying(self._subscription, self._all_owned)
        epoch = 0 if self.state is State.JOINING else self.standing.epoch
        member_id = self.standing.member_id
        message = heartbeat(
            self.identity, member_id, epoch, self._saying, self._acknowledged, self._assignors
        )
        patience = self._patience(self._interval) if epoch else self.identity.request_timeout_ms
        self._requests.send(message, patience, now)
        if self.state is State.ACK_ASSIGNMENT:
            self._move(Input.SENT)

    def _has_something_to_say(self) -> bool:
        return (
            self.state is State.ACK_ASSIGNMENT
            or self._acknowledged is None
            or self._acknowledged != Saying(self._subscription, self._all_owned)
        )

    @property
    def _is_news(self) -> bool:
        """Whether there is something to report that the pending heartbeat does not contain at
        all."""
        return (
            self._acknowledged is not None
            and self._saying == self._acknowledged
            and self._has_something_to_say()
        )

    def _lease(self) -> Millis:
        """Its session is running, no request is unanswered for too long, and no revocation is
        late."""
        ends = [super()._lease()]
        if self._requests.unanswered_since is not None:
            ends.append(self._requests.unanswered_since + self.identity.rebalance_timeout_ms)
        if self._revoke_until is not None:
            ends.append(self._revoke_until)
        return min(ends)

    # -- end and start

    def _begin_anew(self) -> None:
        self.standing.epoch = 0
        self._target = frozenset()
        self._revoking.clear()
        self._acknowledged = self._saying = None
        self._revoke_until = None


_STEPS: Final[Mapping[State, Callable[[ConsumerMachine], bool]]] = {
    State.RECONCILE_ASSIGNMENT: ConsumerMachine._reconcile,
    State.UNSUBSCRIBING: ConsumerMachine._give_up_all,
    State.FENCED: ConsumerMachine._loss_is_reported,
}
"""The step of a state when the application has returned from the last call."""
