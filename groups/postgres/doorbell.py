"""The doorbell: one listening connection per process, and the listeners of each channel.

A notification names only what changed, without the data; listeners read the rows. NOTIFY needs no
privilege, so anyone with access to the database may send anything, as much as he likes: nothing may
depend on notifications. Reading them only collects (``groups.postgres.channels``); a listener is
called at intervals, however much arrives; it checks everything by the clock too. During a flood the
connection is closed for a while: PostgreSQL keeps notifications for a connection that does not keep
up, until its queue is full.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

import psycopg
from psycopg.sql import SQL, Composed, Identifier

from groups.postgres import connections
from groups.postgres.channels import Collected, Rung, is_readable, receive_little

logger = logging.getLogger(__name__)

RECONNECT_S = 0.5

STILL_THERE = "SELECT 1"
"""A server that hangs sends no notifications, like one without changes: this distinguishes them.
Only if no notification waits: psycopg keeps all that come before the answer."""

LOOK_AGAIN_S = 1.0
"""How often a listener checks everything, at most, and if it does so by the clock."""

PAUSE_S: Final = 0.02
"""Between two calls of one listener."""

SHARE: Final = 0.1
"""The share of the time that the calls of one listener may take."""

RINGS_MAX: Final = 10_000
"""Notifications within a second that are read: more are a flood. Reading as many takes some 50 ms
of the second; a thousand topics that are created at once are a thousand."""

DEAF_S, DEAF_S_MAX = 1.0, 30.0
"""How long a process does not listen after a flood: the first time, and the maximum. Doubled each
time, until it has listened for ``CALM_S``."""

CALM_S: Final = 60.0

Listener = Callable[[Rung], Awaitable[None]]
"""Called with payloads, or with None: "notifications may have been lost, check everything"."""

Connect = Callable[[], Awaitable[psycopg.AsyncConnection[Any]]]


class Flooded(Exception):
    """More notifications than anyone of ours sends."""


def _listen_to(channels: Iterable[str]) -> Composed:
    """One message: after the first of several, notifications would come before the answers."""
    return SQL("; ").join(SQL("LISTEN {}").format(Identifier(each)) for each in channels)


async def _as_node() -> connections.Connection:
    return await connections.connect("doorbell")


class Doorbell:
    """Listens while it runs; ``listeners`` maps a channel to its listener. ``heard`` is set once it
    listens (or is flooded) and every listener has checked everything since: from then on changes
    are found as soon as they can be.

    ``connect`` creates its connection, a node's own by default. After a loss it waits
    ``RECONNECT_S``; while the database is unavailable, each wait is twice the last one, at most
    ``reconnect_s_max`` (the default never grows: a node must reconnect soon). ``by_clock``: the
    seconds after which everything is checked without a notification too; None: only when it begins
    to listen, and while it does not after a flood.
    """

    def __init__(
        self,
        listeners: Mapping[str, Listener],
        connect: Connect = _as_node,
        reconnect_s_max: float = RECONNECT_S,
        by_clock: float | None = LOOK_AGAIN_S,
    ) -> None:
        self.listeners = dict(listeners)
        self._connect = connect
        self._reconnect_s_max = reconnect_s_max
        self._by_clock = by_clock
        self._wait_s = RECONNECT_S
        self._deaf_s = DEAF_S
        self._collected = {channel: Collected() for channel in listeners}
        self._rang = {channel: asyncio.Event() for channel in listeners}
        self._reported: set[tuple[str, type[Exception]]] = set()
        self.heard = asyncio.Event()
        self._unheard = set(listeners)
        self._has_begun = False

    async def run(self) -> None:
        """Listen, and again after every loss of the connection, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for channel in self._collected:
                tasks.create_task(self._call(channel))
            await self._listen_always()

    # -- reading

    async def _listen_always(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                async with await self._connect() as connection:
                    await self._listen(connection)
            except (psycopg.Error, OSError) as error:
                logger.info("the connection for notifications is lost: %s", error)
            except Flooded:
                await self._be_deaf(loop.time() - began)
                continue
            await asyncio.sleep(self._wait_s)
            self._wait_s = min(2 * self._wait_s, self._reconnect_s_max)

    async def _listen(self, connection: psycopg.AsyncConnection[Any]) -> None:
        receive_little(connection)
        await connection.execute(_listen_to(self._collected))
        self._wait_s = RECONNECT_S
        self._begin()
        while True:
            count = 0
            async for ring in connection.notifies(timeout=LOOK_AGAIN_S):
                self._collected[ring.channel].add(ring.payload)
                self._rang[ring.channel].set()
                count += 1
                if count > RINGS_MAX:
                    raise Flooded
            if not is_readable(connection):
                await connection.execute(STILL_THERE)

    async def _be_deaf(self, listened_s: float) -> None:
        if listened_s > CALM_S:
            self._deaf_s = DEAF_S
        logger.warning(
            "somebody floods the database with NOTIFY: not listening for %.0f s; changes are found"
            " by the clock",
            self._deaf_s,
        )
        until = asyncio.get_running_loop().time() + self._deaf_s
        while asyncio.get_running_loop().time() < until:
            self._begin()
            await asyncio.sleep(LOOK_AGAIN_S)
        self._deaf_s = min(2 * self._deaf_s, DEAF_S_MAX)

    def _begin(self) -> None:
        """What was changed until now is looked at; what is changed later is found."""
        self._has_begun = True
        for channel, collected in self._collected.items():
            collected.everything()
            self._rang[channel].set()

    # -- calling

    async def _call(self, channel: str) -> None:
        """Call the listener of a channel: soon after a notification, and by the clock."""
        loop, collected = asyncio.get_running_loop(), self._collected[channel]
        began_at, everything_at = loop.time(), loop.time() - LOOK_AGAIN_S
        while True:
            await self._wait(self._rang[channel], max(began_at, everything_at))
            rung = collected.take()
            if rung is None or self._is_due(everything_at):
                await asyncio.sleep(everything_at + LOOK_AGAIN_S - loop.time())
                collected.take()
                rung, everything_at = None, loop.time()
            began, has_begun = loop.time(), self._has_begun
            if not await self._notify(channel, rung):
                collected.everything()
                self._rang[channel].set()
            elif has_begun and rung is None:
                self._has_heard(channel)
            took = loop.time() - began
            await asyncio.sleep(min(LOOK_AGAIN_S, max(PAUSE_S, took * (1 - SHARE) / SHARE)))

    async def _wait(self, rang: asyncio.Event, everything_at: float) -> None:
        """Wait for a notification, or until everything is to be checked."""
        by_clock = self._by_clock
        with suppress(TimeoutError):
            async with asyncio.timeout_at(None if by_clock is None else everything_at + by_clock):
                await rang.wait()
        rang.clear()

    def _is_due(self, everything_at: float) -> bool:
        """Whether the clock says that everything is to be checked."""
        now = asyncio.get_running_loop().time()
        return self._by_clock is not None and now >= everything_at + self._by_clock

    def _has_heard(self, channel: str) -> None:
        self._unheard.discard(channel)
        if not self._unheard:
            self.heard.set()

    async def _notify(self, channel: str, rung: Rung) -> bool:
        """Call the listener; False if it failed, and has to check everything later."""
        try:
            await self.listeners[channel](rung)
        except (psycopg.Error, OSError) as error:
            logger.info("a notification on %s waits for the database: %s", channel, error)
        except Exception as error:
            self._could_not_read(channel, rung, error)
        else:
            return True
        return False

    def _could_not_read(self, channel: str, rung: Rung, error: Exception) -> None:
        """Log it once for each channel and type of error: anyone may send such notifications, and
        often."""
        if (channel, type(error)) not in self._reported:
            self._reported.add((channel, type(error)))
            logger.warning("%s: unreadable notification (%.200r): %r", channel, rung, error)
