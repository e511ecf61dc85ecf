"""Renews the lease, and decides what a missed beat, a suspension or another timeline means.

``Lease`` has the connection and the rows; this loop decides until when the node may answer from
memory (``lease_until`` of the coordinator). All times are of this node's monotonic clock.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol
from uuid import UUID

import psycopg

from groups.cluster.availability import Availability
from groups.cluster.beats import BEATS_PER_LEASE, BeatObserver, SlotRow
from groups.cluster.lease import Lease, NodeIdTaken
from groups.core.group import Millis
from groups.postgres.timeline import Memory, WentBack
from groups.runtime.runtime import STALL_MS, CoordinatorRuntime
from groups.store.sql import slots as sql

logger = logging.getLogger(__name__)

LEASE_MARGIN_MS = 500
"""A node stops answering from memory this long before others may take its slots."""

AGAIN_S = 0.25
"""The pause between two attempts to take the node id, and after a failure to raise the epochs."""


class Slots(Protocol):
    """The part of the slot keeper that the lease loop needs."""

    def forget(self) -> None:
        """Drop all slots, and what was observed of other nodes."""

    def compare(self, rows: list[SlotRow]) -> None:
        """Drop the slots that have another owner in these rows."""

    def look_soon(self) -> None:
        """Read the rows of nodes and slots without waiting for the next period."""


class LeaseLoop:
    """``begun_anew`` is called when the rows are those of another timeline."""

    def __init__(
        self,
        lease: Lease,
        coordinator: CoordinatorRuntime,
        availability: Availability,
        observer: BeatObserver,
        slots: Slots,
    ) -> None:
        self.lease = lease
        self.coordinator = coordinator
        self.availability = availability
        self.begun_anew: Callable[[], None] = _nothing
        self._observer = observer
        self._slots = slots
        self._jump: UUID | None = None

    async def start(self) -> None:
        """Take the node id and register. Raises NodeIdTaken, or errors of psycopg."""
        # A predecessor that was killed may hold its lock until PostgreSQL notices: wait for one
        # lease.
        deadline = self.coordinator.monotonic() + self.lease.lease_ms
        while True:
            try:
                self.coordinator.lease_until = await self._beat()
            except WentBack as back:
                await self._went_back(back)
            except NodeIdTaken:
                if self.coordinator.monotonic() > deadline:
                    raise
                await asyncio.sleep(AGAIN_S)
            else:
                return

    async def run(self) -> None:
        """Beat until cancelled. Raises NodeIdTaken."""
        clock, lease_ms = self.coordinator.monotonic, self.lease.lease_ms
        last = clock()
        while True:
            await self.lease.until_next_beat(lease_ms / BEATS_PER_LEASE / 1000)
            slept = clock() - last > lease_ms / BEATS_PER_LEASE + STALL_MS
            until = self.coordinator.lease_until
            try:
                async with asyncio.timeout(lease_ms / 1000):
                    renewed = await self._beat()
                    if slept or clock() >= until:
                        await self.recovered(renewed)
                    else:
                        self.coordinator.lease_until = renewed
            except WentBack as back:
                await self._went_back(back)
            except (psycopg.Error, OSError, TimeoutError) as error:
                await self.missed(error)
            last = clock()

    async def _beat(self) -> Millis:
        """Raise the beat; returns until when this node may answer from memory."""
        before = self.coordinator.monotonic()
        await self.lease.beat()
        memory = self.lease.memory
        if memory is not None and memory.row.jump != self._jump:
            self._begin_anew(memory)
        # Counted from before the request was sent: other nodes saw the beat later.
        self.availability.away = False
        return before + self.lease.lease_ms - LEASE_MARGIN_MS

    def _begin_anew(self, memory: Memory) -> None:
        """The rows are those of another timeline, at the start or later: nothing in memory is
        valid."""
        self._jump = memory.row.jump
        self._slots.forget()
        self.begun_anew()
        self.coordinator.own.count_from(memory.row.generations_after)
        self._slots.look_soon()

    async def _went_back(self, back: WentBack) -> None:
        """Nothing in memory is valid any more. The next beat notices that epochs must be raised."""
        logger.error("%s", back)
        self.coordinator.lease_until = self.coordinator.monotonic()
        self._slots.forget()
        try:
            await self.lease.raise_epochs(back)
        except (psycopg.Error, OSError) as error:
            logger.error("the epochs could not be raised; no group is served: %s", error)
            await asyncio.sleep(AGAIN_S)

    async def missed(self, error: BaseException) -> None:
        """A beat could not be written."""
        logger.warning("the lease was not renewed: %s", error if str(error) else repr(error))
        # Other nodes may have missed theirs too: if the database is unavailable or read-only, they
        # are not dead.
        self._observer.forget()
        await self.lease.close()
        if not self.coordinator.holds_lease and not self.availability.away:
            self.availability.away = True
            # The reason is in this line, too: of errors of an outage only the first is logged, and
            # what keeps the node from connecting again may be its own (no file descriptor left).
            why = (str(error).strip() or repr(error)).splitlines()[0]
            logger.error("the lease ran out: no answers from memory until it is renewed (%s)", why)
            self.availability.notify()  # requests that wait for the lease are refused

    async def recovered(self, lease_until: Millis) -> None:
        """The node was suspended or cut off: check first which slots it still owns, then continue.
        No session expires for time in which this node could not receive heartbeats.

        The rows are read here: a running check may have read its rows before the node was
        suspended, and a load must not delay beats.
        """
        self._observer.forget()
        connection = await self.lease.connection()
        rows = await (await connection.execute(sql.SLOTS.encode())).fetchall()
        self._slots.compare([SlotRow(*row) for row in rows])
        self.coordinator.lease_until = lease_until
        self.coordinator.awake()
        self.availability.notify()
        self._slots.look_soon()
        logger.info("the lease is held again; sessions are extended by the time without it")


def _nothing() -> None:
    """The default: no listener."""
