"""Runs and their report rows in PostgreSQL: the only SQL that writes.

The rows of a run and its success are committed together, so a reader sees complete reports or the
previous ones. Knows neither Spark nor what the rows mean.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any, NamedTuple

import psycopg

from pipeline.progress import Note

Connection = psycopg.Connection[tuple[Any, ...]]

LOCK = 0x526C61
"""The advisory lock that one analysis at a time holds ("Rla")."""

RUNS_KEPT = 20
"""Older runs are deleted when a run succeeds. Failed ones count, and are small."""

ROWS_KEPT = 3
"""Runs that keep their rows: the newest is read, and each has the periods before."""

DETAIL_CHARS_MAX = 2_000

TRACEBACK = "Traceback (most recent call last):"
"""What begins the stack trace of an executor's Python, which ends in its error."""

ENDED = "The analysis was told to end."
"""Ctrl-C has no text of its own: Spark has a handler for it."""

CAUSE = "Caused by: "
"""How Java begins the line of an error that led to the one above it."""

BEGIN = """
INSERT INTO rollcall_report_run (state, requested_by, started_at, detail)
VALUES ('running', %s, clock_timestamp(), '') RETURNING id
"""

# A run in state 'running' although no session holds the lock has crashed.
BURY = """
UPDATE rollcall_report_run SET state = 'failed', finished_at = clock_timestamp(),
       detail = 'The analysis ended without a word.'
WHERE state = 'running'
"""

PROGRESS = "UPDATE rollcall_report_run SET stage = %s, percent = %s WHERE id = %s"

SUCCEED = """
UPDATE rollcall_report_run SET state = 'succeeded', finished_at = clock_timestamp(),
       stage = '', percent = 100, as_of = %s, reports = %s, last_journal_id = %s, events = %s,
       rows_of = %s
WHERE id = %s
"""

FAIL = """
UPDATE rollcall_report_run SET state = 'failed', finished_at = clock_timestamp(), detail = %s
WHERE id = %s AND state = 'running'
"""
"""What goes wrong while old files are deleted undoes nothing that is committed, upon which later
runs may build."""

KEEPS = """
WITH kept AS (
    SELECT id, coalesce(rows_of, id) AS rows_of FROM rollcall_report_run
    WHERE state = 'succeeded' ORDER BY id DESC LIMIT %(rows)s
)
"""

FORGET = (
    f"""
{KEEPS}
DELETE FROM rollcall_report_row
WHERE run_id NOT IN (SELECT rows_of FROM kept) OR until_run <= (SELECT min(id) FROM kept)
""",
    f"""
{KEEPS}
UPDATE rollcall_report_run SET rows_of = 0
WHERE id < (SELECT min(id) FROM kept) AND rows_of IS DISTINCT FROM 0
""",
    f"""
{KEEPS}
DELETE FROM rollcall_report_run
WHERE id IN (SELECT id FROM rollcall_report_run ORDER BY id DESC OFFSET %(runs)s)
  AND id NOT IN (SELECT rows_of FROM kept)
""",
)

WRITE = "COPY rollcall_report_row (run_id, from_run, report, period, keys, figures) FROM STDIN"

ANSWER = "COPY rollcall_report_row (kept_until, report, period, keys, figures) FROM STDIN"

EXPIRE = "DELETE FROM rollcall_report_row WHERE run_id IS NULL AND kept_until <= clock_timestamp()"

END = """
UPDATE rollcall_report_row SET until_run = %(run)s
WHERE run_id = %(rows_of)s AND until_run IS NULL AND report = ANY(%(reports)s)
  AND coalesce(keys ->> 'group_id', '') = ANY(%(groups)s)
"""

ADD = """
WITH less AS (
    DELETE FROM rollcall_report_row
    WHERE run_id = %(rows_of)s AND from_run = %(run)s AND report = ANY(%(sums)s)
    RETURNING report, period, keys, figures
), ended AS (
    UPDATE rollcall_report_row AS before SET until_run = %(run)s FROM less
    WHERE run_id = %(rows_of)s AND from_run <> %(run)s AND until_run IS NULL
      AND before.report = less.report AND before.period = less.period AND before.keys = less.keys
    RETURNING before.report, before.period, before.keys, before.figures
), parts AS (
    SELECT * FROM less UNION ALL SELECT * FROM ended
), added AS (
    SELECT report, period, keys, name, sum(figure::bigint) AS figure
    FROM parts, jsonb_each_text(figures) AS each(name, figure) GROUP BY report, period, keys, name
)
INSERT INTO rollcall_report_row (run_id, from_run, report, period, keys, figures)
SELECT %(rows_of)s, %(run)s, report, period, keys, jsonb_object_agg(name, figure) FROM added
GROUP BY report, period, keys HAVING bool_or(figure <> 0)
"""
"""Rows of which nothing is left are gone."""

COUNT = "SELECT count(*) FROM rollcall_report_row WHERE run_id = %s AND until_run IS NULL"

KEPT = """
SELECT DISTINCT ON (rows_of) id, as_of FROM (
    SELECT id, as_of, coalesce(rows_of, id) AS rows_of FROM rollcall_report_run
    WHERE state = 'succeeded' ORDER BY id DESC LIMIT %s
) AS kept ORDER BY rows_of, id DESC
"""

