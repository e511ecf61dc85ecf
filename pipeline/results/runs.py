"""Runs and their report rows in PostgreSQL: the only SQL that writes.

The rows of a run and its success are committed together, so a reader sees a complete report or the
previous one. Knows neither Spark nor what the rows mean.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import sql

from pipeline.schemas import COSTS, columns

Connection = psycopg.Connection[tuple[Any, ...]]

LOCK = 0x526C61
"""The advisory lock that one analysis at a time holds ("Rla")."""

RUNS_KEPT = 20
"""Older runs are deleted with their rows when a run succeeds. Failed ones count, and are small."""

DETAIL_CHARS_MAX = 2_000

CAUSE = "Caused by: "
"""How Java begins the line of an error that led to the one above it."""

BEGIN = """
INSERT INTO rollcall_report_run (kind, state, requested_by, started_at, detail)
VALUES ('rebalances', 'running', %s, clock_timestamp(), '') RETURNING id
"""

# A run in state 'running' although no session holds the lock has crashed.
BURY = """
UPDATE rollcall_report_run SET state = 'failed', finished_at = clock_timestamp(),
       detail = 'The analysis ended without a word.'
WHERE kind = 'rebalances' AND state = 'running'
"""

SUCCEED = """
UPDATE rollcall_report_run SET state = 'succeeded', finished_at = clock_timestamp(),
       last_journal_id = %s, events = %s
WHERE id = %s
"""

FAIL = """
UPDATE rollcall_report_run SET state = 'failed', finished_at = clock_timestamp(), detail = %s
WHERE id = %s
"""

FORGET = """
WITH old AS (
    SELECT id FROM rollcall_report_run WHERE kind = 'rebalances' ORDER BY id DESC OFFSET %(kept)s
), rows AS (
    DELETE FROM rollcall_rebalance_cost WHERE run_id IN (SELECT id FROM old)
)
DELETE FROM rollcall_report_run WHERE id IN (SELECT id FROM old)
"""

TOP = """
SELECT {columns} FROM rollcall_rebalance_cost WHERE run_id = {run_id}
ORDER BY without_owner_ms DESC, group_id, trigger LIMIT {limit}
"""

REPORT = sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns(COSTS))


class AlreadyRunning(Exception):
    """Another analysis holds the lock; its report is just as good."""


@contextmanager
def alone(conninfo: str) -> Iterator[Connection]:
    """A connection on which no other analysis runs; raises ``AlreadyRunning``.

    The lock ends with the connection, and so with the process, however it ends.
    """
    with psycopg.connect(conninfo, autocommit=True) as connection:
        (is_ours,) = _one(connection, "SELECT pg_try_advisory_lock(%s)", [LOCK])
        if not is_ours:
            raise AlreadyRunning("Another analysis is at work; its report will do.")
        connection.execute(BURY)
        yield connection


@contextmanager
def recorded(connection: Connection, requested_by: str) -> Iterator[int]:
    """The id of a new run. If an error ends the block, the run is recorded as failed."""
    (run_id,) = _one(connection, BEGIN, [requested_by])
    try:
        yield run_id
    except BaseException as error:
        # Where the session itself was lost, the next run records it; this error is to be reported.
        with suppress(psycopg.OperationalError):
            connection.execute(FAIL, [sentence(error), run_id])
        raise


def succeed(
    connection: Connection,
    run_id: int,
    last_journal_id: int,
    events: int,
    rows: Iterable[tuple[Any, ...]],
) -> int:
    """Write the rows, end the run and delete old ones, in one transaction; returns the number of
    rows."""
    copy = sql.SQL("COPY rollcall_rebalance_cost (run_id, {}) FROM STDIN").format(REPORT)
    written = 0
    with connection.transaction(), connection.cursor() as cursor:
        with cursor.copy(copy) as copied:
            for row in rows:
                copied.write_row((run_id, *row))
                written += 1
        cursor.execute(SUCCEED, [last_journal_id, events, run_id])
        cursor.execute(FORGET, {"kept": RUNS_KEPT})
    return written


def top(connection: Connection, run_id: int, limit: int) -> list[tuple[Any, ...]]:
    """The rows of a run whose partitions had no owner for the longest time, as
    ``schemas.COSTS``."""
    query = sql.SQL(TOP).format(columns=REPORT, run_id=run_id, limit=limit)
    return connection.execute(query).fetchall()


def sentence(error: BaseException) -> str:
    """The error message without a stack trace; of a Spark error, its cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    causes = [line for line in lines if line.startswith("psycopg.")] or _java(lines)
    return (causes or lines)[0][:DETAIL_CHARS_MAX]


def _java(lines: list[str]) -> list[str]:
    """Of Java's stack trace the innermost cause, or what was thrown: its first line names only the
    method that Python called."""
    if not lines[0].startswith("An error occurred while calling"):
        return []
    causes = [line.removeprefix(CAUSE) for line in lines if line.startswith(CAUSE)]
    return causes[-1:] or [line.removeprefix(": ") for line in lines[1:2]]


def _one(connection: Connection, query: str, values: list[Any]) -> tuple[Any, ...]:
    row = connection.execute(query.encode(), values).fetchone()
    assert row is not None
    return row
