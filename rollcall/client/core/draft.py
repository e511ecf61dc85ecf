"""A member of the 0.9 draft: join, be given partitions, heartbeat, leave; one machine, no I/O.

It moves by the table in ``draft_states``. The design's rules, and where they are kept:

- IllegalGeneration is: stop working, commit, call, join (``_prepare``). No heartbeat is sent
  between a join and its response; only a join that is put off (a coordinator that catches up, a
  frozen group) lets heartbeats go on, since the member is still one.
- The coordinator counts as dead when it says nothing for a session or closes the connection; work
  goes on while it is looked for (``_again``).
- A pattern is this member's own affair: it looks at the topics, and joins anew when others match.

As in ``classic``, a member that was not heard for a session knows so itself, counted from when it
*sent* what was answered. A response that comes long after its join proves little: a heartbeat is
answered first, then the partitions are handed out.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from protocol.messages.draft.join_group import JoinGroupResponse
from protocol.wire.declare import Message
from rollcall.client.core import draft_talk as talk
from rollcall.client.core.asking import Asking
from rollcall.client.core.backoff import Backoff
from rollcall.client.core.codes import DRAFT, Code, Verdict, draft_name_of
from rollcall.client.core.draft_states import TRANSITIONS, Input, State
from rollcall.client.core.wanted import topics_wanted
from rollcall.client.core.words import (
    NOTHING,
    Change,
    Effect,
    Event,
    Fail,
    Handled,
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
)

LEAVE_TIMEOUT_MS: Final[Millis] = 5_000

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


class DraftMachine:
    """``take`` what happens, do what it gives, come back when it is ``due``."""

    def __init__(self, identity: Identity, strategy: str, rng: Random) -> None:
        self.identity = identity
        self.strategy = strategy
        self.state = State.UNSUBSCRIBE
        self.standing = Standing()
        self._ask = Asking(Backoff(identity.retry_backoff_ms, identity.retry_backoff_max_ms, rng))
        self._subscription = Subscription()
        self._next: Subscription | None = None  # subscribed to while it leaves
        self._known: frozenset[str] | None = frozenset()  # topics' names; None: asked for
        self._wanted: tuple[str, ...] = ()
        self._owned: dict[TopicPartition, int] = self.standing.handed_out
        self._lost: Partitions = NOTHING
        self._given: Partitions = NOTHING  # by the last join, and not handed out yet
        self._wants_rebalance = False
        self._is_put_off = False
        self._is_leaving = False
        self._beat_at: Millis = 0
        self._look_at: Millis = 0
        self._heard_at: Millis = 0

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
                self._next = None
                self._move(Input.UNSUBSCRIBED)
            case Reply(ticket, message) if self._ask.answered(ticket):
                self._answer(message, now)
            case Unanswered(ticket) if self._ask.answered(ticket):
                self._unanswered(now)
            case Handled(ticket) if self._ask.handled(ticket):
                pass
            case Topics(known):
                self._known = frozenset(known)
                self._look_at = now + self.identity.metadata_max_age_ms
            case Tick() | Reply() | Unanswered() | Handled():
                pass
        self._settle(now)
        return self._ask.take()

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

    # -- the application's wishes

    def _subscribe(self, subscription: Subscription) -> None:
        if self.state is State.UNSUBSCRIBING:
            self._next = subscription
        else:
            self._subscription = subscription
            self._wants_rebalance = True
            if subscription.pattern is not None:
                self._known = None
                self._ask.effects.append(LookUp())
        self._move(Input.SUBSCRIBED)

    @property
    def _wants_others(self) -> bool:
        """Whether what it wants is not what it joined with: the topics have changed."""
        if self._known is None:
            return False
        return topics_wanted(self._subscription, self._known) != self._wanted

    # -- answers

    def _answer(self, message: Any, now: Millis) -> None:
        if self._is_leaving:
            self._left()
            return
        code: int = message.error_code
        verdict = DRAFT.get(code, Verdict.FATAL)
        if verdict is Verdict.GOOD:
            self._good(message)
        elif verdict is Verdict.REBALANCE:
            self._told_to_join()
        elif verdict is Verdict.FENCED:
            self.standing.member_id = ""
            self._fence()
        elif verdict is Verdict.FATAL:
            self._refused(code)
        else:
            self._is_put_off = code == Code.COORDINATOR_LOAD_IN_PROGRESS
            self._ask.failed(now, elsewhere=verdict is Verdict.REDISCOVER)

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
        if self._is_leaving:
            self._left()
            return
        self._is_put_off = False
        self._ask.failed(now, elsewhere=True)

    def _refused(self, code: int) -> None:
        if self.state is State.UNSUBSCRIBING:
            self._fence()
            return
        self._forget_all()
        self._move(Input.REFUSED)
        self._ask.effects.append(Fail(code, draft_name_of(code)))

    # -- what follows from where it stands

    def _settle(self, now: Millis) -> None:
        """Rules that depend on the state alone, until none applies any more."""
        if self._owned and now >= self._lease():
            self._ask.effects.append(Rediscover())  # who says nothing for a session is dead
            self._fence()
        if self.state is State.STABLE and self._subscription.pattern is not None:
            self._look(now)
        while self._ask.call is None and self._tell(now):
            continue
        self._send(now)

    def _look(self, now: Millis) -> None:
        if now >= self._look_at:
            self._look_at = now + self.identity.metadata_max_age_ms
            self._ask.effects.append(LookUp())

    def _tell(self, now: Millis) -> bool:
        """Tell the application one thing, or move on since it knows all; whether there is more."""
        if self._lost:
            lost, self._lost = self._lost, NOTHING
            self._call(Kind.LOST, lost)
            return False
        step = _STEPS.get(self.state)
        return step(self, now) if step is not None else False

    def _prepare(self, now: Millis) -> bool:
        if self._owned:
            self._revoke_all()
            return False
        if self._known is None:
            return False
        self._wanted = topics_wanted(self._subscription, self._known)
        self._wants_rebalance = self._is_put_off = False
        self._given = NOTHING
        self._ask.give_up()
        self._move(Input.PREPARED)
        return False

    def _take_up(self, now: Millis) -> bool:
        if self._given and not self._wants_rebalance:
            if now >= self._heard_at + self._interval:
                return False  # a heartbeat is due, and says whether they are still its own
            come, self._given = self._given, NOTHING
            self._owned |= dict.fromkeys(come, self.standing.epoch)
            self._call(Kind.ASSIGNED, come)
            return False
        self._move(Input.RECONCILED)
        return True

    def _stay(self, now: Millis) -> bool:
        if self._known is None or not (self._wants_rebalance or self._wants_others):
            return False
        self._move(Input.REBALANCE)
        return True

    def _give_up_all(self, now: Millis) -> bool:
        if self._owned:
            self._revoke_all()
            return False
        if self._is_leaving:
            return False
        if self._ask.request is not None:
            # What is held on that connection must not hold back the leave.
            self._ask.effects.append(Rediscover())
        self._ask.give_up()
        if self.standing.member_id:
            self._is_leaving = True
            return False
        self._left()  # nobody knows it
        return True

    def _loss_is_told(self, now: Millis) -> bool:
        self._move(Input.LOSS_TOLD)
        return True

    def _revoke_all(self) -> None:
        gone = frozenset(self._owned)
        self._owned.clear()
        self._call(Kind.REVOKED, gone)

    def _call(self, kind: Kind, which: Partitions) -> None:
        self._ask.tell(Change(kind, which, self.standing.epoch))

    # -- requests

    def _send(self, now: Millis) -> None:
        if self._ask.request is not None:
            return
        if self._is_leaving:
            self._ask.send(talk.leave(self.identity, self.standing), LEAVE_TIMEOUT_MS, now)
        elif now < self._ask.not_before:
            return
        elif self._is_member and now >= self._beat_at and self._may_beat:
            beat = talk.beat(self.identity, self.standing)
            self._ask.send(beat, self.identity.session_timeout_ms, now)
        elif self.state is State.JOINING:
            request = talk.join(self.identity, self.standing, self._wanted, self.strategy)
            longest = max(self.identity.session_timeout_ms, self.identity.request_timeout_ms)
            self._ask.send(request, longest + JOIN_GRACE_MS, now)

    @property
    def _may_beat(self) -> bool:
        return self.state is not State.JOINING or self._is_put_off

    def _lease(self) -> Millis:
        """Until when nobody else can have been given what this member owns."""
        return self._heard_at + self.identity.session_timeout_ms

    # -- endings and beginnings

    def _fence(self) -> None:
        self._forget_all()
        self._move(Input.FENCED)

    def _forget_all(self) -> None:
        """Out of its generation; the consumer id stays, unless the coordinator did not know it."""
        self._lost |= frozenset(self._owned)
        self._owned.clear()
        self.standing.epoch = -1
        self._given = NOTHING
        self._is_put_off = False
        self._ask.give_up()

    def _left(self) -> None:
        self._is_leaving = False
        self._forget_all()
        self.standing.member_id = ""
        self._move(Input.LEFT)
        if self._next is not None:
            wanted, self._next = self._next, None
            self._subscribe(wanted)

    def _move(self, why: Input) -> None:
        moves = TRANSITIONS[self.state]
        assert why in moves, f"{self.state.name} cannot take {why.name}"
        self.state = moves[why]


_STEPS: Final[Mapping[State, Callable[[DraftMachine, Millis], bool]]] = {
    State.PREPARING: DraftMachine._prepare,
    State.RECONCILE_ASSIGNMENT: DraftMachine._take_up,
    State.STABLE: DraftMachine._stay,
    State.UNSUBSCRIBING: DraftMachine._give_up_all,
    State.FENCED: DraftMachine._loss_is_told,
}
"""What a state does when the application has returned from what it was told last."""
