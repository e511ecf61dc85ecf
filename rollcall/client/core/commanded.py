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
from collections.abc import Set as AbstractSet
from random import Random
from typing import Any, Final
from uuid import UUID

from rollcall.client.core import commanded_messages as talk
from rollcall.client.core.classic_messages import leave
from rollcall.client.core.codes import COMMANDED, Code, Verdict, name_of
from rollcall.client.core.commanded_states import TRANSITIONS, Input, State
from rollcall.client.core.events import (
    Fail,
    HandOut,
    Identity,
    Millis,
    Partitions,
    Rediscover,
    Standing,
    Subscription,
    TopicPartition,
    Topics,
)
from rollcall.client.core.machine import MemberMachine, Table
from rollcall.wire.declare import Message
from rollcall.wire.messages.acknowledge_command import AcknowledgeCommandResponse
from rollcall.wire.messages.poll_commands import Command, PollCommandsResponse
from rollcall.wire.messages.register_consumer import RegisterConsumerResponse

HELD_SHARE: Final = 3
"""A poll may wait for a third of the session."""

IN_HASTE_SHARE: Final = 2
"""Half a session after the last poll that was answered the next one does not wait: where a
coordinator handed the group over in the middle of a wait, a second wait would be too long."""

PATIENCE_SHARE: Final = 2
"""Its answer is awaited for half of it: there is time left to look for another coordinator."""

PACE_MS: Final[Millis] = 100
"""Between polls that bring nothing: a coordinator that does not hold them is not stormed."""

POLLING: Final = (State.STABLE, State.OBEYING, State.UNSUBSCRIBING)


class CommandedMachine(MemberMachine[State, Input, TopicPartition]):
    """One member of a commanded group; ``MemberMachine`` says how a machine is used."""

    def __init__(self, identity: Identity, rng: Random) -> None:
        who = UUID(int=rng.getrandbits(128), version=4)
        standing = Standing(member_id=f"{identity.group}-{who}")
        table = Table(State, Input, TRANSITIONS, _STEPS)
        super().__init__(table, identity, standing, standing.handed_out, standing.revoking, rng)
        self._todo: deque[Command] = deque()
        self._received = 0
        self._is_registered = False
        self._offered: Subscription | None = None  # what the coordinator knows of
        self._offering = self._subscription
        self._is_polling = False  # the request on its way is a poll
        self._poll_at: Millis = 0

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

    # -- the application's wishes, and the topics

    def _want_anew(self) -> None:
        """It is registered beside the work (``_offers_anew``)."""

    def _learn(self, topics: Topics, now: Millis) -> None:
        """Which topics there are is the coordinator's affair."""

    def _topics_gone(self, hand_outs: Mapping[TopicPartition, HandOut]) -> None:
        """Register anew: the coordinator knows names, and may not have seen that one was gone."""
        if any(self._owned.get(p) == each for p, each in hand_outs.items()):
            self._fence()

    # -- answers

    def _answer(self, message: Any, now: Millis) -> None:
        code: int = message.error_code
        verdict = COMMANDED.get(code, Verdict.FATAL)
        if code == Code.INVALID_REQUEST and self.state is State.ACKNOWLEDGING:
            verdict = Verdict.FENCED  # not its command, so not its group: it begins anew
        if verdict is Verdict.GOOD:
            self._good(message, now)
        else:
            self._not_good(verdict, Fail(code, message.error_message or name_of(code)), now)

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
                if self.state is not State.UNSUBSCRIBING:
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

    def _refused(self, why: Fail) -> None:
        if self.state is State.UNSUBSCRIBING or self._offering == self._subscription:
            super()._refused(why)
        # else that was another offer: the next one goes out

    # -- what follows from where it stands

    def _look_at_clock(self, now: Millis) -> None:
        if self._owned and now >= self._lease():
            self._ask.effects.append(Rediscover())
            self._fence()

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
            if not self._has_ids(come):
                return False
            self.standing.threads = dict(threads)
            self._hand_out(come)
            return False
        self._ask.give_up()  # the poll on its way: the acknowledgement goes first
        self._move(Input.DONE)
        return False

    def _named(self, which: AbstractSet[TopicPartition]) -> Partitions:
        return frozenset(which)

    def _topic_id(self, which: TopicPartition) -> UUID | None:
        return self._ids.get(which.topic)

    # -- requests

    def _farewell(self) -> Message:
        return leave(self.identity, self.standing.member_id)

    def _send(self, now: Millis) -> None:
        if self._ask.request is not None and self._is_polling and self._offers_anew:
            self._ask.give_up()
        super()._send(now)

    def _send_due(self, now: Millis) -> None:
        self._is_polling = False
        patience = self.identity.session_timeout_ms // PATIENCE_SHARE
        if self.state is State.REGISTERING or self._offers_anew:
            self._offer(now)
        elif self.state is State.ACKNOWLEDGING:
            done = self._todo[0].command_id
            acknowledge = talk.acknowledge(self.identity, self.standing.member_id, done)
            self._ask.send(acknowledge, patience, now)
        elif self._may_poll and now >= self._poll_at:
            session_ms = self.identity.session_timeout_ms
            is_in_haste = now - self._heard_at >= session_ms // IN_HASTE_SHARE
            wait_ms = 0 if is_in_haste else session_ms // HELD_SHARE
            poll = talk.poll(self.identity, self.standing.member_id, self._received, wait_ms)
            self._is_polling = True
            self._ask.send(poll, patience, now)

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

    # -- endings and beginnings

    def _begin_anew(self) -> None:
        """Registered nowhere; the id stays."""
        self.standing.epoch, self.standing.threads = -1, {}
        self._todo.clear()
        self._is_registered, self._offered = False, None


_STEPS: Final[Mapping[State, Callable[[CommandedMachine], bool]]] = {
    State.STABLE: CommandedMachine._look_at_commands,
    State.OBEYING: CommandedMachine._obey,
    State.UNSUBSCRIBING: CommandedMachine._give_up_all,
    State.FENCED: CommandedMachine._loss_is_told,
}
"""What a state does when the application has returned from what it was told last."""
