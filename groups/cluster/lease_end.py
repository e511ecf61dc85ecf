"""Ends waiting requests when the lease has expired, whatever else the node is doing.

Checked with every tick. The coordinator knows which requests wait; nothing is decided here.
"""

from typing import Final

from groups.core.errors import ErrorCode
from groups.core.group import Millis
from groups.runtime.runtime import CoordinatorRuntime

IN_DOUBT_MS: Final[Millis] = 500
"""How long a batch that is being written may still report its outcome. A broken connection may take
several seconds to fail, and parked requests must not wait that long."""


class LeaseEnd:
    """Watches one node's lease."""

    def __init__(self, coordinator: CoordinatorRuntime) -> None:
        self._coordinator = coordinator
        self._ended_at: Millis | None = None
        self._has_unparked_all = False

    def look(self) -> bool:
        """Whether the lease is valid. If it has expired, waiting requests are answered: at once
        those of groups at rest, a little later those in a batch, as if its outcome were unknown."""
        coordinator = self._coordinator
        if coordinator.holds_lease:
            self._ended_at, self._has_unparked_all = None, False
            return True
        if self._ended_at is None:
            self._ended_at = coordinator.monotonic()
            coordinator.unpark(ErrorCode.NOT_COORDINATOR)
        elif not self._has_unparked_all and coordinator.monotonic() - self._ended_at >= IN_DOUBT_MS:
            self._has_unparked_all = True
            coordinator.unpark(ErrorCode.COORDINATOR_NOT_AVAILABLE, in_batches=True)
        return False
