"""A member that the coordinator commands (the draft of 2012): one machine, no I/O.

It moves by the table in ``commanded_states``: register, ask for commands, do them, say so.

- A poll is a long one, and the member's heartbeat: another goes out as soon as one is answered,
  while the application is being told, too. It waits for a third of the session at most.
- Stopping is: stop handing out, commit, call; only then is the command acknowledged, and only
  when all have acknowledged does anybody start. Starting is: hand out, call, acknowledge.
- A new subscription is registered beside the work, which goes on. Whoever is unknown stops at
  once, and registers anew under its id.
- As in the other machines, a member that was not heard for a session knows so itself, counted
  from when it *sent* the poll that was answered. A coordinator that is only looked for disturbs
  nobody.
"""

from collections import deque
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final
from uuid import UUID

from protocol.messages.acknowledge_command import AcknowledgeCommandResponse
from protocol.messages.poll_commands import Command, PollCommandsResponse
from protocol.messages.register_consumer import RegisterConsumerResponse
from rollcall.client.core import commanded_talk as talk
from rollcall.client.core.asking import Asking
from rollcall.client.core.backoff import Backoff
from rollcall.client.core.classic_talk import leave
from rollcall.client.core.codes import COMMANDED, Code, Verdict, name_of
from rollcall.client.core.commanded_states import TRANSITIONS, Input, State
from rollcall.client.core.words import (
    NOTHING,
    Change,
    Effect,
    Event,
    Fail,
    Handled,
    Identity,
    Kind,
    Millis,
    Partitions,
    Rediscover,
    Reply,
    Standing,
    Subscribe,
    Subscription,
    TopicPartition,
    Unanswered,
    Unsubscribe,
)

LEAVE_TIMEOUT_MS: Final[Millis] = 5_000

HELD_SHARE: Final = 3
"""A poll may wait for a third of the session."""

PATIENCE_SHARE: Final = 2
"""Its answer is awaited for half of it: there is time left to look for another coordinator."""

PACE_MS: Final[Millis] = 100
"""Between polls that bring nothing: a coordinator that does not hold them is not stormed."""

POLLING: Final = (State.STABLE, State.OBEYING, State.UNSUBSCRIBING)


