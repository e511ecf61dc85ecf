"""What this node did in each minute, for the charts of the Nodes page: heartbeats and commits, the
longest delay of its event loop, and how many slots it owned.

Sums what is counted anyway (``groups.runtime.tallies``), once a minute. A minute that cannot be
written becomes a part of the next one.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Final, NamedTuple

from psycopg_pool import AsyncConnectionPool

from groups.event_loop import BOUNDS_S
from groups.postgres import connections
from groups.postgres.repeated import repeat
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.sql import node_minutes as sql

EVERY_S: Final = 60.0
KEPT: Final = timedelta(days=30)
"""43,200 rows a node."""

Pool = AsyncConnectionPool[connections.Connection]


class Counted(NamedTuple):
    """Counts since the process began, at a time in milliseconds. ``delays``: of its event loop, by
    ``BOUNDS_S``."""

    at_ms: int
    heartbeats: int
    commits: int
    delays: Sequence[int]


class NodeMinutes:
    """Writes the minutes of a node. ``heartbeats``: how many it has answered, by whatever path."""

    def __init__(self, coordinator: CoordinatorRuntime, node_id: int) -> None:
        self.heartbeats: Callable[[], Awaitable[int]] = _not_counted
        self._coordinator = coordinator
        self._node_id = node_id
        self._before = Counted(coordinator.monotonic(), 0, 0, [0] * (len(BOUNDS_S) + 1))

    async def run(self, pool: Pool) -> None:
        """Write each minute, until cancelled."""
        await repeat(EVERY_S, partial(self.look, pool))

    async def look(self, pool: Pool) -> None:
        """Write what was counted since the last row. Raises errors of PostgreSQL."""
        before, now = self._before, await self._counted()
        values = {
            "kept": KEPT,
            "node_id": self._node_id,
            "seconds": (now.at_ms - before.at_ms) / 1_000,
            "heartbeats": now.heartbeats - before.heartbeats,
            "commits": now.commits - before.commits,
            "lag_ms": longest_ms(before.delays, now.delays),
            "slots": len(self._coordinator.epochs),
        }
        async with pool.connection() as connection:
            await connection.execute(sql.NOTE.encode(), values)
        self._before = now

    async def _counted(self) -> Counted:
        tallies = self._coordinator.tallies
        return Counted(
            self._coordinator.monotonic(),
            await self.heartbeats(),
            sum(tallies.commits.values()),
            tuple(tallies.loop_lag.counts),
        )


async def _not_counted() -> int:
    return 0


def longest_ms(before: Sequence[int], now: Sequence[int]) -> int:
    """The bound that the longest of the delays between stayed below; beyond the last one, that."""
    longer = [n for n, (was, is_) in enumerate(zip(before, now, strict=True)) if is_ > was]
    return round(1_000 * BOUNDS_S[min(longer[-1], len(BOUNDS_S) - 1)]) if longer else 0
