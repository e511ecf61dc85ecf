"""Whole runs: thousands of entries against plain SQL, and what becomes of runs and tables."""

from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pyspark.sql import SparkSession

from console.queries import reports as web
from pipeline.results import folders
from pipeline.results import runs as records
from pipeline.results.folders import Output
from pipeline.steps import run
from pipeline.steps.job import Done
from tests.pipeline.conftest import ORACLE, oracle, query, report, runs, write
from tests.pipeline.journals import entry, many

pytestmark = pytest.mark.timeout(300)

SILVER = """
journal_id, group_id, kind, trigger, reason, client_reason, member_id, client_id,
generation_before, generation_after, {micros}(started_at), {micros}(completed_at),
{micros}(stable_at), duration_ms, sync_ms, without_owner_ms, without_owner_known_ms,
slowest_member, slowest_ms, members, partitions_moved
"""

MICROS = """
CREATE FUNCTION pg_temp.micros(timestamptz) RETURNS bigint LANGUAGE sql
AS 'SELECT (extract(epoch FROM $1) * 1000000)::bigint';
"""

OF_ANOTHER_VERSION = entry(
    1, "g", "members-renamed", details={"members": ["a", "b"], "moved": "yes"}
)
"""A newer one: its details may be of any type. It made every analysis fail until retention deleted
it."""

OUT = "out of a büro, 100%20 + #1"
"""Spark's own Hadoop and our reader of files have to mean the same by a folder's name."""

Analyse = Callable[[], Done]


@pytest.fixture
def analyse(spark: SparkSession, conninfo: str, tmp_path: Path) -> Analyse:
    """One run, of one report: the others take four times as long, and are ``test_oracle``'s."""
    output = Output.at(str(tmp_path / OUT))
    return lambda: run.run(conninfo, output, lambda is_small: nullcontext(spark), "alice", ["cost"])


