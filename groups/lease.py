"""The lease's connection: the node id's advisory lock, the node's row, and its beat.

One connection of its own, so that a beat never queues behind a batch or a look. What a lease
means, and what a missed beat leads to, is ``groups.slots``'s business.
"""

from uuid import uuid4

from groups import database, schema
from groups import sql_slots as sql
from groups.cluster import Broker
from groups.core.group import Millis


class NodeIdTaken(Exception):
    """Another living process serves under this node id."""


class Lease:
    """``incarnation`` tells this process from its predecessors under the same node id.

    ``lease_ms`` stands in the node's row: the others wait for so long when this node is silent,
    whatever theirs is.
    """

    def __init__(self, me: Broker, lease_ms: Millis) -> None:
        self.me = me
        self.lease_ms = lease_ms
        self.incarnation = uuid4()
        self.cluster_id = ""
        self._has_lock = False
        self._connection: database.Connection | None = None

    async def connection(self) -> database.Connection:
        """The connection, made anew where it is not usable any more."""
        before = self._connection
        connection = await database.kept(before, "lease")
        if connection is not before:
            self._connection = None
            try:
                await self._take_node_id(connection)
            except BaseException:
                await connection.close()
                raise
            self._connection = connection
        return connection

    async def beat(self) -> None:
        """Raise the beat. Raises NodeIdTaken, or psycopg's own errors."""
        connection = await self.connection()
        if not self._has_lock:  # our own dead session had it still when we connected again
            self._has_lock = await self._lock(connection)
        parameters = {"node_id": self.me.node_id, "incarnation": self.incarnation}
        cursor = await connection.execute(sql.BEAT.encode(), parameters)
        if await cursor.fetchone() is None:
            raise NodeIdTaken(f"node id {self.me.node_id} was registered by another process")

    async def close(self) -> None:
        """Close the connection; the next beat makes another."""
        broken, self._connection = self._connection, None
        if broken is not None:
            await broken.close()

    async def _lock(self, connection: database.Connection) -> bool:
        keys = {"class": sql.LOCK_CLASS, "node_id": self.me.node_id}
        row = await (await connection.execute(sql.LOCK_NODE.encode(), keys)).fetchone()
        return bool(row and row[0])

    async def _take_node_id(self, connection: database.Connection) -> None:
        self._has_lock = await self._lock(connection)
        if self.cluster_id:
            # A reconnect. The lock may still be our own dead session's; whether the id is
            # still ours the beat will say.
            return
        if not self._has_lock:
            raise NodeIdTaken(f"another process serves as node {self.me.node_id}")
        found = await (await connection.execute(sql.CLUSTER_ID.encode())).fetchone()
        self.cluster_id = f"rollcall-{found[0]}" if found else "rollcall"
        await connection.execute(
            sql.REGISTER.encode(),
            {
                "node_id": self.me.node_id,
                "incarnation": self.incarnation,
                "host": self.me.host,
                "port": self.me.port,
                "draft_port": self.me.draft_port,
                "lease_ms": self.lease_ms,
                "schema": schema.OURS,
            },
        )
