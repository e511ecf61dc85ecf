"""Checks at each start that PostgreSQL fulfils what a node needs.

One table of requirements. A node does not start if it could lose an acknowledged commit, or hold
rows for longer than a takeover waits; the message says what to change. Nothing is changed here.
"""

import logging
from collections.abc import Mapping
from typing import Any

import psycopg

from groups.postgres import schema_version
from groups.postgres.roles import NODE_TIMEOUTS
from groups.store import load

logger = logging.getLogger(__name__)

SERVER_VERSION_MIN = 170_000
"""PostgreSQL 17 introduced ``transaction_timeout``: a node that is suspended inside a transaction
must not hold rows for longer than a takeover waits."""

SAFE: Mapping[str, str] = {
    "fsync": "without it a crash of the machine loses acknowledged commits",
    "full_page_writes": "without it a crash may leave partly written pages",
}
"""Server settings that must be on, and the reasons."""

IN_FORCE: Mapping[str, str] = {
    name: NODE_TIMEOUTS[name]
    for name in (
        "synchronous_commit",
        "idle_in_transaction_session_timeout",
        "statement_timeout",
        "lock_timeout",
        "transaction_timeout",
        "client_connection_check_interval",
    )
}
"""The node's own settings, which a connection pooler in between may drop. Those of TCP are left
out: they are 0 on a Unix socket."""

SETTINGS = """
SELECT name, setting, coalesce(unit, '') FROM pg_settings WHERE name = ANY(%(names)s)
"""
STANDBY = "SELECT pg_is_in_recovery()"
SERVER_PROCESS = "SELECT pg_backend_pid()"
FOLLOWERS = "SELECT count(*), current_setting('synchronous_standby_names') FROM pg_stat_replication"

MAY_CREATE = "SELECT has_schema_privilege('public', 'public', 'CREATE')"
"""Whether every login may create functions in the schema where ours are found, as in databases that
were created before PostgreSQL 15."""

MS: Mapping[str, int] = {"ms": 1, "s": 1_000, "min": 60_000}

POOLED = (
    "a connection pooler is in between, which drops roles and shares sessions: point Rollcall at"
    " PostgreSQL itself"
)
"""A pooler gives a number of its own for the server process. Where it shares sessions, a prepared
statement may be another connection's, and locks and LISTEN are nobody's."""


class UnfitDatabase(RuntimeError):
    """A node must not use this database; the text says why."""


async def check(connection: "psycopg.AsyncConnection[Any]", *, unsafe: bool = False) -> None:
    """Raise ``UnfitDatabase`` with all faults found. ``unsafe``: the settings of ``SAFE`` do not
    matter (the data is disposable)."""
    version = connection.info.server_version
    if version < SERVER_VERSION_MIN:
        raise UnfitDatabase(f"Rollcall needs PostgreSQL 17 or newer, not {version}")
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise UnfitDatabase(f"ids may have any letter: the database must be UTF8, not {encoding}")
    row = await (await connection.execute(STANDBY.encode())).fetchone()
    names = {"names": [*SAFE, *IN_FORCE]}
    found = await (await connection.execute(SETTINGS.encode(), names)).fetchall()
    applied = await (await connection.execute(schema_version.APPLIED.encode())).fetchone()
    strange = schema_version.problem(applied[0] if applied else "")
    process = await (await connection.execute(SERVER_PROCESS.encode())).fetchone()
    settings = {name: _value(setting, unit) for name, setting, unit in found}
    faults = [
        *(["it is a standby: point Rollcall at the primary"] if row and row[0] else []),
        *([] if strange is None else [strange]),
        *([] if process == (connection.info.backend_pid,) else [POOLED]),
        *([] if unsafe else _unsafe(settings)),
        *_not_in_force(settings),
    ]
    if faults:
        raise UnfitDatabase("PostgreSQL is not fit for a node: " + "; ".join(faults))


async def check_loading(connection: "psycopg.AsyncConnection[Any]") -> None:
    """Raise ``UnfitDatabase`` if no slot could be loaded: slots handed to such a node would not be
    served."""
    try:
        await load.rehearse(connection)
    except psycopg.ProgrammingError as error:
        raise UnfitDatabase(f"this node could not load groups: {error}") from error


async def warn(connection: "psycopg.AsyncConnection[Any]") -> None:
    """Log settings that do not prevent a start, but may lose an acknowledged write one day."""
    row = await (await connection.execute(FOLLOWERS.encode())).fetchone()
    if row is not None and (problem := standby_problem(*row)) is not None:
        logger.warning("%s", problem)
    if await (await connection.execute(MAY_CREATE.encode())).fetchone() == (True,):
        logger.warning(
            "every login may create functions in the schema public that run with the rights of"
            " Rollcall's owner (REVOKE CREATE ON SCHEMA public FROM PUBLIC)"
        )


def standby_problem(standbys: int, synchronous: str) -> str | None:
    """What is lost if one of these standbys is promoted; None if nothing is."""
    if not standbys or synchronous:
        return None
    return (
        f"{standbys} standbys follow PostgreSQL asynchronously: a promoted one may lack"
        " acknowledged transactions: members join again, offsets are lost (set"
        " synchronous_standby_names)"
    )


def _unsafe(settings: Mapping[str, str | int]) -> list[str]:
    return [f"{name} is off, and {why}" for name, why in SAFE.items() if settings.get(name) != "on"]


def _not_in_force(settings: Mapping[str, str | int]) -> list[str]:
    expected = {name: _expected(text) for name, text in IN_FORCE.items()}
    return [
        f"{name} is {settings.get(name)} although {value} was requested (is there a pooler?)"
        for name, value in expected.items()
        if settings.get(name) != value
    ]


def _value(setting: str, unit: str) -> str | int:
    """A setting as PostgreSQL returns it: milliseconds for times."""
    return int(setting) * MS[unit] if unit in MS else setting


def _expected(text: str) -> str | int:
    """A required setting in the same form."""
    for unit in MS:
        number = text.removesuffix(unit)
        if number != text and number.isdigit():
            return int(number) * MS[unit]
    return text
