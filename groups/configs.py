"""What groups have of their own: read and changed in the rows, kept where the group is owned.

Any node answers and changes (the rows judge); a change rings, and the group's owner goes by it
from then on. What a value may be is told in ``groups.core.group_configs``.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import psycopg
from psycopg_pool import PoolTimeout

from groups import load
from groups import sql_configs as sql
from groups.catalogue import Unavailable
from groups.coordinator import Coordinator
from groups.core.authors import NOBODY, Told
from groups.core.configs import Change
from groups.core.group_configs import Broker, Values, changed
from groups.database import Connection
from groups.own import NOTHING
from groups.slot import slot_of

logger = logging.getLogger(__name__)

ASK_S_MAX = 2.0
"""How long a request may wait for the rows, queueing included."""

RETRY_S = 0.5
"""After a look that failed."""


def _nobody_counts(_rows: int) -> None:
    """There may be any number of settings."""


class Configs:
    """Groups' own configuration, for this node. ``broker``: the node's settings by name. ``admit``
    refuses rows that are new, where there are as many as there may be."""

    def __init__(
        self,
        coordinator: Coordinator,
        connections: Callable[[], AbstractAsyncContextManager[Connection]],
        broker: Broker,
        node_id: int = 0,
        admit: Callable[[int], None] = _nobody_counts,
    ) -> None:
        self.node_id = node_id
        self.admit = admit
        self.coordinator = coordinator
        self.broker = broker
        self._connections = connections
        self._asked: set[str | None] = set()
        self._wake = asyncio.Event()

    # -- what requests ask

    async def of(self, group_ids: Collection[str]) -> Mapping[str, Values]:
        """What each of these groups has of its own, existing or not (KIP-1142).

        One round trip for any number. Raises ``Unavailable``.
        """
        if not group_ids:
            return {}
        async with self._asking() as connection:
            return await load.configs_by_id(connection, sorted(group_ids))

    async def alter(
        self,
        group_id: str,
        changes: Sequence[Change],
        author: Told = NOBODY,
        *,
        validate_only: bool = False,
    ) -> None:
        """Change what a group has of its own, all of it or nothing.

        Refuses what ``group_configs.changed`` refuses, and POLICY_VIOLATION; raises
        ``Unavailable``.
        """
        async with self._asking() as connection, connection.transaction():
            await connection.execute(sql.LOCK, {"group_id": group_id})
            before = (await load.configs_by_id(connection, [group_id])).get(group_id, NOTHING)
            after = changed(before, changes, self.broker)
            if validate_only or after == before:
                return
            if len(after) > len(before):
                self.admit(len(after) - len(before))
            await _write(connection, group_id, after)
            await self._note(connection, group_id, before, after, author)
        async with self._asking() as connection:
            await self._look(connection, {group_id})  # where this node owns it, it is so by now

    async def _note(
        self, connection: Connection, group_id: str, before: Values, after: Values, author: Told
    ) -> None:
        """What was changed, by whom, in the transaction that changes it."""
        names = sorted(n for n in {*before, *after} if before.get(n) != after.get(n))
        told = {
            "before": json.dumps({name: before.get(name) for name in names}),
            "after": json.dumps({name: after.get(name) for name in names}),
            "author": json.dumps(author),
        }
        node_id = self.node_id
        await connection.execute(sql.NOTE, {"group_id": group_id, "node_id": node_id, **told})

    # -- what the owner goes by

    async def rung(self, payload: str | None) -> None:
        """The doorbell: a group's id, or None when rings may have been missed.

        Looked at elsewhere: a look may have to wait for a slot that loads, and other bells ring.
        """
        self._asked.add(payload)
        self._wake.set()

    async def run(self) -> None:
        """Look at what rang, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            asked, self._asked = self._asked, set()
            try:
                async with self._connections() as connection:
                    await self._look(connection, asked)
            except (psycopg.Error, PoolTimeout, OSError) as error:
                logger.info("configuration waits for the database: %s", error)
                self._asked |= asked
                await asyncio.sleep(RETRY_S)
                self._wake.set()

    async def _look(self, connection: Connection, asked: Collection[str | None]) -> None:
        """Read these groups (None: all of the owned slots) and go by what the rows say."""
        own = self.coordinator.own
        async with own.reading:
            slots = set(self.coordinator.epochs)
            if None in asked:
                found = await load.configs_of_slots(connection, sorted(slots))
                groups = own.of_slots(slots) | found.keys()
            else:
                groups = {g for g in asked if g is not None and slot_of(g) in slots}
                found = await load.configs_by_id(connection, sorted(groups))
            for group_id in groups:
                self.coordinator.configure(group_id, found.get(group_id, NOTHING))

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[Connection]:
        """A connection; the one place where PostgreSQL's silence becomes ``Unavailable``."""
        try:
            async with asyncio.timeout(ASK_S_MAX), self._connections() as connection:
                yield connection
        except (psycopg.OperationalError, TimeoutError, PoolTimeout) as error:
            raise Unavailable(str(error)) from error


async def _write(connection: Connection, group_id: str, values: Values) -> None:
    """The group's rows become these values, and its owner hears of it at the commit."""
    names = sorted(values)
    await connection.execute(sql.DROP, {"group_id": group_id, "names": names})
    put = {"names": names, "values": [values[name] for name in names]}
    await connection.execute(sql.PUT, {"group_id": group_id, "slot": slot_of(group_id), **put})
    await connection.execute(sql.RING, {"bell": sql.BELL, "group_id": group_id})
