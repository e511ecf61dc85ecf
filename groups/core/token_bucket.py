"""A token bucket: how long whoever takes too much must wait. Arithmetic only.

As with Kafka's quotas nothing is refused: what was asked is done, and the one who asked pauses
until the rate is kept again.
"""

from dataclasses import dataclass

from groups.core.group import Millis

THROTTLE_MS_MAX: Millis = 1_000
"""The longest pause, as with Kafka's request quotas: heartbeats share the connection that
pauses, and a pause must never cost a member its session."""

MS_PER_S = 1_000


@dataclass(slots=True)
class Bucket:
    """Holds a second's worth of tokens, and may be in debt by as much as the longest pause.

    Tokens are counted in thousandths, so that all is whole numbers: at a rate of n a second
    the bucket gains n thousandths each millisecond.
    """

    per_second: int
    at: Millis
    milli: int = 0

    @classmethod
    def full(cls, per_second: int, now: Millis) -> "Bucket":
        """A bucket that nobody has taken from."""
        assert per_second > 0
        return cls(per_second, now, per_second * MS_PER_S)

    def take(self, now: Millis) -> Millis:
        """Take one token; returns for how long the taker must pause, 0 where there was one."""
        gained = max(0, now - self.at) * self.per_second
        self.at = max(self.at, now)
        most, least = self.per_second * MS_PER_S, -self.per_second * THROTTLE_MS_MAX
        self.milli = max(min(self.milli + gained, most) - MS_PER_S, least)
        return -(self.milli // self.per_second) if self.milli < 0 else 0
