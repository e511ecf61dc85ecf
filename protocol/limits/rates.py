"""Measures rates, and the pause of a client that exceeds one: arithmetic only, in milliseconds.

``Rate`` is Kafka's (Rate over SampledStat): the sum of the last windows, divided by their length as
if the first ones were complete. ``Bucket`` is that of KIP-599.
"""

from collections import deque
from typing import Final, NamedTuple

MS_PER_S: Final = 1_000


PAUSE_MS_MAX: Final = 2**31 - 1
"""The maximum value of the field in a response."""


class Windows(NamedTuple):
    """The number of windows, and their length."""

    number: int
    length_ms: int


class Rate:
    """A client's use, in windows. A window begins with the first amount in it."""

    __slots__ = ("_samples", "_windows")

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._samples = deque[list[float]]()

    def add(self, amount: float, now: int) -> None:
        """Add an amount."""
        samples = self._samples
        if not samples or now - samples[-1][0] >= self._windows.length_ms:
            samples.append([now, 0.0])
        samples[-1][1] += amount

    def pause_ms(self, bound: float, now: int) -> int:
        """The pause after which the use is at most ``bound`` per second; 0 if it is now."""
        samples, (count, length_ms) = self._samples, self._windows
        while samples and now - samples[0][0] >= count * length_ms:
            samples.popleft()
        if not samples:
            return 0
        elapsed_ms = now - samples[0][0]
        missing = max(0, count - 1 - int(elapsed_ms // length_ms))
        window_ms = max(1, elapsed_ms + missing * length_ms)
        rate = sum(amount for _, amount in samples) * MS_PER_S / window_ms
        return _rounded((rate - bound) / bound * window_ms) if rate > bound else 0


class Bucket:
    """A token bucket: it holds as many tokens as the windows allow, and the last request may take
    it into debt."""

    __slots__ = ("_at", "_tokens", "_windows")

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._tokens: float | None = None
        self._at = 0

    def pause_ms(self, bound: float, now: int) -> int:
        """How long until there is no debt; 0 if there is none."""
        tokens = self._filled(bound, now)
        return _rounded(-tokens * MS_PER_S / bound) if tokens < 0 else 0

    def take(self, amount: float, bound: float, now: int) -> None:
        """Take tokens, even into debt."""
        self._tokens = self._filled(bound, now) - amount

    def _filled(self, bound: float, now: int) -> float:
        count, length_ms = self._windows
        most = bound * count * length_ms / MS_PER_S
        if self._tokens is None:
            self._tokens = most
        gained = bound * max(0, now - self._at) / MS_PER_S
        self._tokens, self._at = min(most, self._tokens + gained), max(now, self._at)
        return self._tokens


def _rounded(milliseconds: float) -> int:
    """A whole number, limited because a tiny bound gives a huge one."""
    return round(min(milliseconds, PAUSE_MS_MAX))
