"""The connections of clients, written as rows when REST requests them.

No list is kept: on a notification, the server's connections are read and written as rows, at most
once a second.
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
from groups.postgres.channels import Rung
from groups.store.sql import connections as sql
from groups.store.sql.waiting import ASYNCHRONOUS

PAUSE_S: Final = 1.0
"""Minimum time between two writes. Requests accept rows of this age."""

ROWS_MAX: Final = 2_000
"""Rows of one statement."""

Pool = AsyncConnectionPool[connections.Connection]


class Connected(NamedTuple):
    """A connection: see ``groups.models.ClientConnection``. ``age_ms``: how long it has existed.
    ``NOTE`` reads the fields by position."""

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
    """The connections of a node without a server."""
    return ()


class ClientConnections:
    """``collect`` is set by the server: returns all current connections."""

    def __init__(self, node_id: int) -> None:
        self.node_id = node_id
        self.collect: Callable[[], Awaitable[Sequence[Connected]]] = _nobody
        self._requested = asyncio.Event()

    async def rung(self, rung: Rung) -> None:
        """A notification requests the connections. None: notifications may be lost; the request is
        then repeated."""
        if rung is not None:
            self._requested.set()

    async def run(self, pool: Pool) -> None:
        """Write the connections when requested, until cancelled."""
        while True:
            await self._requested.wait()
            self._requested.clear()
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
