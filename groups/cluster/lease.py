"""The lease's connection: the node id's advisory lock, the node's row, and its beat.

It has a separate connection, so that a beat never queues behind a batch or a check of the slots.
``groups.cluster.lease_loop`` decides what a lease means, and what follows from a missed beat.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

from groups.cluster.beats import BEATS_PER_LEASE
from groups.cluster.view import NodeAddress
from groups.core.group import Millis
from groups.postgres import connections, schema_version, timeline, timeline_sql
from groups.postgres.timeline import Memory, ReadResult, SeenRevision, WentBack
from groups.store.sql import slots as sql

RAISING_S = 600
"""Raising epochs writes all rows of all groups: a minute for a million members. No request is
served before it ends."""

RAISING = {
    "statement_timeout": f"{RAISING_S}s",
    "transaction_timeout": f"{RAISING_S}s",
    "lock_timeout": "10s",  # an application that commits offsets locks a group during its COMMIT
}


class NodeIdTaken(Exception):
    """Another living process serves under this node id."""


class Lease:
    """``incarnation`` distinguishes this process from its predecessors with the same node id.

    ``lease_ms`` is in the node's row: other nodes wait for this long when this node is silent,
    whatever their own lease is. ``seen`` returns the committed state that this node has in memory,
    in parts; ``listened``: until when it could hear members, by the clock of its sessions.
    ``unclean_ends``: how many of its predecessors in sequence ended without handing their slots
    over; one that lived for ``calm_ms`` ends the sequence.
    """

    def __init__(self, me: NodeAddress, lease_ms: Millis, calm_ms: Millis = 0) -> None:
        self.me = me
        self.lease_ms = lease_ms
        self.calm_ms = calm_ms
        self.unclean_ends = 0
        self.incarnation = uuid4()
        self.cluster_id = ""
        self.memory: Memory | None = None
        self._has_lock = False
        self._attempts = 0
        self._connection: connections.Connection | None = None
        self.seen: Callable[[], Iterable[Sequence[SeenRevision]]] = tuple
        self.listened: Callable[[], Millis | None] = lambda: None

    async def connection(self) -> connections.Connection:
        """The connection; a new one if the old one is not usable any more. Raises ``WentBack``."""
        before = self._connection
        if before is None or not connections.is_usable(before):
            async with asyncio.timeout(self.patience_s):
                self._attempts += 1
                await self._connect(before)
            self._attempts = 0
        assert self._connection is not None
        return self._connection

    @property
    def patience_s(self) -> float | None:
        """The timeout of the next attempt to connect: at first a part of the lease, and longer
        after each failure, up to a whole lease for a slow server. None: no limit at the start, when
        there is no lease to keep."""
        if self.memory is None:
            return None
        parts = max(1, BEATS_PER_LEASE >> self._attempts)
        return self.lease_ms / parts / 1000

    async def _connect(self, before: connections.Connection | None) -> None:
        self._connection = None
        connection = await connections.kept(before, "lease", is_checked=False)
        try:
            await self._begin(connection)
        except BaseException:
            await connection.close()
            raise
        self._connection = connection

    async def beat(self) -> None:
        """Increase the beat. Raises NodeIdTaken, WentBack, or errors of psycopg."""
        connection = await self.connection()
        if not self._has_lock:  # our own dead session still had it when we reconnected
            self._has_lock = await self._lock(connection)
        parameters = {**self._ids, "clock_ms": self.listened()}
        row = await (await connection.execute(sql.BEAT.encode(), parameters)).fetchone()
        if row is None:
            await self._register_again(connection)
        elif self.memory is not None:
            self.memory.has_beaten(*row)

    async def raise_epochs(self, back: WentBack) -> None:
        """Raise every epoch, once for all nodes. Raises errors of psycopg."""
        async with await connections.connect("epochs", RAISING, is_checked=False) as connection:
            await connection.execute(
                timeline_sql.RAISE_EPOCHS.encode(),
                {
                    "jump": back.found.row.jump,
                    "generations_after": back.generations_after,
                    "node_id": self.me.node_id,
                    "reason": str(back),
                },
            )

    async def close(self) -> None:
        """Close the connection; the next beat opens another."""
        broken, self._connection = self._connection, None
        if broken is not None:
            await broken.close()

    async def end(self) -> None:
        """Close it permanently, and drop what this node remembers."""
        await self.close()
        self._remember(None)

    async def _lock(self, connection: connections.Connection) -> bool:
        keys = {"class": sql.LOCK_CLASS, "node_id": self.me.node_id}
        row = await (await connection.execute(sql.LOCK_NODE.encode(), keys)).fetchone()
        return bool(row and row[0])

    async def _begin(self, connection: connections.Connection) -> None:
        """Check the timeline of the database, and take the node id in it."""
        found = await timeline.read(connection, self.me.node_id)
        if timeline.has_gone_back(found, self.memory):
            raise WentBack(found, self.memory)
        self._has_lock = await self._lock(connection)
        if not self._has_jumped(found):
            await self._look_for_losses(connection, found)
            # A reconnect. The lock may still belong to our own dead session; the beat shows whether
            # the id is still ours.
            return
        if not self._has_lock:
            raise NodeIdTaken(f"another process serves as node {self.me.node_id}")
        await self._register(connection, found)

    async def _look_for_losses(self, connection: connections.Connection, found: ReadResult) -> None:
        """PostgreSQL was restarted, perhaps from a copy that has the last beat but lacks later
        commits: check that its rows are as new as what this node has seen. No other connection is
        used before."""
        memory = self.memory
        assert memory is not None
        if found.server.started_at == memory.server.started_at:
            return
        for part in self.seen():
            if part and await timeline.is_lost(connection, part):
                raise WentBack(found, memory)
        memory.server = memory.server._replace(started_at=found.server.started_at)

    async def until_next_beat(self, seconds: float) -> None:
        """Wait for this time, or until another connection needs the timeline to be checked."""
        if self.memory is None:
            await asyncio.sleep(seconds)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.memory.is_doubted.wait()
        if self.memory is not None:
            self.memory.is_doubted.clear()

    async def _register_again(self, connection: connections.Connection) -> None:
        """The node's row is gone: it was deleted when epochs were raised, or because it was silent
        for long; or another process took it."""
        found = await timeline.read(connection, self.me.node_id)
        was_forgotten = found.beat is None and self._has_lock
        if not was_forgotten and not self._has_jumped(found):
            raise NodeIdTaken(f"node id {self.me.node_id} was registered by another process")
        await self._register(connection, found)

    def _has_jumped(self, found: ReadResult) -> bool:
        """Whether what this node remembers is not valid any more."""
        return self.memory is None or self.memory.row.jump != found.row.jump

    @property
    def _ids(self) -> dict[str, Any]:
        return {"node_id": self.me.node_id, "incarnation": self.incarnation}

    async def _register(self, connection: connections.Connection, found: ReadResult) -> None:
        await connection.execute(sql.END_SERVICE.encode(), self._ids)
        values = {
            **self._ids,
            "clock_ms": self.listened(),
            "host": self.me.host,
            "port": self.me.port,
            "draft_port": self.me.draft_port,
            "endpoints": [str(endpoint) for endpoint in self.me.endpoints],
            "lease_ms": self.lease_ms,
            "schema": schema_version.OURS,  # a console of 0.2.0 asks for it
            "calm_ms": self.calm_ms,
        }
        row = await (await connection.execute(sql.REGISTER.encode(), values)).fetchone()
        jumps = self.memory.jumps if self.memory is not None else set()
        beat, self.unclean_ends = row or (0, 0)
        self._remember(Memory(self.me.node_id, found.server, beat, found.row, jumps))
        self.cluster_id = found.server.cluster_id

    def _remember(self, memory: Memory | None) -> None:
        """Make the node's other connections compare the database with this."""
        timeline.MEMORIES[:] = [m for m in timeline.MEMORIES if m is not self.memory]
        self.memory = memory
        if memory is not None:
            timeline.MEMORIES.append(memory)
