"""A member of the 0.9 draft: join, get partitions, heartbeat, leave; one machine, no I/O.

Its transitions are in ``draft_states``. The design's rules, and where they are implemented:

- After IllegalGeneration it stops work, commits, calls the application, joins (``_prepare``). No
  heartbeat is sent between a join and its response; only if a join is put off (a coordinator that
  loads, a frozen group) do heartbeats continue, since the consumer is still a member.
- The coordinator counts as dead when it is silent for a session or closes the connection; work
  continues during the look-up of a new one (``Asking.failed``).
- The member matches patterns itself: it reads the topics, and joins again when others match.

As in ``classic``, a member whose session may have ended notices that itself, counted from when it
*sent* the last answered request. A response long after its join proves little: first a heartbeat
has to be answered, then the partitions are assigned.
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from random import Random
from typing import Any, Final

from rollcall.client.core import draft_messages as talk
from rollcall.client.core.codes import DRAFT, Code, Verdict, draft_name_of
from rollcall.client.core.draft_states import TRANSITIONS, Input, State
from rollcall.client.core.events import (
    NOTHING,
    Fail,
    Identity,
    LookUp,
    Millis,
    Partitions,
    Rediscover,
    Standing,
    TopicPartition,
    Topics,
)
from rollcall.client.core.machine import MemberMachine, Table
from rollcall.client.core.subscription_match import topics_wanted
from rollcall.wire.declare import Message
from rollcall.wire.messages.draft.join_group import JoinGroupResponse

JOIN_GRACE_MS: Final[Millis] = 5_000
"""A join is answered when the longest session in the group has passed, and at most this much later.
``request_timeout_ms`` is used for that session, since coordinators usually allow no longer one."""

BEATING: Final = (
    State.PREPARING,
    State.JOINING,  # only while the join is put off
    State.RECONCILE_ASSIGNMENT,
    State.STABLE,
    State.UNSUBSCRIBING,
)


class DraftMachine(MemberMachine[State, Input, TopicPartition]):
    """One member of a draft group; see ``MemberMachine`` for its use."""

    def __init__(self, identity: Identity, strategy: str, rng: Random) -> None:
        standing = Standing()
        table = Table(State, Input, TRANSITIONS, _STEPS)
        super().__init__(table, identity, standing, standing.handed_out, standing.revoking, rng)
        self.strategy = strategy
        self._known: frozenset[str] | None = frozenset()  # topics' names; None: requested
        self._wanted: tuple[str, ...] = ()
        self._given: Partitions = NOTHING  # from the last join, not assigned yet
        self._wants_rebalance = False
        self._is_put_off = False
        self._is_stale = False  # the response is older than a heartbeat interval
        self._beat_at: Millis = 0
        self._look_at: Millis = 0

    def due(self) -> Millis | None:
        """When to return with a ``Tick``."""
        times = []
        if self._requests.request is None:
            if self.state is State.JOINING:
                times.append(self._requests.not_before)
            elif self._is_member:
                times.append(max(self._beat_at, self._requests.not_before))
        if self._owned:
            times.append(self._lease())
        if self.state is State.STABLE and self._subscription.pattern is not None:
            times.append(self._look_at)
        return min(times, default=None)

    @property
    def _is_member(self) -> bool:
        """Whether the coordinator expects heartbeats, as far as the member knows."""
        return self.state in BEATING and self.standing.epoch >= 0 and not self._is_leaving

    @property
    def _interval(self) -> Millis:
        return self.identity.session_timeout_ms // self.identity.heartbeat_frequency

    # -- subscriptions and topics

    def _want_anew(self) -> None:
        self._wants_rebalance = True
        if self._subscription.pattern is not None:
            self._known = None
            self._requests.effects.append(LookUp())

    def _learn(self, topics: Topics, now: Millis) -> None:
        self._known = frozenset(topics.known)
        self._look_at = now + self.identity.metadata_max_age_ms

    @property
    def _wants_others(self) -> bool:
        """Whether the subscribed topics differ from those of its join."""
        if self._known is None:
            return False
        return topics_wanted(self._subscription, self._known) != self._wanted

    # -- responses

    def _answer(self, message: Any, now: Millis) -> None:
        code: int = message.error_code
        verdict = DRAFT.get(code, Verdict.FATAL)
        if verdict is Verdict.GOOD:
            self._good(message)
        elif verdict is Verdict.REBALANCE:
            self._join_requested()
        else:
            if verdict is Verdict.FENCED:
                self.standing.member_id = ""
            self._is_put_off = code == Code.COORDINATOR_LOAD_IN_PROGRESS
            self._not_good(verdict, Fail(code, draft_name_of(code)), now)

    def _good(self, message: Message) -> None:
        self._requests.succeeded()
        self._heard_at = self._requests.sent_at
        self._beat_at = self._requests.sent_at + self._interval
        if isinstance(message, JoinGroupResponse):
            self.standing.member_id = message.consumer_id
            self.standing.epoch = message.group_generation_id
            self._given = talk.given(message)
            self._move(Input.JOINED)

    def _join_requested(self) -> None:
        """IllegalGeneration. It does not extend the session (``_heard_at`` stays)."""
        self._requests.succeeded()
        self._beat_at = self._requests.sent_at + self._interval
        if self.state is State.JOINING:
            self._is_put_off = False  # or a newer join has replaced this one: join again
            self._move(Input.REBALANCE)
        else:
            self._wants_rebalance = True

    def _unanswered(self, now: Millis) -> None:
        self._is_put_off = False
        super()._unanswered(now)

    # -- steps that depend on the state

    def _look_at_clock(self, now: Millis) -> None:
        if self._owned and now >= self._lease():
            self._silent()
        self._is_stale = now >= self._heard_at + self._interval
        is_watching = self.state is State.STABLE and self._subscription.pattern is not None
        if is_watching and now >= self._look_at:
            self._look_at = now + self.identity.metadata_max_age_ms
            self._requests.effects.append(LookUp())

    def _prepare(self) -> bool:
        if self._owned:
            self._revoke(frozenset(self._owned))
            return False
        if self._known is None:
            return False
        self._wanted = topics_wanted(self._subscription, self._known)
        self._wants_rebalance = self._is_put_off = False
        self._given = NOTHING
        self._requests.give_up()
        self._move(Input.PREPARED)
        return False

    def _take_up(self) -> bool:
        if self._given and not self._wants_rebalance:
            if self._is_stale:
                return False  # a heartbeat is due, and shows whether they are still its own
            come, self._given = self._given, NOTHING
            self._hand_out(come)
            return False
        self._move(Input.RECONCILED)
        return True

    def _stay(self) -> bool:
        if self._known is None or not (self._wants_rebalance or self._wants_others):
            return False
        self._move(Input.REBALANCE)
        return True

    def _leave(self) -> bool:
        if self._requests.request is not None:
            # A held request on that connection must not delay the leave.
            self._requests.effects.append(Rediscover())
        return super()._leave()

    @property
    def _is_expected(self) -> bool:
        """Not before it has an id."""
        return bool(self.standing.member_id)

    def _named(self, which: AbstractSet[TopicPartition]) -> Partitions:
        return frozenset(which)

    # -- requests

    def _farewell(self) -> Message:
        return talk.leave(self.identity, self.standing)

    def _send_due(self, now: Millis) -> None:
        if self._is_member and now >= self._beat_at and self._may_beat:
            beat = talk.beat(self.identity, self.standing)
            self._requests.send(beat, self.identity.session_timeout_ms, now)
        elif self.state is State.JOINING:
            request = talk.join(self.identity, self.standing, self._wanted, self.strategy)
            longest = max(self.identity.session_timeout_ms, self.identity.request_timeout_ms)
            self._requests.send(request, longest + JOIN_GRACE_MS, now)

    @property
    def _may_beat(self) -> bool:
        return self.state is not State.JOINING or self._is_put_off

    # -- end and start

    def _begin_anew(self) -> None:
        """The consumer id stays, unless the coordinator did not know it."""
        self.standing.epoch = -1
        self._given = NOTHING
        self._is_put_off = False

    def _left(self) -> None:
        self.standing.member_id = ""
        super()._left()


_STEPS: Final[Mapping[State, Callable[[DraftMachine], bool]]] = {
    State.PREPARING: DraftMachine._prepare,
    State.RECONCILE_ASSIGNMENT: DraftMachine._take_up,
    State.STABLE: DraftMachine._stay,
    State.UNSUBSCRIBING: DraftMachine._give_up_all,
    State.FENCED: DraftMachine._loss_is_reported,
}
"""The step of a state when the application has returned from the last call."""
