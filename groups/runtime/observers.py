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
from groups.store.sql import group_rows

logger = logging.getLogger(__name__)

BELL: Final = "rollcall_groups"
"""The channel: a JSON object of group id to revision."""

GROUPS_MAX: Final = 50
"""Groups named in one notification. NOTIFY refuses payloads of 8,000 bytes; a listener that
receives an empty object reads what has changed."""

BYTES_MAX: Final = 7_500

GATHER_S: Final = 0.05
"""The pause after a notification: what changes meanwhile goes into the next one. People do not
notice it."""

AGAIN_S: Final = 1.0
"""The pause after a notification that failed."""

Pool = AsyncConnectionPool[connections.Connection]


class Observers:
    """Changes of which no observer was notified yet: revisions by group id."""

    def __init__(self) -> None:
        self._changed: dict[str, int] = {}
        self._all = False
        self._due = asyncio.Event()
        self._unlooked: set[str] = set()
        self._uncounted: set[str] = set()

    def note(self, group_id: str, revision: int) -> None:
        """The group has changed, and its rows are written."""
        if len(self._changed) <= GROUPS_MAX:  # with more, the notification names none
            self._changed[group_id] = revision
        self.seated(group_id)
        self._due.set()

    def seated(self, group_id: str) -> None:
        """The group was loaded by this node: its rows may have been changed by another."""
        self._unlooked.add(group_id)
        self._uncounted.add(group_id)

    def came(self, group_id: str) -> None:
        """A decision about the group changed none of its rows."""
        self._unlooked.add(group_id)

    def unlooked(self) -> set[str]:
        """Groups that have changed or were loaded since the last call."""
        found, self._unlooked = self._unlooked, set()
        return found

    def uncounted(self) -> set[str]:
        """Groups whose rows have changed, or were loaded, since the last call."""
        found, self._uncounted = self._uncounted, set()
        return found

    def look(self) -> None:
        """It is not known what changed: it was written by the previous owner of groups that this
        node loaded, or by a transaction with an unknown outcome. The listeners read it."""
        self._all = True
        self._due.set()

    async def run(self, pool: Pool) -> None:
        """Notify whenever something has changed, until cancelled."""
        while True:
            await self._due.wait()
            if await self._ring(pool):
                await asyncio.sleep(GATHER_S)
            else:
                self.look()
                await asyncio.sleep(AGAIN_S)

    async def _ring(self, pool: Pool) -> bool:
        changed = {} if self._all else self._changed
        self._changed, self._all = {}, False
        self._due.clear()
        try:
            async with pool.connection() as connection:
                await ring(connection, changed)
        except (psycopg.Error, PoolTimeout) as error:
            logger.debug("observers are notified later: %s", error)
            return False
        return True


async def ring(connection: psycopg.AsyncConnection[Any], changed: Mapping[str, int]) -> None:
    """Notify the listeners."""
    await connection.execute(group_rows.RING, {"bell": BELL, "payload": payload(changed)})


def payload(changed: Mapping[str, int]) -> str:
    """The payload; an empty object if it would be too long."""
    text = json.dumps(changed) if len(changed) <= GROUPS_MAX else "{}"
    return text if len(text) <= BYTES_MAX else "{}"
