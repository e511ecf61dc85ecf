"""Whether a request can be answered: waits while a slot loads or the lease is not held."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.errors import ErrorCode
from groups.core.group import Millis

LEASE_WAIT_MS = 1_000
"""How long a request waits for the lease to become valid again. A node that was suspended renews it
with one round trip; one that is cut off from its database may not know that for seconds."""


class Availability:
    """Which requests this node can answer, and the requests that wait until it can.

    ``away``: the lease ran out and has not been renewed. ``is_loading`` says whether a slot is
    being loaded. ``notify`` wakes the requests that wait; it is called after each change of the
    lease, of the slots or of what is being loaded.
    """

    def __init__(self, coordinator: CoordinatorRuntime, is_loading: Callable[[int], bool]) -> None:
        self.coordinator = coordinator
        self.is_loading = is_loading
        self.changed = asyncio.Event()
        self.away = True

    def notify(self) -> None:
        """Wake every request that waits."""
        self.changed.set()
        self.changed = asyncio.Event()

    async def of_slot(self, slot: int, hold_ms: Millis) -> ErrorCode:
        """NONE once this node serves the slot; waits while it loads, at most ``hold_ms``.

        Error 14 (COORDINATOR_LOAD_IN_PROGRESS) would crash a common client, so the request waits
        here instead. After the wait, or if the slot belongs to another node: NOT_COORDINATOR. An
        expired lease is waited for only briefly: COORDINATOR_NOT_AVAILABLE.
        """
        if self.coordinator.serves(slot):
            return ErrorCode.NONE
        arrived = self.coordinator.monotonic()
        while not self.coordinator.serves(slot):
            waited, is_ours = (
                self.coordinator.monotonic() - arrived,
                slot in self.coordinator.epochs,
            )
            if self.away or (is_ours and waited >= LEASE_WAIT_MS):
                return ErrorCode.COORDINATOR_NOT_AVAILABLE
            left = (min(hold_ms, LEASE_WAIT_MS) if is_ours else hold_ms) - waited
            if left <= 0 or not (is_ours or self.is_loading(slot)):
                return ErrorCode.NOT_COORDINATOR
            with suppress(TimeoutError):
                async with asyncio.timeout(left / 1000):
                    await self.changed.wait()
        return ErrorCode.NONE

    async def of_lease(self, hold_ms: Millis) -> ErrorCode:
        """NONE once the lease is held; waits at most ``hold_ms``. For reads that concern no
        particular group."""
        deadline = self.coordinator.monotonic() + min(hold_ms, LEASE_WAIT_MS)
        while not self.coordinator.holds_lease:
            left = deadline - self.coordinator.monotonic()
            if self.away or left <= 0:
                return ErrorCode.COORDINATOR_NOT_AVAILABLE
            with suppress(TimeoutError):
                async with asyncio.timeout(left / 1000):
                    await self.changed.wait()
        return ErrorCode.NONE