REPLACE = """
DELETE FROM rollcall_report_row
WHERE run_id IS NULL AND report = %(report)s AND period = %(period)s AND keys @> %(keys)s
"""

TOP = """
SELECT keys, figures FROM rollcall_report_run_row
WHERE run_id = %s AND report = %s AND period = %s
ORDER BY (figures ->> %s)::numeric DESC NULLS LAST, keys LIMIT %s
"""


class Read(NamedTuple):
    """What a run has read: the moment, how many entries, and the number of the last one."""

    at: datetime
    events: int
    last: int


class Replaced(NamedTuple):
    """The rows under the number ``rows_of`` that a run does not show, which it shares with the runs
    before: of these reports those of these groups. Of the reports ``sums`` it has what its rows
    differ by from those."""

    rows_of: int
    reports: Sequence[str]
    groups: Sequence[str]
    sums: Sequence[str] = ()


class AlreadyRunning(Exception):
    """Another analysis holds the lock."""


@contextmanager
def alone(conninfo: str, instead: str = "its report will do") -> Iterator[Connection]:
    """A connection on which no other analysis runs; raises ``AlreadyRunning``, which says what to
    do instead.

    The lock ends with the connection, and so with the process, however it ends.
    """
    with psycopg.connect(conninfo, autocommit=True) as connection:
        (is_ours,) = _one(connection, "SELECT pg_try_advisory_lock(%s)", [LOCK])
        if not is_ours:
            raise AlreadyRunning(f"Another analysis is at work; {instead}.")
        try:
            connection.execute(BURY)
            yield connection
        finally:  # PostgreSQL notices a moment later that a connection was closed
            with suppress(psycopg.Error):
                connection.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


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


@contextmanager
def noting(conninfo: str, run_id: int, also: Note) -> Iterator[Note]:
    """What records the progress of a run, and tells ``also`` of it. It has a connection of its own:
    the run's rows are one long transaction on the other."""
    with psycopg.connect(conninfo, autocommit=True) as connection:

        def note(stage: str, percent: int) -> None:
            also(stage, percent)
            with suppress(psycopg.OperationalError):  # the run itself will meet it
                connection.execute(PROGRESS, [stage, percent, run_id])

        yield note


def succeed(
    connection: Connection,
    run_id: int,
    read: Read,
    reports: Sequence[Mapping[str, Any]],
    rows: Iterable[bytes],
    replaced: Replaced | None = None,
) -> int:
    """Write the rows, end the run and delete old ones, in one transaction; returns the number of
    rows. They come as blocks of COPY's text: the run under whose number they are, the run, report,
    period, and keys and figures as JSON; ``reports`` describe their columns."""
    values = {**replaced._asdict(), "run": run_id} if replaced is not None else {}
    rows_of = replaced.rows_of if replaced is not None else None
    with connection.transaction(), connection.cursor() as cursor:
        if replaced is not None:
            cursor.execute(END, values)
        with cursor.copy(WRITE) as copied:
            for block in rows:
                copied.write(block)
        if replaced is not None:
            cursor.execute(ADD, values)
        (written,) = _one(connection, COUNT, [rows_of or run_id])
        done = [read.at, json.dumps([*reports]), read.last, read.events, rows_of, run_id]
        cursor.execute(SUCCEED, done)
        for old in FORGET:
            cursor.execute(old.encode(), {"runs": RUNS_KEPT, "rows": ROWS_KEPT})
        cursor.execute(EXPIRE)
    return int(written)


def kept(connection: Connection) -> dict[int, datetime]:
    """The runs upon which another can build, each with its moment: their rows are there, and no
    later run shares them."""
    return dict(connection.execute(KEPT, [ROWS_KEPT]).fetchall())


def answer(
    connection: Connection,
    kept_until: datetime,
    report: str,
    period: str,
    keys: Mapping[str, str],
    rows: Iterable[tuple[str, str]],
) -> None:
    """Store what somebody asked for beside the runs: rows of a report, each its keys and figures as
    JSON, which every run shows until then. They replace those of the period with these keys."""
    named = {"report": report, "period": period, "keys": json.dumps({**keys})}
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute(EXPIRE)
        cursor.execute(REPLACE, named)
        with cursor.copy(ANSWER) as copied:
            for row in rows:
                copied.write_row((kept_until, report, period, *row))


def top(
    connection: Connection, run_id: int, report: str, period: str, by: str, limit: int
) -> list[dict[str, Any]]:
    """The rows of a report with the greatest values of a figure."""
    found = connection.execute(TOP, [run_id, report, period, by, limit]).fetchall()
    return [{**keys, **figures} for keys, figures in found]


def sentence(error: BaseException) -> str:
    """The error message without a stack trace; of a Spark error, its cause."""
    text = str(error) or (ENDED if isinstance(error, KeyboardInterrupt) else "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    causes = _python(text) or _java(lines)
    return (causes or lines)[0][:DETAIL_CHARS_MAX]


def _python(text: str) -> list[str]:
    """The error at the end of a stack trace of Python, whose own lines are indented."""
    _, _, trace = text.partition(TRACEBACK)
    return [line for line in trace.splitlines() if line.strip() and not line.startswith(" ")][:1]


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
