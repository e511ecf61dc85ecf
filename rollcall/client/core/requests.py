"""Requests and calls of one machine: tickets, one of each at a time, and what is to be done next.

No protocol is known here, and no state of a member.
"""

from rollcall.client.core.backoff import Backoff
from rollcall.client.core.events import Call, Change, Effect, Millis, Rediscover, Send
from rollcall.wire.declare import Message


class Asking:
    """What was asked of the coordinator and of the application, and has not been answered.

    An answer to anything else than the last question is nobody's: it was given up on.
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
        """Ask the coordinator; what was asked before is given up on."""
        self._tickets += 1
        self.request, self.sent_at = self._tickets, now
        if self.unanswered_since is None:
            self.unanswered_since = now
        self.effects.append(Send(self._tickets, message, timeout_ms))

    def tell(self, change: Change) -> None:
        """Call the application; the one before has returned."""
        assert self.call is None, "the application is told one thing at a time"
        self._tickets += 1
        self.call = self._tickets
        self.effects.append(Call(self._tickets, change))

    def answered(self, ticket: int) -> bool:
        """Whether this is the answer that is waited for; it is waited for no longer."""
        if ticket != self.request:
            return False
        self.request = None
        return True

    def handled(self, ticket: int) -> bool:
        """Whether this is the call that has not returned yet; it has now."""
        if ticket != self.call:
            return False
        self.call = None
        return True

    def succeeded(self) -> None:
        """The answer was good: everything asked so far is known to be decided."""
        self.unanswered_since = None
        self.not_before = 0
        self.backoff.reset()

    def failed(self, now: Millis, *, elsewhere: bool) -> None:
        """There was no answer, or one that says "later": wait before the next. ``elsewhere``: and
        find the coordinator anew; work goes on meanwhile."""
        if elsewhere:
            self.effects.append(Rediscover())
        self.not_before = now + self.backoff.next()

    def give_up(self) -> None:
        """Whatever was asked, the answer means nothing any more."""
        self.request = None
        self.unanswered_since = None

    def take(self) -> list[Effect]:
        """What there is to do now."""
        effects, self.effects = self.effects, []
        return effects
