"""How a node connects to PostgreSQL: direct connections, with its role and its timeouts.

Only connection parameters and their making; no SQL about groups.
"""

import logging
import select
from collections.abc import Mapping
from typing import Any

import psycopg
from django.conf import settings
from psycopg.conninfo import make_conninfo
from psycopg_pool import AsyncConnectionPool

from groups.roles import options

logger = logging.getLogger(__name__)

Connection = psycopg.AsyncConnection[Any]

CONNECT_TIMEOUT_S = 3
"""A host that does not answer must not hold a node's start, or its lease, for long."""

LIBPQ: Mapping[str, Any] = {
    "connect_timeout": CONNECT_TIMEOUT_S,
    # A peer that vanished without a word is noticed within seconds, not within two hours.
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 3000,
}

HUNG_UP = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)
"""What the system says of a socket whose other end has closed (POLLRDHUP: Linux only)."""

RECONNECT_S = 1.0
"""How long the pool tries to reconnect by itself, waiting twice as long each time; behind an outage
of a minute readers would wait another. Having given up, it tries again with the next reader."""

READERS_MAX = 4
"""Connections for reads (offset fetches, catalogue look-ups) of one node."""


def conninfo(role: str = "rollcall_node", **over: Any) -> str:
    """The connection string of the node: Django's own database, our role and timeouts."""
    database = settings.DATABASES["default"]
    parameters: dict[str, Any] = {
        "host": database["HOST"],
        "port": database["PORT"],
        "dbname": database["NAME"],
        "user": database["USER"],
        "password": database["PASSWORD"],
        **{k: v for k, v in database.get("OPTIONS", {}).items() if isinstance(v, str | int)},
        **LIBPQ,
        "application_name": f"rollcall {role.removeprefix('rollcall_')}",
        "options": _options(role, {}),
        **over,
    }
    return make_conninfo("", **{k: v for k, v in parameters.items() if v not in (None, "")})


def _options(role: str, over: Mapping[str, str]) -> str:
    return options(role, over, taken=settings.DATABASE_ROLES)


async def connect(
    name: str, settings_over: Mapping[str, str] | None = None, **parameters: str
) -> Connection:
    """One direct connection in autocommit mode; ``name`` shows in pg_stat_activity.

    ``settings_over`` replaces some of the role's own settings, ``parameters`` libpq's.
    """
    over = {
        "options": _options("rollcall_node", settings_over or {}),
        "application_name": f"rollcall node {name}",
        **parameters,
    }
    return await psycopg.AsyncConnection.connect(conninfo(**over), autocommit=True)


async def kept(connection: Connection | None, name: str) -> Connection:
    """The same connection while it is usable, else a new one in its place.

    A server that went while the connection was idle is noticed here, by one system call, and
    not by the next batch, whose outcome nobody would know.
    """
    if connection is not None:
        if _is_usable(connection):
            return connection
        await connection.close()
    return await connect(name)


def _is_usable(connection: Connection) -> bool:
    if connection.closed or connection.broken:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), HUNG_UP)
    return not poll.poll(0)


async def _check(connection: Connection) -> None:
    """Lend no connection whose server has gone: a restart must not cost a reader its answer."""
    if not _is_usable(connection):
        await connection.close()  # or the pool takes it for a good one, and lends it again
        raise psycopg.OperationalError("the server closed the connection while it was idle")


def pool() -> AsyncConnectionPool[Connection]:
    """The readers' pool, not yet open."""
    return AsyncConnectionPool(
        conninfo(),
        min_size=1,
        max_size=READERS_MAX,
        open=False,
        check=_check,
        reconnect_timeout=RECONNECT_S,
        timeout=CONNECT_TIMEOUT_S,
        kwargs={"autocommit": True},
    )
