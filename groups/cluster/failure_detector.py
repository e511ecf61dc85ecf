"""Detects dead nodes: silent for a whole lease, or crashed with their lock free.

It checks advisory locks in PostgreSQL, and the node's own port; ``groups.cluster.beats`` evaluates
beats, and ``groups.cluster.slot_keeper`` claims the slots of dead nodes (docs/architecture.md,
*Failover*; docs/decisions/0025-asking-at-the-port.md).
"""

import asyncio
from collections.abc import Callable, Sequence

from groups.cluster.beats import BEATS_PER_LEASE, LATE, OVERDUE, BeatObserver, NodeRow, Sighting
from groups.core.group import Millis
from groups.postgres import connections
from groups.store.sql import slots as sql

LOCK_FREE_MS = 500
"""A dead node's advisory lock must be seen free twice, this far apart, before its slots are
taken early: its connection may have been cut while the process lives."""


KNOCK_S = 0.25
"""The timeout of a connection attempt. A live node's kernel answers at once, whatever the process
does; no answer proves nothing."""


PORT_MAX = 65_535


async def nobody_listens(host: str, port: int) -> bool:
    """Whether a connection is refused: then no process listens at that port. False for an invalid
    address, which proves nothing."""
    if not 0 < port <= PORT_MAX:
        return False  # uvloop would use the lowest sixteen bits of it
    try:
        async with asyncio.timeout(KNOCK_S):
            _, writer = await asyncio.open_connection(host, port)
    except ConnectionRefusedError:
        return True
    except (OSError, TimeoutError, ValueError):
        return False  # UnicodeError, of an invalid name, is a ValueError
    writer.close()
    return False


class FailureDetector:
    """One node's decision which other nodes are dead."""

    def __init__(self, me: int, observer: BeatObserver, clock: Callable[[], Millis]) -> None:
        self.me = me
        self.clock = clock
        self._observer = observer
        self._connected_at: Millis = 0

    def connected(self) -> None:
        """The connection that checks locks is new: its observations prove nothing yet."""
        self._connected_at = self.clock()

    async def look(self, connection: connections.Connection, nodes: Sequence[NodeRow]) -> set[int]:
        """The other nodes that are dead, also those that own no slots any more: a node that others
        count as alive is planned for."""
        now = self.clock()
        dead = set()
        for node in nodes:
            seen = self._observer.of(node.node_id)
            if node.node_id == self.me or seen is None:
                continue
            if self._observer.lease_is_over(node.node_id, now) or await self._crashed(
                connection, node, seen
            ):
                dead.add(node.node_id)
        return dead

    async def _crashed(
        self, connection: connections.Connection, node: NodeRow, seen: Sighting
    ) -> bool:
        """Whether a node's advisory lock has been free long enough to prove that the node has died.
        A live node that is cut off from PostgreSQL answers from memory until its lease ends."""
        if self._observer.has_lost_slots(node.incarnation):
            # Another node has seen all of it. What is left to find out is that nobody came back.
            return not await is_locked(connection, node) and await nobody_listens(
                node.host, node.port
            )
        now = self.clock()
        intervals = (now - seen.since) / seen.lease_ms * BEATS_PER_LEASE
        if intervals < (LATE if seen.lock_free_since is None else OVERDUE):
            return False
        if seen.lock_free_since is not None and now - seen.lock_free_since < LOCK_FREE_MS:
            return False
        if await is_locked(connection, node):
            seen.lock_free_since = None
            return False
        if seen.lock_free_since is None:
            seen.lock_free_since = now
            return False
        return await self._nothing_restarted(connection, seen.lease_ms) and await nobody_listens(
            node.host, node.port
        )

    async def _nothing_restarted(
        self, connection: connections.Connection, lease_ms: Millis
    ) -> bool:
        """A restart of PostgreSQL frees every lock, and a new connection has no observations:
        within a lease of either, a free lock does not prove that a node has died."""
        if self.clock() - self._connected_at < lease_ms:
            return False
        row = await (await connection.execute(sql.SERVER_UP_MS.encode())).fetchone()
        return bool(row and row[0] >= lease_ms)


async def is_locked(connection: connections.Connection, node: NodeRow) -> bool:
    """Whether a process holds the node's advisory lock."""
    keys = {"class": sql.LOCK_CLASS, "node_id": node.node_id}
    row = await (await connection.execute(sql.NODE_IS_LOCKED.encode(), keys)).fetchone()
    return row is None or bool(row[0])
