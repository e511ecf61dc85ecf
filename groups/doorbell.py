"""The doorbell: one listening connection a process, and who wants to hear which channel.

A ring carries only what changed, never the data; listeners look for themselves. A ring
may be lost with its connection, so every reconnect rings for everyone.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

import psycopg
from psycopg.sql import SQL, Identifier

from groups import database

logger = logging.getLogger(__name__)

RECONNECT_S = 0.5

Listener = Callable[[str | None], Awaitable[None]]
"""Told the payload, or None: "something may have been missed, look at everything"."""

Connect = Callable[[], Awaitable[database.Connection]]


async def _as_node() -> database.Connection:
    return await database.connect("doorbell")


class Doorbell:
    """Listens for as long as it runs; ``listeners`` maps a channel to who is told.

    ``connect`` makes its connection, a node's own by default. After a loss it waits
    ``RECONNECT_S``; while the database stays away, each wait is twice the one before, at most
    ``reconnect_s_max`` (the default never grows: a node must hear soon).
    """

    def __init__(
        self,
        listeners: Mapping[str, Listener],
        connect: Connect = _as_node,
        reconnect_s_max: float = RECONNECT_S,
    ) -> None:
        self.listeners = listeners
        self._connect = connect
        self._reconnect_s_max = reconnect_s_max
        self._wait_s = RECONNECT_S

    async def run(self) -> None:
        """Listen, and again after every loss of the connection, until cancelled."""
        while True:
            try:
                async with await self._connect() as connection:
                    await self._listen(connection)
            except (psycopg.Error, OSError) as error:
                logger.info("the doorbell is away: %s", error)
            await asyncio.sleep(self._wait_s)
            self._wait_s = min(2 * self._wait_s, self._reconnect_s_max)

    async def _listen(self, connection: database.Connection) -> None:
        for channel in self.listeners:
            await connection.execute(SQL("LISTEN {}").format(Identifier(channel)))
        self._wait_s = RECONNECT_S
        for listener in self.listeners.values():
            await listener(None)
        async for ring in connection.notifies():
            await self.listeners[ring.channel](ring.payload)
