"""Observers of groups, the web's pages, hear of every change: one NOTIFY for all of a moment.

PostgreSQL commits one after another the transactions that notify (docs/hot-path.md, *NOTIFY*). So
no batch of a committer rings: it says afterwards what has changed, and one task rings for both
queues. A ring that is lost with its node is made up for by the node that takes its slots.
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
"""Groups named in one ring. NOTIFY refuses payloads of 8,000 bytes; whom an empty object reaches
looks for himself."""

BYTES_MAX: Final = 7_500

GATHER_S: Final = 0.05
"""After a ring: what changes meanwhile is told together. A person sees no difference."""

AGAIN_S: Final = 1.0
"""After a ring that PostgreSQL did not take."""

Pool = AsyncConnectionPool[connections.Connection]


class Observers:
    """What has changed and was not told yet: revisions by group id."""

    def __init__(self) -> None:
        self._changed: dict[str, int] = {}
        self._all = False
        self._due = asyncio.Event()
        self._unlooked: set[str] = set()

    def note(self, group_id: str, revision: int) -> None:
        """The group has changed, and its rows say so."""
        if len(self._changed) <= GROUPS_MAX:  # of more than that no name is told
            self._changed[group_id] = revision
        self._unlooked.add(group_id)
        self._due.set()

    def came(self, group_id: str) -> None:
        """The group came to this node with its rows, or something was decided of it that changes
        none of them."""
        self._unlooked.add(group_id)

    def unlooked(self) -> set[str]:
        """Groups that have changed or come since this was asked last."""
        found, self._unlooked = self._unlooked, set()
        return found

    def look(self) -> None:
        """What changed is not known, since it was written by the last owner of groups that came to
        this node, or by a transaction whose outcome was in doubt: whoever listens looks himself."""
        self._all = True
        self._due.set()

    async def run(self, pool: Pool) -> None:
        """Ring whenever there is something to tell, until cancelled."""
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
            logger.debug("observers are told later: %s", error)
            return False
        return True


async def ring(connection: psycopg.AsyncConnection[Any], changed: Mapping[str, int]) -> None:
    """Tell whoever listens."""
    await connection.execute(group_rows.RING, {"channel": BELL, "payload": payload(changed)})


def payload(changed: Mapping[str, int]) -> str:
    """What the ring says; an empty object where that would be too much."""
    text = json.dumps(changed) if len(changed) <= GROUPS_MAX else "{}"
    return text if len(text) <= BYTES_MAX else "{}"
