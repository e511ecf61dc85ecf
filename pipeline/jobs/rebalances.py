"""The job: the journal in, a Parquet table and the report's rows out, in one transaction.

Each run reads the whole journal up to the newest id at its start; an entry whose transaction
was open then is in the next run. The rows of a run and the word that it succeeded commit
together, so readers see a whole report or the one before.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from pipeline.schemas import COSTS
from pipeline.sources.journal import NAME, JournalSource
from pipeline.transforms.cost import cost
from pipeline.transforms.rebalances import rebalances

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOCK = 0x526C61
"""The advisory lock that one analysis at a time holds ("Rla")."""

RUNS_KEPT = 20
TABLES_KEPT = 3
"""Of each run its rows, and of the newest few the Parquet table too."""

DETAIL_MAX = 2_000

BEGIN = """
INSERT INTO rollcall_report_run (kind, state, requested_by, started_at, last_journal_id, detail)
SELECT 'rebalances', 'running', %s, clock_timestamp(), coalesce(max(id), 0), ''
FROM rollcall_journal RETURNING id, last_journal_id
"""

# A run that is still said to be running although nobody holds the lock has died without a word.
BURY = """
UPDATE rollcall_report_run SET state = 'failed', finished_at = clock_timestamp(),
       detail = 'the analysis ended without a word'
WHERE kind = 'rebalances' AND state = 'running'
"""

END = """
UPDATE rollcall_report_run SET state = %s, finished_at = clock_timestamp(), events = %s, detail = %s
WHERE id = %s
"""

FORGET = """
DELETE FROM rollcall_rebalance_cost WHERE run_id <= (
    SELECT id FROM rollcall_report_run ORDER BY id DESC OFFSET %(kept)s LIMIT 1)
"""
FORGET_RUNS = """
DELETE FROM rollcall_report_run WHERE id <= (
    SELECT id FROM rollcall_report_run ORDER BY id DESC OFFSET %(kept)s LIMIT 1)
"""


class AlreadyRunning(Exception):
    """Another analysis holds the lock."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a run did. ``top`` are the costliest rows, in the order of ``COSTS``."""

    run_id: int
    events: int
    rows: int
    table: Path
    top: list[tuple[Any, ...]]


def run(spark: "SparkSession", conninfo: str, output: Path, requested_by: str = "") -> Done:
    """One analysis; raises ``AlreadyRunning``, or what went wrong, which its run then tells."""
    with psycopg.connect(conninfo, autocommit=True) as connection, _alone(connection):
        row = connection.execute(BEGIN, [requested_by]).fetchone()
        assert row is not None
        run_id, upper = row
        try:
            return _analyse(spark, connection, conninfo, output, run_id, upper)
        except BaseException as error:
            detail = f"{type(error).__name__}: {error}"[:DETAIL_MAX]
            connection.execute(END, ["failed", None, detail, run_id])
            raise


@contextmanager
def _alone(connection: "psycopg.Connection[Any]") -> Iterator[None]:
    row = connection.execute("SELECT pg_try_advisory_lock(%s)", [LOCK]).fetchone()
    if row != (True,):
        raise AlreadyRunning("Another analysis is at work.")
    try:
        connection.execute(BURY)
        yield
    finally:
        connection.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def _analyse(
    spark: "SparkSession",
    connection: "psycopg.Connection[Any]",
    conninfo: str,
    output: Path,
    run_id: int,
    upper: int,
) -> Done:
    spark.dataSource.register(JournalSource)
    journal = spark.read.format(NAME).options(conninfo=conninfo, upper=upper).load().cache()
    try:
        table = _write(rebalances(journal), output, run_id)
        events = journal.count()
        costs = [tuple(row) for row in cost(spark.read.parquet(str(table))).collect()]
    finally:
        journal.unpersist()
    _report(connection, run_id, events, costs)
    _tidy(output)
    top = sorted(costs, key=lambda row: (-row[-1], row[0], row[1]))
    return Done(run_id, events, len(costs), table, top)


def _write(silver: "DataFrame", output: Path, run_id: int) -> Path:
    """The Parquet table, under its name only once it is whole."""
    table, partial = output / f"run={run_id}", output / f"_run={run_id}"
    output.mkdir(parents=True, exist_ok=True)
    silver.write.mode("overwrite").parquet(str(partial))
    partial.rename(table)
    return table


def _report(
    connection: "psycopg.Connection[Any]", run_id: int, events: int, costs: list[tuple[Any, ...]]
) -> None:
    columns = sql.SQL(", ").join(map(sql.Identifier, ("run_id", *COSTS)))
    copy = sql.SQL("COPY rollcall_rebalance_cost ({}) FROM STDIN").format(columns)
    with connection.transaction(), connection.cursor() as cursor:
        with cursor.copy(copy) as copied:
            for row in costs:
                copied.write_row((run_id, *row))
        cursor.execute(END, ["succeeded", events, "", run_id])
        for statement in (FORGET, FORGET_RUNS):
            cursor.execute(statement, {"kept": RUNS_KEPT})


def _tidy(output: Path) -> None:
    """Keep the newest tables; a partial one of a run that died goes too."""

    def number(path: Path) -> int:
        return int(path.name.partition("=")[2])

    whole = sorted(output.glob("run=*"), key=number)
    for old in (*whole[:-TABLES_KEPT], *output.glob("_run=*")):
        shutil.rmtree(old, ignore_errors=True)
