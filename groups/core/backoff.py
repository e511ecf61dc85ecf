"""Delays between attempts: doubled after each failure, on the caller's clock."""

from groups.core.group import Millis

DOUBLINGS_MAX = 32
"""So often a pause is doubled at most, however many failures there were."""


def pause(failures: int, first_ms: Millis, most_ms: Millis) -> Millis:
    """The pause after a failure that so many preceded."""
    return min(most_ms, first_ms << min(failures, DOUBLINGS_MAX))


class Backoff:
    """Failures in sequence, and the time of the next attempt. Reads no clock."""

    def __init__(self, first_ms: Millis, most_ms: Millis) -> None:
        self._first_ms, self._most_ms = first_ms, most_ms
        self.failures = 0
        self._until: Millis = 0

    def failed(self, now: Millis) -> None:
        """Count a failure."""
        self._until = now + pause(self.failures, self._first_ms, self._most_ms)
        self.failures += 1

    def resume(self, failures: int, now: Millis) -> None:
        """Continue after so many failures in sequence, the last of which is now."""
        self.failures = max(0, failures - 1)
        if failures:
            self.failed(now)

    def succeeded(self) -> None:
        """The attempt succeeded: the next failure is the first."""
        self.failures, self._until = 0, 0

    def waits(self, now: Millis) -> bool:
        """Whether it is too early for the next attempt."""
        return self.left(now) > 0

    def left(self, now: Millis) -> Millis:
        """How long until then."""
        return max(0, self._until - now) if self.failures else 0
