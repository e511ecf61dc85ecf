"""Whether a request can be answered: waits while a slot loads or the lease is not held."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from groups.core.errors import ErrorCode
from groups.core.group import Millis
from groups.core.rows import SLOTS
from groups.runtime.runtime import CoordinatorRuntime

LEASE_WAIT_MS = 1_000
"""How long a request waits for the lease to become valid again. A node that was suspended renews it
with one round trip; one that is cut off from its database may not know that for seconds."""


ALL_SLOTS: Final = range(SLOTS)


class Availability:
    """Which requests this node can answer, and the requests that wait until it can.

    ``away``: the lease ran out and has not been renewed. ``is_loading`` says whether a slot is
    being loaded, ``is_elsewhere`` whether another live node owns it. ``notify`` wakes the requests
    that wait; it is called after each change of the lease, of the slots, of their owners or of what
    is being loaded.
    """

    def __init__(
        self,
        coordinator: CoordinatorRuntime,
        is_loading: Callable[[int], bool],
        is_elsewhere: Callable[[int], bool],
    ) -> None:
        self.coordinator = coordinator
        self.is_loading = is_loading
        self.is_elsewhere = is_elsewhere
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
            await self._change(left)
        return ErrorCode.NONE

    async def of_description(self, slot: int, hold_ms: Millis) -> ErrorCode:
        """The same for a request that only describes, and is an administrator's: as Kafka's,
        COORDINATOR_LOAD_IN_PROGRESS for a slot that loads, or that no other node serves either."""
        code = await self.of_slot(slot, hold_ms)
        if code is ErrorCode.NOT_COORDINATOR and not self.is_elsewhere(slot):
            return ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        return code

    async def of_list(self, hold_ms: Millis) -> ErrorCode:
        """NONE once a list of what this node serves is complete: every slot is served here or by
        another node. Waits at most ``hold_ms``, then COORDINATOR_LOAD_IN_PROGRESS: what is in no
        node's list would be taken for deleted. An expired lease is as in ``of_slot``.
        """
        arrived = self.coordinator.monotonic()
        while not (self.coordinator.holds_lease and self._is_complete()):
            waited = self.coordinator.monotonic() - arrived
            holds_lease = self.coordinator.holds_lease
            left = (hold_ms if holds_lease else min(hold_ms, LEASE_WAIT_MS)) - waited
            if self.away or (left <= 0 and not holds_lease):
                return ErrorCode.COORDINATOR_NOT_AVAILABLE
            if left <= 0:
                return ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
            await self._change(left)
        return ErrorCode.NONE

    def _is_complete(self) -> bool:
        return all(slot in self.coordinator.epochs or self.is_elsewhere(slot) for slot in ALL_SLOTS)

    async def _change(self, left: Millis) -> None:
        """Wait for a change, at most this long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(left / 1000):
                await self.changed.wait()
