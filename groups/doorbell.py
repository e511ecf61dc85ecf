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


class Doorbell:
    """Listens for as long as it runs; ``listeners`` maps a channel to who is told."""

    def __init__(self, listeners: Mapping[str, Listener]) -> None:
        self.listeners = listeners

    async def run(self) -> None:
        """Listen, and again after every loss of the connection, until cancelled."""
        while True:
            try:
                async with await database.connect("doorbell") as connection:
                    await self._listen(connection)
            except (psycopg.Error, OSError) as error:
                logger.info("the doorbell is away: %s", error)
            await asyncio.sleep(RECONNECT_S)

    async def _listen(self, connection: database.Connection) -> None:
        for channel in self.listeners:
            await connection.execute(SQL("LISTEN {}").format(Identifier(channel)))
        for listener in self.listeners.values():
            await listener(None)
        async for ring in connection.notifies():
            await self.listeners[ring.channel](ring.payload)
