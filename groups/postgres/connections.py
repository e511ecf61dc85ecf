"""A node's direct connections to PostgreSQL, with its role and its timeouts.

Only connection parameters and connecting; no SQL about groups.
"""

import asyncio
import logging
import os
import select
from collections.abc import AsyncGenerator, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from socket import SHUT_RDWR, socket
from typing import Any, TypeVar

import psycopg
from django.conf import settings
from psycopg.abc import PQGen
from psycopg.conninfo import make_conninfo
from psycopg_pool import AsyncConnectionPool

from groups.event_loop import Slices
from groups.postgres import timeline
from groups.postgres.roles import options

logger = logging.getLogger(__name__)

RV = TypeVar("RV")

WAIT_INTERVAL_S = 0.1
"""How often psycopg checks while it waits: its own default."""


class Connection(psycopg.AsyncConnection[Any]):
    """A connection whose server must answer in time.

    PostgreSQL's own timeouts end long statements, but not the wait for a server process that hangs
    or for a network that drops packets. ``patience_s``: how long to wait for one response before
    the connection is closed; None: without limit, for a connection that only listens.
    """

    patience_s: float | None = None
    _until: float | None = None
    _watch: asyncio.TimerHandle | None = None

    async def wait(
        self,
        gen: PQGen[RV],
        interval: float = WAIT_INTERVAL_S,
        timeout: float | None = None,  # noqa: ASYNC109  (psycopg's own signature)
    ) -> RV:
        """Wait for the server, and break the connection if it takes too long: psycopg then reports
        that it was lost, as for any other broken one.

        An error that occurs while psycopg cancels the statement of a cancelled task is replaced by
        the task's cancellation: otherwise a loop that survives errors would never end.
        """
        before = cancellations()
        try:
            return await self._wait(gen, interval, timeout)
        except psycopg.Error as error:
            if cancellations() > before:
                raise asyncio.CancelledError from error
            raise

    async def _wait(
        self,
        gen: PQGen[RV],
        interval: float,
        timeout: float | None,  # noqa: ASYNC109
    ) -> RV:
        if self.patience_s is None:
            return await super().wait(gen, interval, timeout)
        loop = asyncio.get_running_loop()
        self._until = until = loop.time() + self.patience_s
        if self._watch is None or self._watch.when() > until:
            self._watch_until(until, loop)
        try:
            return await super().wait(gen, interval, timeout)
        finally:
            self._until = None

    def _watch_until(self, until: float, loop: asyncio.AbstractEventLoop) -> None:
        """One timer for many waits: a batch waits a dozen times, and a timer for each would cost
        more than the waits themselves."""
        if self._watch is not None:
            self._watch.cancel()
        self._watch = loop.call_at(until, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._watch = None
        if self._until is None:
            return  # no wait is running; the next one sets the timer again
        if loop.time() >= self._until:
            self.hang_up()
        else:
            self._watch_until(self._until, loop)

    async def notifies(
        self,
        *,
        timeout: float | None = None,  # noqa: ASYNC109  (psycopg's own signature)
        stop_after: int | None = None,
    ) -> AsyncGenerator[psycopg.Notify, None]:
        """Listen: the server sends nothing until a notification arrives."""
        with self.patient(None):
            async for ring in super().notifies(timeout=timeout, stop_after=stop_after):
                yield ring

    @contextmanager
    def patient(self, seconds: float | None) -> Iterator[None]:
        """For a call that may take longer than others, or without limit."""
        before, self.patience_s = self.patience_s, seconds
        try:
            yield
        finally:
            self.patience_s = before

    def hang_up(self) -> None:
        """Shut the socket down, without sending anything that the server would have to read."""
        if self.closed:
            return
        logger.warning("%s: PostgreSQL gives no answer; the connection is given up", self._name)
        # On a duplicate descriptor: libpq closes its own.
        with socket(fileno=os.dup(self.fileno())) as line, suppress(OSError):
            line.shutdown(SHUT_RDWR)

    @property
    def _name(self) -> str:
        return self.info.get_parameters().get("application_name", "a connection")


def cancellations() -> int:
    """How often the current task was cancelled, without cancellations that were taken back."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


class Pool(AsyncConnectionPool[Connection]):
    """Connections for readers. Lending one and taking it back are tasks of their own, which nobody
    cancels: the pool loses a connection for good where the task that asks for it, or gives it back,
    is cancelled in the wrong moment, or twice, as by a client that goes and a time limit."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._under_way = set[asyncio.Future[Any]]()

    async def getconn(self, timeout: float | None = None) -> Connection:  # noqa: ASYNC109
        """One of them, to be given back (``AsyncConnectionPool.getconn``)."""
        getting = self._kept(super().getconn(timeout))
        try:
            return await asyncio.shield(getting)
        except asyncio.CancelledError:
            getting.add_done_callback(self._give_back)
            raise

    async def putconn(self, conn: Connection) -> None:
        """Give it back (``AsyncConnectionPool.putconn``)."""
        await asyncio.shield(self._kept(super().putconn(conn)))

    def _give_back(self, getting: "asyncio.Future[Connection]") -> None:
        """Nobody is there any more who asked for it."""
        if not getting.cancelled() and getting.exception() is None:
            self._kept(super().putconn(getting.result()))

    def _kept(self, doing: Coroutine[Any, Any, RV]) -> "asyncio.Future[RV]":
        task = asyncio.ensure_future(doing)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task


ROWS_AT_ONCE = 500
"""Rows that are converted between two checks of the time."""


async def in_slices(cursor: psycopg.AsyncCursor[Any]) -> AsyncGenerator[Any, None]:
    """The rows one by one; other tasks run between slices of many rows."""
    slices = Slices()
    while rows := await cursor.fetchmany(ROWS_AT_ONCE):
        for row in rows:
            yield row
        if slices.is_over:
            await slices.pause()


TIMEOUT = "OFFSETS_COMMIT_TIMEOUT_MS"

CONNECT_TIMEOUT_S = 3
"""A host that does not answer must not delay a node's start, or its lease, for long."""

LIBPQ: Mapping[str, Any] = {
    "connect_timeout": CONNECT_TIMEOUT_S,
    # A server that vanished is detected within seconds, not within two hours.
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 3000,
}

HUNG_UP = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)
"""The poll event of a socket whose other end has closed (POLLRDHUP: Linux only)."""

