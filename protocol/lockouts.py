"""Who failed to authenticate too often: a name from an address is refused for a while.

In memory, of this node: several nodes together allow as many times more guesses.
"""

from collections import OrderedDict

from groups.core.group import Millis

KNOWN_MAX = 10_000
"""Names and addresses that are remembered; the oldest is forgotten first."""

Who = tuple[str, str]
"""A name that was claimed, and an address."""


class Lockouts:
    """``failures`` in ``window_ms`` lock a name from an address out for as long; 0: none is."""

    def __init__(self, failures: int, window_ms: Millis) -> None:
        self.failures = failures
        self.window_ms = window_ms
        self._failed: OrderedDict[Who, tuple[int, Millis]] = OrderedDict()

    def is_locked(self, who: Who, now: Millis) -> bool:
        """Whether this one is not even asked for a password."""
        count, since = self._failed.get(who, (0, now))
        return 0 < self.failures <= count and now - since < self.window_ms

    def failed(self, who: Who, now: Millis) -> None:
        """One more failure; the time runs from the last that counted."""
        count, since = self._failed.pop(who, (0, now))
        if now - since >= self.window_ms:
            count = 0
        self._failed[who] = (count + 1, now)
        if len(self._failed) > KNOWN_MAX:
            self._failed.popitem(last=False)

    def succeeded(self, who: Who) -> None:
        """All is forgotten."""
        self._failed.pop(who, None)
