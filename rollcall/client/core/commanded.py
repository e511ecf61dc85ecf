"""A commanded member (the draft of 2012): one machine, no I/O.

Its transitions are in ``commanded_states``: register, poll for commands, execute them, acknowledge.

- A poll is a long one, and the member's heartbeat: the next one is sent as soon as one is answered,
  also during a call of the application. It waits for a third of the session at most.
- To stop, it stops work, commits, and calls the application; only then is the command acknowledged,
  and only after all have acknowledged does any member start. To start, it makes the partitions
  available, calls the application, and acknowledges.
- A new subscription is registered while the work continues. A member that the coordinator does not
  know stops at once, and registers again with its id.
- As in the other machines, a member whose session may have ended notices that itself, counted from
  when it *sent* the last answered poll. The look-up of a coordinator interrupts no work.
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
"""If the last answered poll was half a session ago, the next one does not wait: a coordinator may
have handed the group over during a wait, and a second wait would be too long."""

PATIENCE_SHARE: Final = 2
"""Its response is awaited for half of that: there is time left to find another coordinator."""

PACE_MS: Final[Millis] = 100
"""The pause between polls without commands, for a coordinator that does not hold them."""

POLLING: Final = (State.STABLE, State.OBEYING, State.UNSUBSCRIBING)


class CommandedMachine(MemberMachine[State, Input, TopicPartition]):
    """One member of a commanded group; see ``MemberMachine`` for its use."""

    def __init__(self, identity: Identity, rng: Random) -> None:
        who = UUID(int=rng.getrandbits(128), version=4)
        standing = Standing(member_id=f"{identity.group}-{who}")
        table = Table(State, Input, TRANSITIONS, _STEPS)
        super().__init__(table, identity, standing, standing.handed_out, standing.revoking, rng)
        self._todo: deque[Command] = deque()
        self._received = 0
        self._is_registered = False
        self._offered: Subscription | None = None  # the offer that the coordinator has
        self._offering = self._subscription
        self._is_polling = False  # whether the pending request is a poll
        self._poll_at: Millis = 0

    def due(self) -> Millis | None:
        """When to return with a ``Tick``."""
        times = []
        if self._requests.request is None:
            if self.state in (State.REGISTERING, State.ACKNOWLEDGING):
                times.append(self._requests.not_before)
            elif self._may_poll:
                wanted = 0 if self._offers_anew else self._poll_at
                times.append(max(wanted, self._requests.not_before))
        if self._owned:
            times.append(self._lease())
        return min(times, default=None)

    @property
    def _may_poll(self) -> bool:
        return self.state in POLLING and self._is_registered and not self._is_leaving

    # -- subscriptions and topics

    def _want_anew(self) -> None:
        """It is registered while the work continues (``_offers_anew``)."""

    def _learn(self, topics: Topics, now: Millis) -> None:
        """The coordinator watches the topics."""

    def _topics_gone(self, hand_outs: Mapping[TopicPartition, HandOut]) -> None:
        """Register again: the coordinator knows names, and may not have noticed that one was
        deleted."""
        if any(self._owned.get(p) == each for p, each in hand_outs.items()):
            self._fence()

    # -- responses

    def _answer(self, message: Any, now: Millis) -> None:
        code: int = message.error_code
        verdict = COMMANDED.get(code, Verdict.FATAL)
        if code == Code.INVALID_REQUEST and self.state is State.ACKNOWLEDGING:
            verdict = Verdict.FENCED  # not a command of its group: it begins again
        if verdict is Verdict.GOOD:
            self._good(message, now)
        else:
            self._not_good(verdict, Fail(code, message.error_message or name_of(code)), now)

    def _good(self, message: Any, now: Millis) -> None:
        self._requests.succeeded()
        match message:
            case RegisterConsumerResponse():
                self._heard_at = self._requests.sent_at
                self._registered(message)
            case PollCommandsResponse():
                self._heard_at = self._requests.sent_at
                self._take_commands(message.commands, now)
            case AcknowledgeCommandResponse():
                self._todo.popleft()
                if self.state is not State.UNSUBSCRIBING:
                    self._move(Input.ACKNOWLEDGED)

    def _registered(self, message: RegisterConsumerResponse) -> None:
        self.standing.member_id = message.consumer_id
        self._offered = self._offering
        if not self._is_registered:
            self._is_registered = True
            self._received = message.last_command_id
            self.standing.epoch = message.generation_id
        if self.state is not State.UNSUBSCRIBING:
            self._move(Input.REGISTERED)

    def _take_commands(self, commands: Any, now: Millis) -> None:
        self._poll_at = now if commands else now + PACE_MS
        for command in commands:
            if command.command_id > self._received:
                self._received = command.command_id
                self._todo.append(command)

    def _refused(self, why: Fail) -> None:
        if self.state is State.UNSUBSCRIBING or self._offering == self._subscription:
            super()._refused(why)
        # otherwise that was an earlier offer: the next one is sent

    # -- steps that depend on the state

    def _look_at_clock(self, now: Millis) -> None:
        if self._owned and now >= self._lease():
            self._silent()

    def _look_at_commands(self) -> bool:
        if not self._todo:
            return False
        self._move(Input.COMMANDED)
        return True

    def _obey(self) -> bool:
        """Carry out the first command: give up partitions that it does not name, take those that it
        names."""
        command = self._todo[0]
        threads = talk.owned_by(command)
        if threads is None:  # continue with its partitions
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
        self._requests.give_up()  # abandon the poll: the acknowledgement is sent first
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
        if self._requests.request is not None and self._is_polling and self._offers_anew:
            self._requests.give_up()
        super()._send(now)

    def _send_due(self, now: Millis) -> None:
        self._is_polling = False
        patience = self.identity.session_timeout_ms // PATIENCE_SHARE
        if self.state is State.REGISTERING or self._offers_anew:
            self._offer(now)
        elif self.state is State.ACKNOWLEDGING:
            done = self._todo[0].command_id
            acknowledge = talk.acknowledge(self.identity, self.standing.member_id, done)
            self._requests.send(acknowledge, patience, now)
        elif self._may_poll and now >= self._poll_at:
            session_ms = self.identity.session_timeout_ms
            is_in_haste = now - self._heard_at >= session_ms // IN_HASTE_SHARE
            wait_ms = 0 if is_in_haste else session_ms // HELD_SHARE
            poll = talk.poll(self.identity, self.standing.member_id, self._received, wait_ms)
            self._is_polling = True
            self._requests.send(poll, patience, now)

    @property
    def _offers_anew(self) -> bool:
        """While the work continues."""
        is_news = self._offered != self._subscription
        return is_news and self.state in (State.STABLE, State.OBEYING)

    def _offer(self, now: Millis) -> None:
        self._offering = self._subscription
        generation = self.standing.epoch if self._is_registered else -1
        request = talk.register(
            self.identity, self.standing.member_id, generation, self._subscription
        )
        self._requests.send(request, self.identity.session_timeout_ms // PATIENCE_SHARE, now)

    # -- end and start

    def _begin_anew(self) -> None:
        """Not registered any more; the id stays."""
        self.standing.epoch, self.standing.threads = -1, {}
        self._todo.clear()
        self._is_registered, self._offered = False, None


_STEPS: Final[Mapping[State, Callable[[CommandedMachine], bool]]] = {
    State.STABLE: CommandedMachine._look_at_commands,
    State.OBEYING: CommandedMachine._obey,
    State.UNSUBSCRIBING: CommandedMachine._give_up_all,
    State.FENCED: CommandedMachine._loss_is_reported,
}
"""The step of a state when the application has returned from the last call."""