class CommandedMachine:
    """``take`` what happens, do what it gives, come back when it is ``due``."""

    def __init__(self, identity: Identity, rng: Random) -> None:
        self.identity = identity
        self.state = State.UNSUBSCRIBE
        who = UUID(int=rng.getrandbits(128), version=4)
        self.standing = Standing(member_id=f"{identity.group}-{who}")
        self._ask = Asking(Backoff(identity.retry_backoff_ms, identity.retry_backoff_max_ms, rng))
        self._subscription = Subscription()
        self._next: Subscription | None = None  # subscribed to while it leaves
        self._owned: dict[TopicPartition, int] = self.standing.handed_out
        self._lost: Partitions = NOTHING
        self._todo: deque[Command] = deque()
        self._received = 0
        self._is_registered = False
        self._offered: Subscription | None = None  # what the coordinator knows of
        self._offering = self._subscription
        self._is_polling = False  # the request on its way is a poll
        self._is_leaving = False
        self._poll_at: Millis = 0
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
            case _:
                pass
        self._settle(now)
        return self._ask.take()

    def due(self) -> Millis | None:
        """When to come back with a ``Tick``."""
        times = []
        if self._ask.request is None:
            if self.state in (State.REGISTERING, State.ACKNOWLEDGING):
                times.append(self._ask.not_before)
            elif self._may_poll:
                wanted = 0 if self._offers_anew else self._poll_at
                times.append(max(wanted, self._ask.not_before))
        if self._owned:
            times.append(self._lease())
        return min(times, default=None)

    @property
    def _may_poll(self) -> bool:
        return self.state in POLLING and self._is_registered and not self._is_leaving

    # -- the application's wishes

    def _subscribe(self, subscription: Subscription) -> None:
        if self.state is State.UNSUBSCRIBING:
            self._next = subscription
        else:
            self._subscription = subscription
        self._move(Input.SUBSCRIBED)

    # -- answers

    def _answer(self, message: Any, now: Millis) -> None:
        if self._is_leaving:
            self._left()
            return
        code = message.error_code
        verdict = COMMANDED.get(code, Verdict.FATAL)
        if code == Code.INVALID_REQUEST and self.state is State.ACKNOWLEDGING:
            verdict = Verdict.FENCED  # not its command, so not its group: it begins anew
        if verdict is Verdict.GOOD:
            self._good(message, now)
        elif verdict is Verdict.FENCED:
            self._fence()
        elif verdict is Verdict.FATAL:
            self._refused(message)
        else:
            self._ask.failed(now, elsewhere=verdict is Verdict.REDISCOVER)

    def _good(self, message: Any, now: Millis) -> None:
        self._ask.succeeded()
        match message:
            case RegisterConsumerResponse():
                self._heard_at = self._ask.sent_at
                self._registered(message)
            case PollCommandsResponse():
                self._heard_at = self._ask.sent_at
                self._heard_commands(message.commands, now)
            case AcknowledgeCommandResponse():
                self._todo.popleft()
                self._move(Input.SAID)

    def _registered(self, message: RegisterConsumerResponse) -> None:
        self.standing.member_id = message.consumer_id
        self._offered = self._offering
        if not self._is_registered:
            self._is_registered = True
            self._received = message.last_command_id
            self.standing.epoch = message.generation_id
        if self.state is not State.UNSUBSCRIBING:
            self._move(Input.REGISTERED)

    def _heard_commands(self, commands: Any, now: Millis) -> None:
        self._poll_at = now if commands else now + PACE_MS
        for command in commands:
            if command.command_id > self._received:
                self._received = command.command_id
                self._todo.append(command)

    def _unanswered(self, now: Millis) -> None:
        if self._is_leaving:
            self._left()
        else:
            self._ask.failed(now, elsewhere=True)

    def _refused(self, message: Any) -> None:
        if self.state is State.UNSUBSCRIBING:
            self._fence()
            return
        if self._offering != self._subscription:
            return  # that was another offer: the next one goes out
        self._forget_all()
        self._move(Input.REFUSED)
        code = message.error_code
        self._ask.effects.append(Fail(code, message.error_message or name_of(code)))

    # -- what follows from where it stands

    def _settle(self, now: Millis) -> None:
        """Rules that depend on the state alone, until none applies any more."""
        if self._owned and now >= self._lease():
            self._ask.effects.append(Rediscover())
            self._fence()
        while self._ask.call is None and self._tell():
            continue
        self._send(now)

    def _tell(self) -> bool:
        """Tell the application one thing, or move on since it knows all; whether there is more."""
        if self._lost:
            lost, self._lost = self._lost, NOTHING
            self._call(Kind.LOST, lost)
            return False
        step = _STEPS.get(self.state)
        return step(self) if step is not None else False

    def _look_at_commands(self) -> bool:
        if not self._todo:
            return False
        self._move(Input.COMMANDED)
        return True

    def _obey(self) -> bool:
        """Do the first command: give up what it does not name, take up what it does."""
        command = self._todo[0]
        threads = talk.owned_by(command)
        if threads is None:  # to go on with what it has
            threads = self.standing.threads
        if gone := frozenset(self._owned) - threads.keys():
            self._revoke(gone)
            return False
        if command.option == talk.START and command.generation_id >= 0:
            self.standing.epoch = command.generation_id
        if come := threads.keys() - self._owned.keys():
            self._owned |= dict.fromkeys(come, self.standing.epoch)
            self.standing.threads = dict(threads)
            self._call(Kind.ASSIGNED, frozenset(come))
            return False
        self._ask.give_up()  # the poll on its way: the acknowledgement goes first
        self._move(Input.DONE)
        return False

    def _give_up_all(self) -> bool:
        if self._owned:
            self._revoke(frozenset(self._owned))
            return False
        if not self._is_leaving:
            self._is_leaving = True
            self._ask.give_up()
        return False

    def _loss_is_told(self) -> bool:
        self._move(Input.LOSS_TOLD)
        return True

    def _revoke(self, gone: Partitions) -> None:
        for partition in gone:
            del self._owned[partition]
        self._call(Kind.REVOKED, gone)

    def _call(self, kind: Kind, which: Partitions) -> None:
        self._ask.tell(Change(kind, which, self.standing.epoch))

    # -- requests

    def _send(self, now: Millis) -> None:
        if self._ask.request is not None and self._is_polling and self._offers_anew:
            self._ask.give_up()
        if self._ask.request is not None:
            return
        self._is_polling = False
        session_ms = self.identity.session_timeout_ms
        if self._is_leaving:
            self._ask.send(leave(self.identity, self.standing.member_id), LEAVE_TIMEOUT_MS, now)
        elif now < self._ask.not_before:
            return
        elif self.state is State.REGISTERING or self._offers_anew:
            self._offer(now)
        elif self.state is State.ACKNOWLEDGING:
            done = self._todo[0].command_id
            request = talk.acknowledge(self.identity, self.standing.member_id, done)
            self._ask.send(request, session_ms // PATIENCE_SHARE, now)
        elif self._may_poll and now >= self._poll_at:
            wait_ms = session_ms // HELD_SHARE
            who = self.standing.member_id
            request_ = talk.poll(self.identity, who, self._received, wait_ms)
            self._is_polling = True
            self._ask.send(request_, session_ms // PATIENCE_SHARE, now)

    @property
    def _offers_anew(self) -> bool:
        """Beside the work, which goes on."""
        is_news = self._offered != self._subscription
        return is_news and self.state in (State.STABLE, State.OBEYING)

    def _offer(self, now: Millis) -> None:
        self._offering = self._subscription
        generation = self.standing.epoch if self._is_registered else -1
        request = talk.register(
            self.identity, self.standing.member_id, generation, self._subscription
        )
        self._ask.send(request, self.identity.session_timeout_ms // PATIENCE_SHARE, now)

    def _lease(self) -> Millis:
        """Until when nobody else can have been given what this member owns."""
        return self._heard_at + self.identity.session_timeout_ms

    # -- endings and beginnings

    def _fence(self) -> None:
        self._forget_all()
        self._move(Input.FENCED)

    def _forget_all(self) -> None:
        """Registered nowhere: what was handed out is lost, the id stays."""
        self._lost |= frozenset(self._owned)
        self._owned.clear()
        self.standing.threads = {}
        self._todo.clear()
        self._is_registered, self._offered = False, None
        self.standing.epoch = -1
        self._ask.give_up()

    def _left(self) -> None:
        self._is_leaving = False
        self._forget_all()
        self._move(Input.LEFT)
        if self._next is not None:
            wanted, self._next = self._next, None
            self._subscribe(wanted)

    def _move(self, why: Input) -> None:
        moves = TRANSITIONS[self.state]
        assert why in moves, f"{self.state.name} cannot take {why.name}"
        self.state = moves[why]


_STEPS: Final[Mapping[State, Callable[[CommandedMachine], bool]]] = {
    State.STABLE: CommandedMachine._look_at_commands,
    State.OBEYING: CommandedMachine._obey,
    State.UNSUBSCRIBING: CommandedMachine._give_up_all,
    State.FENCED: CommandedMachine._loss_is_told,
}
"""What a state does when the application has returned from what it was told last."""
