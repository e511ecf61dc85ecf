"""The doorbell: one listening connection per process, and the listeners of each channel.

A notification names only what changed, without the data; listeners read the rows. It may be lost
with its connection, so after each reconnect all listeners are called. NOTIFY needs no privilege:
payloads cannot be trusted, and one that a listener cannot parse makes it check everything.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier

from groups.postgres import connections

logger = logging.getLogger(__name__)

RECONNECT_S = 0.5

STILL_THERE = "SELECT 1"
"""A server that hangs sends no notifications, like one without changes: this distinguishes them."""

LOOK_AGAIN_S = 1.0
"""Unreadable notifications make their listener check everything at most this often."""

Listener = Callable[[str | None], Awaitable[None]]
"""Called with the payload, or with None: "notifications may have been lost, check everything"."""

Connect = Callable[[], Awaitable[psycopg.AsyncConnection[Any]]]


async def _as_node() -> connections.Connection:
    return await connections.connect("doorbell")


class Doorbell:
    """Listens while it runs; ``listeners`` maps a channel to its listener.

    ``connect`` creates its connection, a node's own by default. After a loss it waits
    ``RECONNECT_S``; while the database is unavailable, each wait is twice the last one, at most
    ``reconnect_s_max`` (the default never grows: a node must reconnect soon).
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
        self._reported: set[tuple[str, type[Exception]]] = set()

    async def run(self) -> None:
        """Listen, and again after every loss of the connection, until cancelled."""
        while True:
            try:
                async with await self._connect() as connection:
                    await self._listen(connection)
            except (psycopg.Error, OSError) as error:
                logger.info("the connection for notifications is lost: %s", error)
            await asyncio.sleep(self._wait_s)
            self._wait_s = min(2 * self._wait_s, self._reconnect_s_max)

    async def _listen(self, connection: psycopg.AsyncConnection[Any]) -> None:
        for channel in self.listeners:
            await connection.execute(SQL("LISTEN {}").format(Identifier(channel)))
        self._wait_s = RECONNECT_S
        unread = set(self.listeners)
        while True:
            unread = {channel for channel in unread if not await self._notify(channel, None)}
            async for ring in connection.notifies(timeout=LOOK_AGAIN_S):
                if ring.channel not in unread and not await self._notify(
                    ring.channel, ring.payload
                ):
                    unread.add(ring.channel)
            await connection.execute(STILL_THERE)

    async def _notify(self, channel: str, payload: str | None) -> bool:
        """Call the listener; False if it failed, and has to check everything later."""
        try:
            await self.listeners[channel](payload)
        except (psycopg.Error, OSError) as error:
            logger.info("a notification on %s waits for the database: %s", channel, error)
        except Exception as error:
            self._could_not_read(channel, payload, error)
        else:
            return True
        return False

    def _could_not_read(self, channel: str, payload: str | None, error: Exception) -> None:
        """Log it once for each channel and type of error: anyone may send such notifications, and
        often."""
        if (channel, type(error)) not in self._reported:
            self._reported.add((channel, type(error)))
            logger.warning("%s: unreadable notification (%.200r): %r", channel, payload, error)
