"""A member of the 0.9 draft: join, be given partitions, heartbeat, leave; one machine, no I/O.

It moves by the table in ``draft_states``. The design's rules, and where they are kept:

- IllegalGeneration is: stop working, commit, call, join (``_prepare``). No heartbeat is sent
  between a join and its response; only a join that is put off (a coordinator that catches up, a
  frozen group) lets heartbeats go on, since the member is still one.
- The coordinator counts as dead when it says nothing for a session or closes the connection; work
  goes on while it is looked for (``Asking.failed``).
- A pattern is this member's own affair: it looks at the topics, and joins anew when others match.

As in ``classic``, a member that was not heard for a session knows so itself, counted from when it
*sent* what was answered. A response that comes long after its join proves little: a heartbeat is
answered first, then the partitions are handed out.
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
"""A join is answered when the longest session in the group has passed, and this much later at
most. ``request_timeout_ms`` stands for that session: usually no coordinator allows a longer one."""

BEATING: Final = (
    State.PREPARING,
    State.JOINING,  # only while the join is put off
    State.RECONCILE_ASSIGNMENT,
    State.STABLE,
    State.UNSUBSCRIBING,
)


class DraftMachine(MemberMachine[State, Input, TopicPartition]):
    """One member of a draft group; ``MemberMachine`` says how a machine is used."""

    def __init__(self, identity: Identity, strategy: str, rng: Random) -> None:
        standing = Standing()
        table = Table(State, Input, TRANSITIONS, _STEPS)
        super().__init__(table, identity, standing, standing.handed_out, standing.revoking, rng)
        self.strategy = strategy
        self._known: frozenset[str] | None = frozenset()  # topics' names; None: asked for
        self._wanted: tuple[str, ...] = ()
        self._given: Partitions = NOTHING  # by the last join, and not handed out yet
        self._wants_rebalance = False
        self._is_put_off = False
        self._is_stale = False  # what it heard is older than a heartbeat
        self._beat_at: Millis = 0
        self._look_at: Millis = 0

    def due(self) -> Millis | None:
        """When to come back with a ``Tick``."""
        times = []
        if self._ask.request is None:
            if self.state is State.JOINING:
                times.append(self._ask.not_before)
            elif self._is_member:
                times.append(max(self._beat_at, self._ask.not_before))
        if self._owned:
            times.append(self._lease())
        if self.state is State.STABLE and self._subscription.pattern is not None:
            times.append(self._look_at)
        return min(times, default=None)

    @property
    def _is_member(self) -> bool:
        """Whether the coordinator expects heartbeats, as far as is known here."""
        return self.state in BEATING and self.standing.epoch >= 0 and not self._is_leaving

    @property
    def _interval(self) -> Millis:
        return self.identity.session_timeout_ms // self.identity.heartbeat_frequency

    # -- the application's wishes, and the topics

    def _want_anew(self) -> None:
        self._wants_rebalance = True
        if self._subscription.pattern is not None:
            self._known = None
            self._ask.effects.append(LookUp())

    def _learn(self, topics: Topics, now: Millis) -> None:
        self._known = frozenset(topics.known)
        self._look_at = now + self.identity.metadata_max_age_ms

    @property
    def _wants_others(self) -> bool:
        """Whether what it wants is not what it joined with: the topics have changed."""
        if self._known is None:
            return False
        return topics_wanted(self._subscription, self._known) != self._wanted

    # -- answers

    def _answer(self, message: Any, now: Millis) -> None:
        code: int = message.error_code
        verdict = DRAFT.get(code, Verdict.FATAL)
        if verdict is Verdict.GOOD:
            self._good(message)
        elif verdict is Verdict.REBALANCE:
            self._told_to_join()
        else:
            if verdict is Verdict.FENCED:
                self.standing.member_id = ""
            self._is_put_off = code == Code.COORDINATOR_LOAD_IN_PROGRESS
            self._not_good(verdict, Fail(code, draft_name_of(code)), now)

    def _good(self, message: Message) -> None:
        self._ask.succeeded()
        self._heard_at = self._ask.sent_at
        self._beat_at = self._ask.sent_at + self._interval
        if isinstance(message, JoinGroupResponse):
            self.standing.member_id = message.consumer_id
            self.standing.epoch = message.group_generation_id
            self._given = talk.given(message)
            self._move(Input.JOINED)

    def _told_to_join(self) -> None:
        """IllegalGeneration. It does not prolong the session (``_heard_at`` stays)."""
        self._ask.succeeded()
        self._beat_at = self._ask.sent_at + self._interval
        if self.state is State.JOINING:
            self._is_put_off = False  # or the join was overtaken by a newer one: join again
            self._move(Input.REBALANCE)
        else:
            self._wants_rebalance = True

    def _unanswered(self, now: Millis) -> None:
        self._is_put_off = False
        super()._unanswered(now)

    # -- what follows from where it stands

    def _look_at_clock(self, now: Millis) -> None:
        if self._owned and now >= self._lease():
            self._ask.effects.append(Rediscover())  # who says nothing for a session is dead
            self._fence()
        self._is_stale = now >= self._heard_at + self._interval
        is_watching = self.state is State.STABLE and self._subscription.pattern is not None
        if is_watching and now >= self._look_at:
            self._look_at = now + self.identity.metadata_max_age_ms
            self._ask.effects.append(LookUp())

    def _prepare(self) -> bool:
        if self._owned:
            self._revoke(frozenset(self._owned))
            return False
        if self._known is None:
            return False
        self._wanted = topics_wanted(self._subscription, self._known)
        self._wants_rebalance = self._is_put_off = False
        self._given = NOTHING
        self._ask.give_up()
        self._move(Input.PREPARED)
        return False

    def _take_up(self) -> bool:
        if self._given and not self._wants_rebalance:
            if self._is_stale:
                return False  # a heartbeat is due, and says whether they are still its own
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
        if self._ask.request is not None:
            # What is held on that connection must not hold back the leave.
            self._ask.effects.append(Rediscover())
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
            self._ask.send(beat, self.identity.session_timeout_ms, now)
        elif self.state is State.JOINING:
            request = talk.join(self.identity, self.standing, self._wanted, self.strategy)
            longest = max(self.identity.session_timeout_ms, self.identity.request_timeout_ms)
            self._ask.send(request, longest + JOIN_GRACE_MS, now)

    @property
    def _may_beat(self) -> bool:
        return self.state is not State.JOINING or self._is_put_off

    # -- endings and beginnings

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
    State.FENCED: DraftMachine._loss_is_told,
}
"""What a state does when the application has returned from what it was told last."""