@pytest.mark.usefixtures("compiling")
def test_results_equal_those_of_plain_sql(spark: SparkSession, url: str, analyse: Analyse) -> None:
    events = 4_000
    write(url, [OF_ANOTHER_VERSION, *many(events)])
    done = analyse()

    silver = spark.read.parquet(done.tables["rebalances"]).selectExpr(
        *SILVER.format(micros="unix_micros").split(",")
    )
    expected = query(
        url, f"SELECT {SILVER.format(micros='pg_temp.micros')} FROM told", MICROS + ORACLE
    )
    assert sorted(tuple(row) for row in silver.collect()) == sorted(expected)
    assert report(url) == oracle(url)

    about_groups = query(url, "SELECT count(*) FROM rollcall_journal WHERE group_id <> ''")
    assert [(done.events,)] == about_groups
    assert (done.rows, len(expected) > events // 5) == (len(report(url)), True)
    assert max(done.top, key=lambda row: int(row["without_owner_ms"])) == done.top[0]


@pytest.mark.long
def test_an_empty_journal_gives_an_empty_report(url: str, analyse: Analyse) -> None:
    assert analyse().rows == 0
    assert (report(url), runs(url)) == ([], [("succeeded", 0, "")])


@pytest.mark.long
def test_a_failed_run_records_the_reason_and_keeps_the_previous_report(
    url: str, analyse: Analyse, tmp_path: Path
) -> None:
    write(url, many(400))
    analyse()
    before = report(url)
    (tmp_path / OUT).rename(tmp_path / "moved")
    (tmp_path / OUT).write_text("no folder")

    with pytest.raises(Exception, match="out"):
        analyse()

    assert report(url) == before
    (succeeded, failed) = runs(url)
    assert (succeeded[0], failed[0]) == ("succeeded", "failed")
    assert "out" in failed[2]


def test_a_failure_within_spark_is_reported_by_its_cause(
    spark: SparkSession, url: str, conninfo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "SMALL_BYTES", 0)  # executors read
    write(url, [entry(1, "g", "stable", details={"members": 1 << 40})])
    output = Output.at(str(tmp_path))
    with pytest.raises(Exception, match="out of range"):
        run.run(conninfo, output, lambda is_small: nullcontext(spark), is_incremental=False)
    ((state, _, detail),) = runs(url)
    assert state == "failed"
    assert detail.startswith("OSError: [libpq]") and detail.endswith("integer out of range")


def test_a_folder_that_cannot_be_written_is_named(
    spark: SparkSession, url: str, conninfo: str
) -> None:
    """The run only said that a method of Java had failed, and its half table stayed."""
    write(url, [entry(1, "g", "rebalance-completed", duration_ms=5)])
    with pytest.raises(Exception, match="Mkdirs"):
        run.run(conninfo, Output.at("/proc/rollcall"), lambda is_small: nullcontext(spark))
    ((state, _, detail),) = runs(url)
    assert state == "failed"
    assert detail.startswith("java.io.IOException: Mkdirs failed to create file:/proc/rollcall/")


def test_what_failed_runs_left_is_deleted_before_anything_is_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    """It may be what fills the disk."""
    output = Output.at(str(tmp_path))
    (tmp_path / "t" / "run=1" / "_temporary").mkdir(parents=True)
    written = output.write(spark.range(3), "t", 2)
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["run=2"]
    output.clear("t")
    assert spark.read.parquet(written).count() == 3


def test_a_run_whose_session_was_lost_reports_what_ended_it(url: str, conninfo: str) -> None:
    """The report showed it as running for six hours; its own error was lost with it."""

    def ends() -> None:
        with records.alone(conninfo) as connection, records.recorded(connection, "alice"):
            query(url, f"SELECT pg_terminate_backend({connection.info.backend_pid}, 10000)")
            raise ValueError("the cause")

    with pytest.raises(ValueError, match="the cause"):
        ends()
    with records.alone(conninfo):
        assert [state for state, *_ in runs(url)] == ["failed"]


def test_an_analysis_may_begin_as_soon_as_another_has_ended(
    conninfo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL may notice later that a connection was closed, and keeps its locks until then."""
    closed: list[psycopg.Connection[Any]] = []
    with monkeypatch.context() as late:
        late.setattr(psycopg.Connection, "close", lambda connection: closed.append(connection))
        with suppress(ValueError), records.alone(conninfo):
            raise ValueError
        with records.alone(conninfo):
            pass
    for connection in closed:
        connection.close()
    assert len(closed) == 2


def test_the_web_knows_the_lock_of_analyses_and_how_many_keep_their_rows() -> None:
    assert (web.LOCK, web.KEPT) == (records.LOCK, records.ROWS_KEPT)


def test_only_one_analysis_runs_at_a_time(url: str, conninfo: str, analyse: Analyse) -> None:
    with records.alone(conninfo), pytest.raises(records.AlreadyRunning, match="at work"):
        analyse()
    assert runs(url) == []


@pytest.mark.long
def test_a_run_that_died_silently_is_closed_by_the_next(
    url: str, conninfo: str, analyse: Analyse
) -> None:
    with records.alone(conninfo) as connection:
        connection.execute(records.BEGIN, ["bob"])
    analyse()
    assert [state for state, *_ in runs(url)] == ["failed", "succeeded"]


@pytest.mark.long
def test_the_newest_runs_and_tables_are_kept(
    monkeypatch: pytest.MonkeyPatch, url: str, analyse: Analyse, tmp_path: Path
) -> None:
    monkeypatch.setattr(records, "RUNS_KEPT", 2)
    monkeypatch.setattr(records, "ROWS_KEPT", 2)
    monkeypatch.setattr(folders, "TABLES_KEPT", 1)
    write(url, [entry(1, "g", "rebalance-completed", trigger="operator")])

    kept = [analyse() for _ in range(3)][-2:]

    assert query(url, "SELECT id FROM rollcall_report_run ORDER BY id") == [
        (done.run_id,) for done in kept
    ]
    assert query(url, "SELECT DISTINCT run_id FROM rollcall_report_row ORDER BY 1") == [
        (done.run_id,) for done in kept
    ]
    (left,) = (tmp_path / OUT / "rebalances").iterdir()
    assert kept[-1].tables["rebalances"].endswith(f"/rebalances/{left.name}")
