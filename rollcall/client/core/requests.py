"""Requests and calls of one machine: tickets, one of each at a time, and the outputs.

No protocol is known here, and no state of a member.
"""

from rollcall.client.core.backoff import Backoff
from rollcall.client.core.events import Call, Change, Effect, Millis, Rediscover, Send
from rollcall.wire.declare import Message


class PendingRequests:
    """The last request and the last call, if they are pending.

    Responses to earlier requests are ignored: these were abandoned.
    """

    def __init__(self, backoff: Backoff) -> None:
        self.backoff = backoff
        self.effects: list[Effect] = []
        self.request: int | None = None
        self.sent_at: Millis = 0
        self.unanswered_since: Millis | None = None
        self.not_before: Millis = 0
        self.call: int | None = None
        self._tickets = 0

    def send(self, message: Message, timeout_ms: Millis, now: Millis) -> None:
        """Send a request to the coordinator; an earlier one is abandoned."""
        self._tickets += 1
        self.request, self.sent_at = self._tickets, now
        if self.unanswered_since is None:
            self.unanswered_since = now
        self.effects.append(Send(self._tickets, message, timeout_ms))

    def report(self, change: Change) -> None:
        """Call the application; the previous call has returned."""
        assert self.call is None, "the application is told one thing at a time"
        self._tickets += 1
        self.call = self._tickets
        self.effects.append(Call(self._tickets, change))

    def answered(self, ticket: int) -> bool:
        """Whether this is the awaited response; it is awaited no longer."""
        if ticket != self.request:
            return False
        self.request = None
        return True

    def handled(self, ticket: int) -> bool:
        """Whether this call was pending; it has returned now."""
        if ticket != self.call:
            return False
        self.call = None
        return True

    def succeeded(self) -> None:
        """The response was good: all earlier requests are decided."""
        self.unanswered_since = None
        self.not_before = 0
        self.backoff.reset()

    def failed(self, now: Millis, *, elsewhere: bool) -> None:
        """There was no response, or a retriable error: wait before the next request. ``elsewhere``:
        and look the coordinator up again; work continues meanwhile."""
        if elsewhere:
            self.effects.append(Rediscover())
        self.not_before = now + self.backoff.next()

    def give_up(self) -> None:
        """Abandon the last request: its response will be ignored."""
        self.request = None
        self.unanswered_since = None

    def take(self) -> list[Effect]:
        """Take the outputs."""
        effects, self.effects = self.effects, []
        return effects
