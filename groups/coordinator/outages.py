"""Writes an entry of the journal for every time in which this node could not serve.

It looks at the node's own figures twice a second, and at the start at the row that an earlier
process left. Nothing is decided here (``groups.core.outage``), and nothing depends on it.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import psycopg
from psycopg_pool import PoolTimeout

from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.journal import EntryKind, Trigger
from groups.core.outage import Outage, Reading, Watch
from groups.postgres import connections
from groups.store.sql import outages as sql
from groups.store.sql.sweeps import NOTE_SLOTS

LOOK_S: Final = 0.5

UNWRITTEN_MAX: Final = 100
"""Outages that wait for the database; older ones are forgotten."""

REMOVALS: Final = (
    Trigger.SESSION_EXPIRED,
    Trigger.JOIN_TIMED_OUT,
    Trigger.SYNC_EXPIRED,
    Trigger.REBALANCE_TIMEOUT,
    Trigger.NOT_ACKNOWLEDGED,
)

Reader = Callable[[], AbstractAsyncContextManager[connections.Connection]]
Details = dict[str, Any]


class Outages:
    """The outages of one node. ``refused``: counts the requests that were refused because the node
    could not serve; the server sets it."""

    def __init__(self, coordinator: CoordinatorRuntime, reader: Reader, node_id: int) -> None:
        self.refused: Callable[[], int] = lambda: 0
        self._coordinator = coordinator
        self._reader = reader
        self._node_id = node_id
        self._unwritten: list[tuple[str, Details]] = []

    async def look_back(self, connection: connections.Connection) -> None:
        """Before the node's row is written anew: whether an earlier process ended without giving
        its slots away."""
        cursor = await connection.execute(sql.LAST_LIFE.encode(), {"node_id": self._node_id})
        row = await cursor.fetchone()
        if row is not None:
            since, now, slots = row
            self._keep(Trigger.NODE_LOST, since, now, {"slots": slots})

    async def run(self) -> None:
        """Look, and write what is over, until cancelled."""
        watch = Watch(self._reading())
        while True:
            await asyncio.sleep(LOOK_S)
            watch, over = watch.look(self._reading())
            if over is not None:
                self._note(over)
            if self._unwritten and self._coordinator.holds_lease:
                with suppress(psycopg.Error, PoolTimeout, OSError):
                    await self._write()

    def _reading(self) -> Reading:
        coordinator, tallies = self._coordinator, self._coordinator.tallies
        return Reading(
            now=coordinator.monotonic(),
            holds_lease=coordinator.holds_lease,
            heard_until=coordinator.listened_at,
            stalls=tallies.stalls,
            extended_ms=coordinator.missed,
            refused=self.refused(),
            removed=sum(tallies.departures.get(trigger, 0) for trigger in REMOVALS),
        )

    def _note(self, over: Outage) -> None:
        now, wall = self._coordinator.monotonic(), datetime.now(UTC)
        since, until = (wall - timedelta(milliseconds=now - at) for at in over[1:3])
        figures = {
            "extended_ms": over.extended_ms,
            "refused": over.refused,
            "removed": over.removed,
            "slots": len(self._coordinator.epochs),
        }
        self._keep(over.trigger, since, until, figures)

    def _keep(self, trigger: str, since: datetime, until: datetime, figures: Details) -> None:
        ms = round((until - since) / timedelta(milliseconds=1))
        times = {"since": since.isoformat(), "until": until.isoformat(), "ms": ms}
        self._unwritten.append((trigger, {**times, **figures}))
        del self._unwritten[:-UNWRITTEN_MAX]

    async def _write(self) -> None:
        told: Sequence[tuple[str, Details]] = tuple(self._unwritten)
        async with self._reader() as connection:
            for trigger, details in told:
                entry = {
                    "node_id": self._node_id,
                    "kind": EntryKind.NODE_OUTAGE,
                    "trigger": trigger,
                    "reason": "",
                    "details": json.dumps(details),
                }
                await connection.execute(NOTE_SLOTS.encode(), entry)
                self._unwritten.remove((trigger, details))
