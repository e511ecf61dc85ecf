"""Which slots a node takes first when every slot has become free at once: after a promotion, or a
restored backup, each of the nodes that live had some.

The first one that notices would find itself alone, take all of them, and hand most of them over a
moment later, in the middle of the rebalances by which members come back.
"""

from collections.abc import Collection

from groups.core.group import Millis


class Returns:
    """For ``wait_ms`` a node takes back what it had, and nothing else; then what is planned."""

    def __init__(self, wait_ms: Millis) -> None:
        self._wait_ms = wait_ms
        self._slots: frozenset[int] = frozenset()
        self._until: Millis = 0

    def lost(self, slots: Collection[int], now: Millis) -> None:
        """Slots that this node had, none at its start. Time begins anew: what makes them free may
        take a while."""
        self._slots |= frozenset(slots)
        self._until = now + self._wait_ms

    def own(self, now: Millis) -> Collection[int]:
        """Slots that this node takes at present; none: those that are planned."""
        if now >= self._until:
            self._slots = frozenset()
        return self._slots
