"""Delays between attempts: doubled after each failure, on the caller's clock."""

from groups.core.group import Millis


class Backoff:
    """Failures in sequence, and the time of the next attempt. Reads no clock."""

    def __init__(self, first_ms: Millis, most_ms: Millis) -> None:
        self._first_ms, self._most_ms = first_ms, most_ms
        self.failures = 0
        self._until: Millis = 0

    def failed(self, now: Millis) -> None:
        """Count a failure."""
        self._until = now + min(self._most_ms, self._first_ms * 2**self.failures)
        self.failures += 1

    def succeeded(self) -> None:
        """The attempt succeeded: the next failure is the first."""
        self.failures, self._until = 0, 0

    def waits(self, now: Millis) -> bool:
        """Whether it is too early for the next attempt."""
        return self.failures > 0 and now < self._until
