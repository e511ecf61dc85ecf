"""Notifies observers of groups (the web's pages) of every change: one NOTIFY for several groups.

PostgreSQL serializes the commits of transactions that notify (docs/hot-path.md, *NOTIFY*). So
batches do not notify: the committers report afterwards what has changed, and one task notifies for
both. If a node dies before it notifies, the node that takes over its slots does so.
"""

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any, Final

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from groups.postgres import connections
from groups.runtime.entries import CHANGES_NAMED_MAX, Changes
from groups.store.sql import group_rows

logger = logging.getLogger(__name__)

BELL: Final = "rollcall_groups"
"""The channel: a JSON object of group id to revision."""

BYTES_MAX: Final = 7_500

GATHER_S: Final = 0.05
"""The pause after a notification: what changes meanwhile goes into the next one. People do not
notice it."""

AGAIN_S: Final = 1.0
"""The pause after a notification that failed."""

Pool = AsyncConnectionPool[connections.Connection]


async def run(changes: Changes, pool: Pool) -> None:
    """Notify whenever something has changed, until cancelled."""
    while True:
        await changes.due.wait()
        try:
            async with pool.connection() as connection:
                await ring(connection, changes.taken())
        except (psycopg.Error, PoolTimeout) as error:
            logger.debug("observers are notified later: %s", error)
            changes.look()
            await asyncio.sleep(AGAIN_S)
        else:
            await asyncio.sleep(GATHER_S)


async def ring(connection: psycopg.AsyncConnection[Any], changed: Mapping[str, int]) -> None:
    """Notify the listeners."""
    await connection.execute(group_rows.RING, {"bell": BELL, "payload": payload(changed)})


def payload(changed: Mapping[str, int]) -> str:
    """The payload; an empty object if it would be too long."""
    text = json.dumps(changed) if len(changed) <= CHANGES_NAMED_MAX else "{}"
    return text if len(text) <= BYTES_MAX else "{}"
