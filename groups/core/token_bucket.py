"""A token bucket: how long a client that takes too much must wait. Arithmetic only.

As with Kafka's quotas no request is refused: it is served, and the client pauses until the rate is
below its limit.
"""

from dataclasses import dataclass

from groups.core.group import Millis

THROTTLE_MS_MAX: Millis = 1_000
"""The longest pause, as in Kafka's request quotas: heartbeats share the connection that pauses, and
a pause must not end a member's session."""

MS_PER_S = 1_000


@dataclass(slots=True)
class Bucket:
    """Holds the tokens of one second, and may be in debt by as much as the longest pause.

    Tokens are counted in thousandths, to use integers only: at a rate of n per second the bucket
    gains n thousandths each millisecond.
    """

    per_second: int
    at: Millis
    milli: int = 0

    @classmethod
    def full(cls, per_second: int, now: Millis) -> "Bucket":
        """A full bucket."""
        assert per_second > 0
        return cls(per_second, now, per_second * MS_PER_S)

    def take(self, now: Millis) -> Millis:
        """Take one token; returns how long the client must pause, 0 if there was a token."""
        gained = max(0, now - self.at) * self.per_second
        self.at = max(self.at, now)
        most, least = self.per_second * MS_PER_S, -self.per_second * THROTTLE_MS_MAX
        self.milli = max(min(self.milli + gained, most) - MS_PER_S, least)
        return -(self.milli // self.per_second) if self.milli < 0 else 0