RECONNECT_S = 1.0
"""How long the pool tries to reconnect by itself, with doubled pauses; with its default, after an
outage of a minute readers would wait another minute. Afterwards it tries again with the next
reader."""

REACH_AGAIN_S = 0.1
"""The pause between two attempts to connect while a node starts."""

READERS_MAX = 4
"""Connections for reads (offset fetches, catalogue look-ups) of one node."""


def conninfo(role: str = "rollcall_node", **over: Any) -> str:
    """The node's connection string: Django's database, with the role and the timeouts."""
    database, logins = settings.DATABASES["default"], settings.DATABASE_LOGINS
    parameters: dict[str, Any] = {
        "host": database["HOST"],
        "port": database["PORT"],
        "dbname": database["NAME"],
        "user": role if role in logins else database["USER"],
        "password": logins.get(role, database["PASSWORD"]),
        **{k: v for k, v in database.get("OPTIONS", {}).items() if isinstance(v, str | int)},
        **LIBPQ,
        "application_name": f"rollcall {role.removeprefix('rollcall_')}",
        "options": _options(role, {}),
        **over,
    }
    return make_conninfo("", **{k: v for k, v in parameters.items() if v not in (None, "")})


def _options(role: str, over: Mapping[str, str]) -> str:
    return options(role, over, taken=settings.DATABASE_ROLES)


def _patience_s(settings_over: Mapping[str, str]) -> float:
    """How long a node waits for a response: longer than usual by as much as the timeouts of the
    connection's statements are."""
    more = settings_over.get("statement_timeout", "0s").removesuffix("s")
    return float(more) + float(getattr(settings, TIMEOUT)) / 1000


async def connect(
    name: str,
    settings_over: Mapping[str, str] | None = None,
    *,
    is_checked: bool = True,
    **parameters: str,
) -> Connection:
    """One direct connection in autocommit mode; ``name`` shows in pg_stat_activity.

    ``settings_over`` replaces some of the role's own settings, ``parameters`` libpq's. Unless
    ``is_checked`` the server's rows may be older than what this process has seen.
    """
    over = {
        "options": _options("rollcall_node", settings_over or {}),
        "application_name": f"rollcall node {name}",
        **parameters,
    }
    connection = await Connection.connect(conninfo(**over), autocommit=True)
    connection.patience_s = _patience_s(settings_over or {})
    if is_checked:
        await _confirmed(connection)
    return connection


async def reached() -> None:
    """Wait until PostgreSQL accepts connections; raises the last error when it has not for
    ``CONNECT_TIMEOUT_S``. A pool waits for one second and then for two between its attempts: a node
    that starts while PostgreSQL recovers would miss it twice, and end."""
    loop = asyncio.get_running_loop()
    until = loop.time() + CONNECT_TIMEOUT_S
    while True:
        try:
            return await (await connect("start", is_checked=False)).close()
        except (psycopg.OperationalError, OSError):
            if loop.time() >= until:
                raise
        await asyncio.sleep(REACH_AGAIN_S)


async def _confirmed(connection: Connection) -> None:
    try:
        await timeline.check(connection)
    except BaseException:
        await connection.close()
        raise


async def _configured(connection: Connection) -> None:
    connection.patience_s = _patience_s({})
    await _confirmed(connection)


async def kept(connection: Connection | None, name: str, *, is_checked: bool = True) -> Connection:
    """The same connection while it is usable, otherwise a new one.

    If the server ended while the connection was idle, this detects it with one system call;
    otherwise the next batch would, with an unknown outcome.
    """
    if connection is not None:
        if is_usable(connection):
            return connection
        await connection.close()
    return await connect(name, is_checked=is_checked)


def is_usable(connection: Connection) -> bool:
    """Whether neither side has closed it, as far as one system call shows."""
    if connection.closed or connection.broken:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), HUNG_UP)
    return not poll.poll(0)


async def _check(connection: Connection) -> None:
    """Do not lend a connection whose server has ended: a restart must not fail a reader's
    request."""
    if not is_usable(connection):
        await connection.close()  # otherwise the pool would lend it again
        raise psycopg.OperationalError("the server closed the connection while it was idle")


def pool() -> Pool:
    """The readers' pool, not opened yet."""
    return Pool(
        conninfo(),
        min_size=1,
        max_size=READERS_MAX,
        open=False,
        connection_class=Connection,
        configure=_configured,
        check=_check,
        reconnect_timeout=RECONNECT_S,
        timeout=CONNECT_TIMEOUT_S,
        kwargs={"autocommit": True},
    )
