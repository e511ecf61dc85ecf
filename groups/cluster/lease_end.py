"""When the lease ends: who waits at this node hears of it, whatever the node is doing.

Looked at with every tick. Which requests wait is the coordinator's to know; nothing is decided.
"""

from typing import Final

from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.errors import ErrorCode
from groups.core.group import Millis

IN_DOUBT_MS: Final[Millis] = 500
"""For so long a batch that is under way may still say how it went. A connection that is cut may
take several seconds to break, and nobody who is parked shall wait for a second."""


class LeaseEnd:
    """One node's watch over its own lease."""

    def __init__(self, coordinator: CoordinatorRuntime) -> None:
        self._coordinator = coordinator
        self._ended_at: Millis | None = None
        self._has_told_all = False

    def look(self) -> bool:
        """Whether the lease holds. Where it no longer does, requests are answered: at once those
        of groups at rest, a little later those in a batch, as if its outcome were not known."""
        coordinator = self._coordinator
        if coordinator.holds_lease:
            self._ended_at, self._has_told_all = None, False
            return True
        if self._ended_at is None:
            self._ended_at = coordinator.monotonic()
            coordinator.unpark(ErrorCode.NOT_COORDINATOR)
        elif not self._has_told_all and coordinator.monotonic() - self._ended_at >= IN_DOUBT_MS:
            self._has_told_all = True
            coordinator.unpark(ErrorCode.COORDINATOR_NOT_AVAILABLE, in_batches=True)
        return False
