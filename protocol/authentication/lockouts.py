"""Lock-outs: after too many failures, a name from an address is refused for a while.

In this node's memory: with several nodes, proportionally more guesses are possible.
"""

from collections import OrderedDict

from groups.core.group import Millis

KNOWN_MAX = 10_000
"""Names and addresses that are kept; the oldest is removed first."""

Who = tuple[str, str]
"""A claimed name, and an address (of IPv6, its network)."""


class Lockouts:
    """``failures`` in ``window_ms`` lock out a name from an address for as long; 0: no
    lock-outs."""

    def __init__(self, failures: int, window_ms: Millis) -> None:
        self.failures = failures
        self.window_ms = window_ms
        self._failed: OrderedDict[Who, tuple[int, Millis]] = OrderedDict()

    def is_locked(self, who: Who, now: Millis) -> bool:
        """Whether this name is refused without checking the password."""
        count, since = self._failed.get(who, (0, now))
        return 0 < self.failures <= count and now - since < self.window_ms

    def failed(self, who: Who, now: Millis) -> None:
        """Count a failure; the time runs from the latest one."""
        count, since = self._failed.pop(who, (0, now))
        if now - since >= self.window_ms:
            count = 0
        self._failed[who] = (count + 1, now)
        if len(self._failed) > KNOWN_MAX:
            self._failed.popitem(last=False)

    def succeeded(self, who: Who) -> None:
        """Clear the failures."""
        self._failed.pop(who, None)
