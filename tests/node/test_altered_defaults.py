"""Defaults that an administrator gives the database change nothing that a node reads."""

from collections.abc import AsyncIterator
from datetime import datetime

import pytest
from psycopg import sql

from groups.postgres import connections
from tests.in_process import Other
from tests.node.running import running

ODD = {
    "datestyle": "German",
    "intervalstyle": "sql_standard",
    "bytea_output": "escape",
    "client_encoding": "LATIN1",
    "default_transaction_isolation": "serializable",
    "default_transaction_deferrable": "on",
    "idle_session_timeout": "500ms",
    "array_nulls": "off",
    "standard_conforming_strings": "off",
    "search_path": "elsewhere",
}


@pytest.fixture
async def _odd(other: Other) -> AsyncIterator[None]:
    found = await (await other.execute(b"SELECT current_database()")).fetchone()
    assert found is not None
    database = sql.Identifier(found[0])
    for name, value in ODD.items():
        change = sql.SQL("ALTER DATABASE {} SET {} = {}")
        await other.execute(change.format(database, sql.Identifier(name), value))
    yield
    for name in ODD:
        await other.execute(
            sql.SQL("ALTER DATABASE {} RESET {}").format(database, sql.Identifier(name))
        )


@pytest.mark.usefixtures("_odd")
async def test_a_node_reads_times_and_names_with_any_database_defaults() -> None:
    async with running() as one:
        await one.kept("größer als Ω")
    async with await connections.connect("test") as connection:
        row = await (
            await connection.execute(b"SELECT clock_timestamp(), group_id FROM rollcall_group")
        ).fetchone()
        assert row is not None
        assert isinstance(row[0], datetime) and row[1] == "größer als Ω"
        for name, odd in ODD.items():
            shown = await (await connection.execute(f"SHOW {name}".encode())).fetchone()
            assert shown is not None and not shown[0].startswith(odd), name
