"""The rows as tests read and prepare them: past the door, on purpose."""

from typing import Any, LiteralString

import psycopg

from groups.postgres.connections import Connection

TABLES = (
    "group",
    "member",
    "offset",
    "journal",
    "operation",
    "node",
    "drain",
    "node_settings",
    "topic",
    "liveness",
    "offset_history",
    "life_open",
    "life",
    "ownership_open",
    "ownership",
    "round",
    "silence",
    "progress",
    "progress_done",
    "fleet_hour",
    "facts_floor",
    "mark",
    "report_run",
    "report_row",
    "producer",
    "txn_group",
    "pending_offset",
    "group_config",
    "pause",
    "follower",
    "command",
    "waiting",
    "group_counts",
    "connection",
    "connections_noted",
    "acl",
    "quota",
    "credential",
    "node_minute",
    "attention_rule",
    "audit",
)

DELETE_ALL = "\n".join(f"DELETE FROM rollcall_{table};" for table in TABLES)
"""There are a few rows at most: TRUNCATE, which makes new files for each table and index, takes
PostgreSQL twenty times as long."""

EMPTY = f"""
SET session_replication_role = replica;
{DELETE_ALL}
UPDATE rollcall_slot SET node_id = NULL, incarnation = NULL, epoch = 1, served_ms = 0,
       shift_ms = NULL, ended_at = NULL, is_noted = false, interruptions = '[]'
 WHERE epoch <> 1 OR node_id IS NOT NULL OR incarnation IS NOT NULL OR ended_at IS NOT NULL;
UPDATE rollcall_watch SET probe = 0, echo = 0 WHERE probe <> 0 OR echo <> 0;
UPDATE rollcall_timeline SET generations_after = 0, jumped_on = NULL
 WHERE generations_after <> 0 OR jumped_on IS NOT NULL;
"""
"""No trigger and no foreign key has a say in it: all of it goes."""


KEPT: dict[str, "psycopg.Connection[Any]"] = {}
"""The session that empties a database, by its URL. A new one, which has to read PostgreSQL's
catalogue about every table, takes several times as long as the deletions."""


def empty(url: str) -> None:
    """No groups, no nodes, every slot free and in epoch 1."""
    try:
        _kept(url).execute(EMPTY)
    except psycopg.OperationalError:  # a test has ended every session
        leave()
        _kept(url).execute(EMPTY)


def _kept(url: str) -> "psycopg.Connection[Any]":
    if url not in KEPT:
        KEPT[url] = psycopg.connect(url, autocommit=True, application_name="emptying")
    return KEPT[url]


def leave() -> None:
    """Close what ``empty`` has opened."""
    while KEPT:
        KEPT.popitem()[1].close()


async def found(connection: Connection, statement: LiteralString, *values: object) -> list[Any]:
    """The rows of a statement."""
    cursor = await connection.execute(statement, values)
    return await cursor.fetchall()


async def groups(connection: Connection) -> dict[str, tuple[str, int, int]]:
    """State, generation and revision of every group."""
    statement = "SELECT group_id, state, generation, revision FROM rollcall_group"
    return {row[0]: tuple(row[1:]) for row in await found(connection, statement)}


async def members(connection: Connection) -> set[tuple[str, str]]:
    """Every (group, member)."""
    return {*await found(connection, "SELECT group_id, member_id FROM rollcall_member")}


async def offsets(connection: Connection) -> dict[tuple[str, str, int], int]:
    """Every committed offset by (group, topic, partition)."""
    statement = "SELECT group_id, topic, partition, committed_offset FROM rollcall_offset"
    return {tuple(row[:3]): row[3] for row in await found(connection, statement)}


async def journal(connection: Connection) -> list[tuple[str, str, int]]:
    """Every (group, kind, revision), in order; entries about the cluster itself left out."""
    return await found(
        connection,
        "SELECT group_id, kind, revision FROM rollcall_journal WHERE group_id <> '' ORDER BY id",
    )


async def everything(connection: Connection) -> dict[str, list[Any]]:
    """All that a batch may write, to compare before and after."""
    tables: tuple[LiteralString, ...] = ("group", "member", "offset", "journal", "operation")
    return {
        table: await found(connection, f"SELECT * FROM rollcall_{table} ORDER BY 1, 2")
        for table in tables
    }


async def backends(connection: Connection, name: str) -> list[int]:
    """The server processes of this database whose client has that name."""
    named = await found(
        connection,
        "SELECT pid FROM pg_stat_activity"
        " WHERE application_name = %s AND datname = current_database()",
        name,
    )
    return [pid for (pid,) in named]
