"""Which other nodes are dead: silent for a whole lease, or crashed and their lock free.

Asks PostgreSQL about locks, and the node's own port; what was seen of beats is judged in
``groups.cluster.beats``. Claiming what a dead node owned is ``groups.cluster.slot_keeper``'s
business (docs/architecture.md, *Failover*; docs/decisions/0025-asking-at-the-port.md).
"""

import asyncio
from collections.abc import Callable, Sequence

from groups.cluster.beats import (
    BEATS_PER_LEASE,
    LATE,
    OVERDUE,
    BeatObserver,
    NodeRow,
    Sighting,
    SlotRow,
)
from groups.core.group import Millis
from groups.postgres import connections
from groups.store.sql import slots as sql

LOCK_FREE_MS = 500
"""A dead node's advisory lock must be seen free twice, this far apart, before its slots are
taken early: its connection may have been cut while the process lives."""


KNOCK_S = 0.25
"""How long an answer at a port is waited for. A living node's kernel answers at once, whatever the
process does; where nothing answers, nothing is known."""


PORT_MAX = 65_535


async def nobody_listens(host: str, port: int) -> bool:
    """Whether a connection is refused: there is no process behind that port. An address that no
    connection can be tried to says nothing about anybody."""
    if not 0 < port <= PORT_MAX:
        return False  # uvloop would try what is left of it in sixteen bits
    try:
        async with asyncio.timeout(KNOCK_S):
            _, writer = await asyncio.open_connection(host, port)
    except ConnectionRefusedError:
        return True
    except (OSError, TimeoutError, ValueError):
        return False  # UnicodeError, of a name that is none, is a ValueError
    writer.close()
    return False


class FailureDetector:
    """One node's judgement of the others."""

    def __init__(self, me: int, observer: BeatObserver, clock: Callable[[], Millis]) -> None:
        self.me = me
        self.clock = clock
        self._observer = observer
        self._connected_at: Millis = 0

    def connected(self) -> None:
        """The connection that looks is a new one: what locks it sees says nothing yet."""
        self._connected_at = self.clock()

    async def look(
        self, connection: connections.Connection, nodes: Sequence[NodeRow], slots: Sequence[SlotRow]
    ) -> set[int]:
        """The other nodes that own nothing any more, whatever the slots' rows say."""
        now = self.clock()
        owners = {row.node_id for row in slots}
        dead = set()
        for node in nodes:
            seen = self._observer.of(node.node_id)
            if node.node_id == self.me or seen is None:
                continue
            if self._observer.lease_is_over(node.node_id, now) or (
                node.node_id in owners and await self._crashed(connection, node, seen)
            ):
                dead.add(node.node_id)
        return dead

    async def _crashed(
        self, connection: connections.Connection, node: NodeRow, seen: Sighting
    ) -> bool:
        """Whether a node's advisory lock is free, has been, and means that the node died. One
        that lives, cut off from PostgreSQL, answers from memory until its lease ends."""
        now = self.clock()
        intervals = (now - seen.since) / seen.lease_ms * BEATS_PER_LEASE
        if intervals < (LATE if seen.lock_free_since is None else OVERDUE):
            return False
        if seen.lock_free_since is not None and now - seen.lock_free_since < LOCK_FREE_MS:
            return False
        keys = {"class": sql.LOCK_CLASS, "node_id": node.node_id}
        row = await (await connection.execute(sql.NODE_IS_LOCKED.encode(), keys)).fetchone()
        if row is None or row[0]:
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
        """A restart of PostgreSQL frees every lock, and a new connection of ours has seen
        nothing: within a lease of either, a free lock proves no death."""
        if self.clock() - self._connected_at < lease_ms:
            return False
        row = await (await connection.execute(sql.SERVER_UP_MS.encode())).fetchone()
        return bool(row and row[0] >= lease_ms)
