"""The connections of clients, noted for who asks (REST): nothing is noted before.

Nobody keeps a list: when the bell rings, what the server has of each connection is read off and
written as rows. However often it rings, that happens once a second at most.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final, NamedTuple

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from groups.core.group import Millis
from groups.event_loop import process_ms
from groups.postgres import connections
from groups.store.sql import connections as sql
from groups.store.sql.waiting import ASYNCHRONOUS

PAUSE_S: Final = 1.0
"""Between two notes. Who asks is content with what was noted so long ago."""

ROWS_MAX: Final = 2_000
"""Rows of one statement."""

Pool = AsyncConnectionPool[connections.Connection]


class Connected(NamedTuple):
    """A connection: see ``groups.models.ClientConnection``. ``age_ms``: how long there has been
    one. ``NOTE`` reads the fields by their places."""

    number: int
    listener: str
    address: str
    principal: str
    client_id: str
    software: str
    software_version: str
    groups: Sequence[str]
    age_ms: Millis


async def _nobody() -> Sequence[Connected]:
    """Of a node without a server."""
    return ()


class ClientConnections:
    """``collect`` is set by the server: every connection as it is now."""

    def __init__(self, node_id: int) -> None:
        self.node_id = node_id
        self.collect: Callable[[], Awaitable[Sequence[Connected]]] = _nobody
        self._asked = asyncio.Event()

    async def rung(self, payload: str | None) -> None:
        """Somebody wants to see them. None: the bell was away; who asked then asks again."""
        if payload is not None:
            self._asked.set()

    async def run(self, pool: Pool) -> None:
        """Note whenever it is asked for, until cancelled."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            with suppress(psycopg.Error, PoolTimeout, OSError):
                await self._note(pool)
            await asyncio.sleep(PAUSE_S)

    async def _note(self, pool: Pool) -> None:
        began = process_ms()
        found = await self.collect()
        async with pool.connection() as connection, connection.transaction():
            for statement in (ASYNCHRONOUS, sql.FORGET, sql.FORGET_GONE):
                await connection.execute(statement.encode(), {"node_id": self.node_id})
            rows = iter(found)
            while part := list(islice(rows, ROWS_MAX)):
                values = {"node_id": self.node_id, "ago_ms": process_ms() - began}
                await connection.execute(sql.NOTE.encode(), {**values, "rows": json.dumps(part)})
            values = {"node_id": self.node_id, "ago_ms": process_ms() - began}
            await connection.execute(sql.NOTED.encode(), {**values, "connections": len(found)})
