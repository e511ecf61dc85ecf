"""Whole runs: thousands of entries against plain SQL, and what becomes of runs and tables."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from groups.queries import reports as web
from pipeline.jobs import rebalances
from pipeline.jobs.rebalances import Done
from pipeline.results import runs as records
from pipeline.results import tables
from pipeline.schemas import COSTS, columns
from tests.pipeline.conftest import ORACLE, oracle, query, report, runs, write
from tests.pipeline.journals import entry, many

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

EVENTS = [4_000, pytest.param(100_000, marks=pytest.mark.long)]

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

Analyse = Callable[[], Done]


@pytest.fixture
def analyse(spark: SparkSession, conninfo: str, tmp_path: Path) -> Analyse:
    """One run."""
    return lambda: rebalances.run(conninfo, tmp_path / "out", lambda: nullcontext(spark), "alice")


@pytest.mark.parametrize("events", EVENTS)
def test_results_equal_those_of_plain_sql(
    spark: SparkSession, url: str, analyse: Analyse, events: int
) -> None:
    write(url, many(events))
    done = analyse()

    silver = spark.read.parquet(str(done.table)).selectExpr(
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
    longest = [name for name, _ in columns(COSTS)].index("without_owner_ms")
    assert max(done.top, key=lambda row: row[longest]) == done.top[0]


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
    (tmp_path / "out").rename(tmp_path / "moved")
    (tmp_path / "out").write_text("no folder")

    with pytest.raises(OSError, match="out"):
        analyse()

    assert report(url) == before
    (succeeded, failed) = runs(url)
    assert (succeeded[0], failed[0]) == ("succeeded", "failed")
    assert "out" in failed[2]


def test_a_failure_within_spark_is_reported_by_its_cause(url: str, analyse: Analyse) -> None:
    write(url, [entry(1, "g", "stable", details={"moved": "many"})])
    with pytest.raises(Exception, match="many"):
        analyse()
    (run,) = runs(url)
    assert run[0] == "failed"
    assert run[2].startswith("psycopg.errors.InvalidTextRepresentation: ")


def test_details_of_other_kinds_may_be_of_any_type(url: str, analyse: Analyse) -> None:
    """An entry of a newer version made every analysis fail until retention deleted it."""
    newer = entry(1, "g", "members-renamed", details={"members": ["a", "b"], "moved": "yes"})
    write(url, [newer, entry(2, "g", "rebalance-completed", duration_ms=5)])
    assert (analyse().events, report(url)) == (2, oracle(url))


def test_a_folder_that_cannot_be_written_is_named(
    monkeypatch: pytest.MonkeyPatch, url: str, analyse: Analyse
) -> None:
    """The run only said that a method of Java had failed, and its half table stayed."""
    write(url, [entry(1, "g", "rebalance-completed", duration_ms=5)])
    monkeypatch.setattr(tables, "address", lambda table: f"file:/proc/{table.name}")
    with pytest.raises(Exception, match="Mkdirs"):
        analyse()
    ((state, _, detail),) = runs(url)
    assert state == "failed"
    assert detail.startswith("java.io.IOException: Mkdirs failed to create file:/proc/")


def test_a_failed_table_leaves_nothing(tmp_path: Path) -> None:
    """What earlier runs left goes first: it may be what fills the disk."""

    class Full:
        """A table whose disk is full after its first file."""

        @property
        def write(self) -> Any:
            """Its own writer."""
            return self

        def __getattr__(self, name: str) -> Any:
            return lambda *_: self

        def parquet(self, address: str) -> None:
            """Leave half of a table."""
            assert [*tmp_path.iterdir()] == []
            Path(address.removeprefix("file:")).mkdir()
            raise OSError("No space left on device")

    (tmp_path / ".run=1.partial").mkdir()
    full: Any = Full()
    with pytest.raises(OSError, match="space"):
        tables.write(full, tmp_path, 2)
    assert [*tmp_path.iterdir()] == []


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


def test_the_web_looks_at_the_lock_of_analyses() -> None:
    assert web.LOCK == records.LOCK


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
    monkeypatch.setattr(tables, "TABLES_KEPT", 1)
    (tmp_path / "out" / ".run=0.partial").mkdir(parents=True)
    write(url, [entry(1, "g", "rebalance-completed", trigger="operator")])

    kept = [analyse() for _ in range(3)][-2:]

    assert query(url, "SELECT id FROM rollcall_report_run ORDER BY id") == [
        (done.run_id,) for done in kept
    ]
    assert query(url, "SELECT run_id FROM rollcall_rebalance_cost ORDER BY 1") == [
        (done.run_id,) for done in kept
    ]
    assert [*(tmp_path / "out").iterdir()] == [kept[-1].table]
