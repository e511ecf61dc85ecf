"""The oracle: all tables by DuckDB (``oracle_duckdb.sql``), from the same rows of PostgreSQL."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import duckdb
from adbc_driver_postgresql import dbapi

Config = Mapping[str, str | int]
"""DuckDB's own settings, by name."""

TWO: Final[Config] = {"threads": 2}

SQL: Final = (Path(__file__).parent / "oracle_duckdb.sql").read_text()

READ: Final[Mapping[str, str]] = {
    "journal": """
        SELECT id, at AS decided, group_id, kind, trigger, reason, client_reason, member_id,
               client_id, generation_before, generation_after, duration_ms,
               waited_for::text AS waited_for, details::text AS details FROM rollcall_journal""",
    "life": """
        SELECT life, group_id, member_id, instance_id, client_id, client_host, software_name,
               software_version, kind, session_timeout_ms, protocols, joined_at, left_at, departure,
               heard_at FROM rollcall_life""",
    "ownership": """
        SELECT group_id, life, topic, from_at, until_at, (
            SELECT array_agg(n)
            FROM unnest(partitions) AS r, generate_series(lower(r), upper(r) - 1) AS n
        ) AS partitions FROM rollcall_ownership""",
    "silence_hour": "SELECT hour, group_id, lives, longest_ms, looks FROM rollcall_silence",
    "progress_hour": "SELECT * FROM rollcall_progress",
}
"""JSON as text: DuckDB reads it itself."""


def loaded(url: str, at: datetime, config: Config = TWO) -> duckdb.DuckDBPyConnection:
    """A database in memory with the tables and the moment that the oracle begins with."""
    connection = duckdb.connect(config={**config})
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("CREATE TABLE run AS SELECT ?::TIMESTAMPTZ AS moment", [at])
    with dbapi.connect(url) as source, source.cursor() as cursor:
        for name, statement in READ.items():
            cursor.execute(statement)
            batches = cursor.fetch_record_batch()
            connection.register("batches", batches)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM batches")
            connection.unregister("batches")
    return connection


def computed(url: str, at: datetime, config: Config = TWO) -> duckdb.DuckDBPyConnection:
    """The same with every table of the oracle."""
    connection = loaded(url, at, config)
    connection.execute(SQL)
    return connection


def rows(connection: duckdb.DuckDBPyConnection, table: str) -> list[dict[str, Any]]:
    """All rows of a table."""
    found = connection.execute(f"SELECT * FROM {table}")
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
