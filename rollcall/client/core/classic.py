"""A member of the classic protocol: join, sync, heartbeat, leave; one machine, no I/O.

Its transitions are in ``classic_states``. An eager member revokes everything before it joins; a
cooperative one (KIP-429) keeps its partitions, sees in its assignment which are missing, revokes
those and joins again. As in ``consumer``, a member whose session may have ended, counted from when
it sent the last answered request, stops before another member may begin.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from random import Random
from typing import Any, Final
from uuid import UUID

from rollcall.client.assignors import Assignor, Claim, formats
from rollcall.client.core import classic_messages as talk
from rollcall.client.core.classic_states import TRANSITIONS, Input, State
from rollcall.client.core.codes import CLASSIC, Code, Verdict, name_of
from rollcall.client.core.events import (
    NOTHING,
    End,
    Fail,
    HandOut,
    Identity,
    LookUp,
    Millis,
    Partitions,
    Standing,
    TopicPartition,
    Topics,
    WorkedOut,
    WorkOut,
)
from rollcall.client.core.machine import MemberMachine, Table
from rollcall.client.core.subscription_match import topics_wanted
from rollcall.wire.declare import Message
from rollcall.wire.messages.heartbeat import HeartbeatResponse
from rollcall.wire.messages.join_group import JoinGroupResponse, JoinGroupResponseMember
from rollcall.wire.messages.sync_group import SyncGroupResponse

BEATING = (State.PREPARING, State.RECONCILE_ASSIGNMENT, State.STABLE, State.UNSUBSCRIBING)
"""A parked join or sync keeps the member alive by itself."""

MISTAKES_MAX: Final = 3
"""How often an assignor may fail in sequence. Then the member leaves, and another one leads."""


class ClassicMachine(MemberMachine[State, Input, TopicPartition]):
    """One member of a classic group; see ``MemberMachine`` for its use."""

    def __init__(self, identity: Identity, assignors: Sequence[Assignor], rng: Random) -> None:
        standing = Standing()
        table = Table(State, Input, TRANSITIONS, _STEPS)
        super().__init__(table, identity, standing, standing.handed_out, standing.revoking, rng)
        self.assignors = tuple(assignors)
        self.is_cooperative = all(each.is_cooperative for each in assignors)
        self._wanted: tuple[str, ...] = ()
        self._known: dict[str, int] | None = None  # partition counts; None: requested
        self._looked_up: LookUp | None = None  # the last look-up
        self._target: Partitions = NOTHING
        self._claimed: Partitions = NOTHING  # its partitions when it joined
        self._memory = Claim(())  # the last assignment, for sticky assignors
        self._protocol: str | None = None
        self._led: Sequence[JoinGroupResponseMember] = ()
        self._watched: Mapping[str, int] = {}  # the counts behind the leader's assignment
        self._given: Mapping[str, bytes] | None = None  # the leader's assignment
        self._rounds = 0  # calls of the assignor
        self._mistakes = 0  # failures of the assignor, in sequence
        self._wants_rebalance = False
        self._returns_otherwise = False  # a static member, with a changed subscription
        self._fits = True  # whether the last assignment matches the subscription
        self._beat_at: Millis = 0
        self._look_at: Millis = 0
        self._current_at: Millis = 0

    def due(self) -> Millis | None:
        """When to return with a ``Tick``."""
        times = []
        if self._requests.request is None:
            if self._may_send:
                times.append(self._requests.not_before)
            if self._is_beating:
                times.append(max(self._beat_at, self._requests.not_before))
        if self._owned:
            times.append(self._lease())
        if self.state is State.STABLE and self._must_watch:
            times.append(self._look_at)
        return min(times, default=None)

    # -- subscriptions and topics

    def _want_anew(self) -> None:
        self._wants_rebalance = True
        if self.state is not State.SYNCING:  # there the leader's own look-up is running
            self._look_up_subscribed()

    def _look_up_subscribed(self) -> None:
        """A pattern needs all topics before the join; names need none."""
        if self._subscription.pattern is None:
            self._known = self._known or {}
        else:
            self._known = None
            self._look_up(LookUp())

    def _look_up(self, wanted: LookUp) -> None:
        self._looked_up = wanted
        self._requests.effects.append(wanted)

    def _learn(self, topics: Topics, now: Millis) -> None:
        self._look_at_ids(topics.known)
        if topics.look_up not in (self._looked_up, None):
            return  # something else was requested meanwhile
        self._known = counts = {name: count for name, (_, count) in topics.known.items()}
        self._look_at = now + self.identity.metadata_max_age_ms
        wanted = topics_wanted(self._subscription, counts)
        changed = self._subscription.pattern is not None and wanted != self._wanted
        if self._led and self.state is not State.SYNCING:
            changed |= any(counts.get(name, 0) != was for name, was in self._watched.items())
        if changed and self.state is State.STABLE:
            self._wants_rebalance = True
        if self._led and self.state is State.SYNCING and self._given is None:
            self._work_out(counts)

    def _look_at_ids(self, known: Mapping[str, tuple[UUID, int]]) -> None:
        """A topic that was deleted and created again is another one: its partitions are lost."""
        gone = {
            partition: each
            for partition, each in self._owned.items()
            if each.topic_id is not None
            and known.get(partition.topic, (each.topic_id, 0))[0] != each.topic_id
        }
        self._topics_gone(gone)

    def _topics_gone(self, hand_outs: Mapping[TopicPartition, HandOut]) -> None:
        gone = frozenset(p for p, each in hand_outs.items() if self._owned.get(p) == each)
        for partition in gone:
            del self._owned[partition]
        self._lost |= gone
        self._wants_rebalance |= bool(gone)

    @property
    def _must_watch(self) -> bool:
        return bool(self._led or self._owned) or self._subscription.pattern is not None

    # -- responses

    def _answer(self, message: Any, now: Millis) -> None:
        code: int = message.error_code
        verdict = CLASSIC.get(code, Verdict.FATAL)
        if verdict is Verdict.GOOD:
            self._good(message)
        elif verdict is Verdict.REBALANCE:
            self._rejoin_requested()
        elif code == Code.MEMBER_ID_REQUIRED and isinstance(message, JoinGroupResponse):
            self.standing.member_id = message.member_id  # KIP-394: join again with it
        elif code == Code.INCONSISTENT_GROUP_PROTOCOL and self.state is State.SYNCING:
            # The group was converted, which chose among the members' protocols anew (KIP-848).
            self._requests.failed(now, elsewhere=False)
            self._rejoin()
        else:
            if code == Code.UNKNOWN_MEMBER_ID:
                self.standing.member_id = ""
            self._not_good(verdict, _failure(code), now)

    def _good(self, message: Message) -> None:
        self._requests.succeeded()
        self._heard_at = self._requests.sent_at
        self._beat_at = self._requests.sent_at + self.identity.heartbeat_interval_ms
        match message:
            case JoinGroupResponse():
                self._joined(message)
            case SyncGroupResponse():
                self._synced(message)
            case HeartbeatResponse():
                self._current_at = self._requests.sent_at

    def _joined(self, message: JoinGroupResponse) -> None:
        self.standing.member_id = message.member_id
        self.standing.epoch = message.generation_id
        if self.state is State.UNSUBSCRIBING:
            return  # it gives up what it held all the while, and then leaves under this id
        if message.protocol_name not in {each.name for each in self.assignors}:
            self._refused(_failure(Code.INCONSISTENT_GROUP_PROTOCOL))
            return
        self._protocol = message.protocol_name
        is_leader = message.leader == message.member_id
        self._led = message.members if is_leader and not message.skip_assignment else ()
        self._given = None
        self._move(Input.JOINED)
        if self._led:
            topics = {name for each in talk.candidates(self._led) for name in each.claim.topics}
            self._known = None
            self._look_up(LookUp(names=tuple(sorted(topics))))

    def _synced(self, message: SyncGroupResponse) -> None:
        self._current_at = self._requests.sent_at
        if self.state is State.UNSUBSCRIBING:
            return
        try:
            given = formats.read_assignment(message.assignment)
        except formats.Unreadable:
            self._refused(_failure(Code.INCONSISTENT_GROUP_PROTOCOL))
            return
        self._accept(given)
        self._memory = Claim((), self._target, self.standing.epoch)
        # The leader withholds these for their next owners, as long as they are ours.
        lost_since = self._claimed - self._target - frozenset(self._owned)
        self._wants_rebalance |= bool(lost_since)
        self._move(Input.SYNCED)

    def _accept(self, given: Partitions) -> None:
        """Remove topics that it does not subscribe to. A static member that returns gets its
        previous partitions, whatever it subscribes to now (KIP-345): it requests a rebalance, as
        Java's does, but only once, since the leader may ignore subscriptions."""
        self._target = frozenset(each for each in given if each.topic in self._wanted)
        fits = self._target == given
        self._wants_rebalance |= self._returns_otherwise or (self._fits and not fits)
        self._returns_otherwise, self._fits = False, fits

    def _rejoin_requested(self) -> None:
        """REBALANCE_IN_PROGRESS: alive, but in a generation that ends."""
        self._requests.succeeded()
        self._heard_at = self._requests.sent_at
        self._beat_at = self._requests.sent_at + self.identity.heartbeat_interval_ms
        self._wants_rebalance = True
        if self.state in (State.JOINING, State.SYNCING):
            self._rejoin()

    # -- steps that depend on the state

    def _look_at_clock(self, now: Millis) -> None:
        if now >= self._lease() and (self._owned or self.state is State.RECONCILE_ASSIGNMENT):
            self._overslept()
        if self.state is State.STABLE and self._must_watch and now >= self._look_at:
            self._look_at = now + self.identity.metadata_max_age_ms
            everything = self._subscription.pattern is not None
            names = {*self._watched, *(each.topic for each in self._owned)}
            self._look_up(LookUp(names=() if everything else tuple(sorted(names))))

    def _prepare(self) -> bool:
        if self._known is None:
            return False
        wanted = topics_wanted(self._subscription, self._known)
        if self.identity.instance_id is not None and not self.standing.member_id and self._wanted:
            self._returns_otherwise |= wanted != self._wanted
        self._wanted = wanted
        owned = frozenset(self._owned)
        if gone := talk.to_give_up(owned, self._wanted, self.is_cooperative):
            self._revoke(gone)
            return False
        self._requests.give_up()
        self._wants_rebalance = False
        self._move(Input.PREPARED)
        return False

    def _reconcile(self) -> bool:
        owned = frozenset(self._owned)
        if gone := owned - self._target:
            self._wants_rebalance = True  # the next round gives them to their next owners
            self._revoke(gone)
            return False
        if come := self._target - owned:
            if self._has_ids(come):
                self._hand_out(come)
            return False
        self._move(Input.RECONCILED)
        return True

    def _stay(self) -> bool:
        if not self._wants_rebalance:
            return False
        self._rejoin()
        return True

    @property
    def _is_expected(self) -> bool:
        """Not before it has an id; a static member keeps its place."""
        return bool(self.standing.member_id) and self.identity.instance_id is None

    def _loss_is_reported(self) -> bool:
        self._look_up_subscribed()
        return super()._loss_is_reported()

    def _named(self, which: AbstractSet[TopicPartition]) -> Partitions:
        return frozenset(which)

    def _topic_id(self, which: TopicPartition) -> UUID | None:
        return self._ids.get(which.topic)

    # -- requests

    def _farewell(self) -> Message:
        return talk.leave(self.identity, self.standing.member_id)

    def _send_due(self, now: Millis) -> None:
        if self._may_send:
            _REQUESTS[self.state](self, now)
        elif self._is_beating and now >= self._beat_at:
            beat = talk.beat(self.identity, self.standing.member_id, self.standing.epoch)
            patience = self._patience(self.identity.heartbeat_interval_ms)
            self._requests.send(beat, patience, now)

    def _join(self, now: Millis) -> None:
        self._claimed = frozenset(self._owned)
        claim = Claim(self._wanted, self._claimed, self._memory.generation, self.identity.rack)
        request = talk.join(
            self.identity, self.standing.member_id, claim, self.assignors, self._memory
        )
        patience = self.identity.rebalance_timeout_ms + talk.JOIN_GRACE_MS
        self._requests.send(request, max(patience, self.identity.request_timeout_ms), now)

    def _sync(self, now: Millis) -> None:
        standing = self.standing.member_id, self.standing.epoch
        request = talk.sync(self.identity, standing, self._protocol, self._given or {})
        patience = self.identity.rebalance_timeout_ms + talk.JOIN_GRACE_MS
        self._requests.send(request, max(patience, self.identity.request_timeout_ms), now)

    @property
    def _may_send(self) -> bool:
        """Whether a join or a sync may be sent."""
        return self.state in _REQUESTS and not self._is_working_out

    @property
    def _is_working_out(self) -> bool:
        """The leader requests the topics first, and then runs its assignor."""
        return self.state is State.SYNCING and bool(self._led) and self._given is None

    def _work_out(self, counts: Mapping[str, int]) -> None:
        members = talk.candidates(self._led)
        self._watched = {
            topic: counts.get(topic, 0) for each in members for topic in each.claim.topics
        }
        assignor = next(each for each in self.assignors if each.name == self._protocol)
        self._rounds += 1
        work = partial(talk.work_out, assignor, counts, members)
        self._requests.effects.append(WorkOut(self._rounds, work))

    def _worked_out(self, result: WorkedOut, now: Millis) -> None:
        """A computed assignment is sent at once, without waiting for a heartbeat's response."""
        if result.number != self._rounds or not self._is_working_out:
            return
        self._requests.give_up()
        if result.error is None:
            self._mistakes = 0
            self._given = result.given
            return
        self._mistakes += 1
        if self._mistakes < MISTAKES_MAX:
            self._requests.failed(now, elsewhere=False)
            self._rejoin()
        else:
            self._requests.effects.append(End(result.error))
            self._move(Input.UNSUBSCRIBED)

    @property
    def _is_beating(self) -> bool:
        is_due = self.state in BEATING or self._is_working_out
        return is_due and self.standing.epoch >= 0 and not self._is_leaving

    def _lease(self) -> Millis:
        """Its session is running, and a rebalance that it does not know of cannot have ended
        without it."""
        return min(super()._lease(), self._current_at + self.identity.rebalance_timeout_ms)

    # -- end and start

    def _rejoin(self) -> None:
        self._requests.give_up()
        self._look_up_subscribed()
        self._move(Input.REBALANCE)

    def _overslept(self) -> None:
        """Too late for its partitions. A pending join continues: it may still be answered."""
        if self.state in _REQUESTS:
            self._lose_all()
        else:
            self._silent()

    def _begin_anew(self) -> None:
        self.standing.epoch = -1
        self._target, self._led = NOTHING, ()
        self._memory = Claim(())

    def _left(self) -> None:
        self.standing.member_id = ""
        super()._left()


def _failure(code: int) -> Fail:
    return Fail(code, name_of(code))


_STEPS: Final[Mapping[State, Callable[[ClassicMachine], bool]]] = {
    State.PREPARING: ClassicMachine._prepare,
    State.RECONCILE_ASSIGNMENT: ClassicMachine._reconcile,
    State.STABLE: ClassicMachine._stay,
    State.UNSUBSCRIBING: ClassicMachine._give_up_all,
    State.FENCED: ClassicMachine._loss_is_reported,
}
"""The step of a state when the application has returned from the last call."""

_REQUESTS: Final[Mapping[State, Callable[[ClassicMachine, Millis], None]]] = {
    State.JOINING: ClassicMachine._join,
    State.SYNCING: ClassicMachine._sync,
}
"""The request of a state, besides heartbeats."""
