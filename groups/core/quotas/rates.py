"""How fast somebody is, and how long they pause for it: arithmetic only, milliseconds throughout.

``Rate`` is Kafka's (Rate over SampledStat): what was counted in the last windows, by their length
as if the first ones were whole. ``Bucket`` is that of KIP-599.
"""

from collections import deque
from typing import Final, NamedTuple

MS_PER_S: Final = 1_000


PAUSE_MS_MAX: Final = 2**31 - 1
"""Nothing tells a longer one."""


class Windows(NamedTuple):
    """So many windows of such a length are looked at."""

    number: int
    length_ms: int


class Rate:
    """What somebody used, by windows. A window begins with what is counted first in it."""

    __slots__ = ("_samples", "_windows")

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._samples = deque[list[float]]()

    def add(self, amount: float, now: int) -> None:
        """Count it."""
        samples = self._samples
        if not samples or now - samples[-1][0] >= self._windows.length_ms:
            samples.append([now, 0.0])
        samples[-1][1] += amount

    def pause_ms(self, bound: float, now: int) -> int:
        """How long to pause until no more than ``bound`` a second was used: 0 where it is so."""
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
    """Tokens that come at a rate: as many at once as the windows hold, and into debt by whatever
    is taken last."""

    __slots__ = ("_at", "_tokens", "_windows")

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._tokens: float | None = None
        self._at = 0

    def pause_ms(self, bound: float, now: int) -> int:
        """How long to wait until there is no debt any more: 0 where there is none."""
        tokens = self._filled(bound, now)
        return _rounded(-tokens * MS_PER_S / bound) if tokens < 0 else 0

    def take(self, amount: float, bound: float, now: int) -> None:
        """Take so many, there or not."""
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
    """A whole number, whatever a tiny bound made of it."""
    return round(min(milliseconds, PAUSE_MS_MAX))
