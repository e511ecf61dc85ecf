"""The verbs, from the command line to the report: a fleet is invented into the database, an
analysis runs over it, and a question is answered."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pyarrow.parquet as pq
import pytest
from psycopg.errors import CheckViolation
from pyspark.sql import SparkSession

from groups.core.group import Rules
from pipeline import config
from pipeline.datasets.facts import LifeEvents
from pipeline.datasets.what_if import WhatIf
from pipeline.results import rows, runs
from pipeline.what_if import job
from pipeline.what_if.answers import answer
from pipeline.what_if.changes import Change
from pipeline.what_if.fleet import Description, fitted, group_of
from pipeline.what_if.fleet_command import TABLES, to_database, to_parquet
from pipeline.what_if.step import row_of
from tests.pipeline.conftest import query

pytestmark = pytest.mark.timeout(300)

BEGIN = 1_767_225_600_000
FLEET = Description(groups=4, members=5, partitions=10, hours=6.0, stalls=6.0, session_ms=10_000)


@pytest.fixture
def fleet(conninfo: str) -> str:
    """A database with a fleet in it."""
    to_database(FLEET, BEGIN, seed=1)
    return conninfo


def nothing(stage: str, percent: int) -> None:
    """Nobody looks."""


def test_spark_answers_what_a_replay_of_each_group_answers(spark: SparkSession, fleet: str) -> None:
    change = Change(session_ms=45_000)
    made = job.asked(spark, fleet, job.Asked(change, Rules(), "all"), nothing)
    everything, *groups = made.rows
    assert len(groups) == FLEET.groups
    assert everything["group_id"] == ""
    for name in ("replayed_ms", "changed_ms", "rebalances", "rebalances_changed", "moves"):
        assert everything[name] == sum(row[name] for row in groups) > 0
    assert all(row["refused"] == "" for row in groups)
    for number in range(FLEET.groups):
        invented = group_of(FLEET, number, BEGIN, seed=1).recording
        row = next(row for row in groups if row["group_id"] == invented.group_id)
        alone = row_of(answer(invented, Rules(), change))
        assert row["recorded_ms"] == pytest.approx(alone["recorded_cost_ms"], rel=0.02)
        assert row["rebalances_recorded"] == alone["recorded_rebalances"]
        assert row["changed_ms"] == pytest.approx(alone["changed_cost_ms"], rel=0.05)


def test_some_groups_can_be_asked_for_and_what_is_refused_says_why(
    spark: SparkSession, fleet: str
) -> None:
    """The answer says which groups were asked about, and when."""
    names = ("fleet-0000002", "fleet-0000001")
    question = job.Asked(Change(session_ms=8_000), Rules(), "all", names)
    made = job.asked(spark, fleet, question, nothing)
    assert {row["group_id"] for row in made.rows if row["group_id"]} == {*names}
    sentence = "Pauses shorter than the session timeout of 10000 ms were not recorded"
    for row in made.rows:
        assert sentence in row["refused"] and row["changed_ms"] is None
        assert row["asked_groups"] == "fleet-0000001, fleet-0000002"
        assert row["answered_at"] == made.at.isoformat()
    assert {*made.rows[0], "asked_by"} == {*WhatIf.names()}


def test_a_database_without_lives_has_no_answer(spark: SparkSession, conninfo: str) -> None:
    made = job.asked(spark, conninfo, job.Asked(Change(static=True), Rules(), "7d"), nothing)
    assert (made.rows, made.events) == ([], 0)


ANSWERS = """
SELECT keys ->> 'change', keys ->> 'group_id', figures ->> 'n' FROM rollcall_report_row
WHERE report = 'what-if' ORDER BY id
"""


def asked(connection: runs.Connection, number: int, until: datetime, **over: str) -> None:
    """A question whose answer is a number."""
    keys = {"change": "static ids", "asked_groups": "", **over}
    told = json.dumps({**keys, "group_id": "g"}), json.dumps({"n": number})
    runs.answer(connection, until, WhatIf.NAME, "7d", keys, [told])


def analysed(connection: runs.Connection) -> None:
    """A run without rows."""
    with runs.recorded(connection, "olga") as run_id:
        read = runs.Read(datetime.now(UTC), 0, 0)
        runs.succeed(connection, run_id, read, [rows.described(WhatIf)], [])


def test_answers_outlive_runs_until_their_time_or_the_same_question(
    url: str, conninfo: str
) -> None:
    later, soon = datetime.now(UTC) + timedelta(hours=1), datetime.now(UTC)
    with runs.alone(conninfo) as connection:
        asked(connection, 1, later)
        asked(connection, 2, later)
        asked(connection, 3, later, change="+1 members")
        asked(connection, 4, later, asked_groups="g")
        asked(connection, 5, soon, asked_groups="h")
        for _ in range(runs.ROWS_KEPT + 2):
            analysed(connection)
    found = [("static ids", "g", "2"), ("+1 members", "g", "3"), ("static ids", "g", "4")]
    assert query(url, ANSWERS) == found


def test_rows_without_a_run_have_an_end(conninfo: str) -> None:
    statement = "INSERT INTO rollcall_report_row (report, period, keys, figures)"
    with psycopg.connect(conninfo) as connection, pytest.raises(CheckViolation):
        connection.execute(f"{statement} VALUES ('', '', '{{}}', '{{}}')".encode())


def test_a_fleet_is_not_mixed_with_what_was_recorded(fleet: str) -> None:
    with pytest.raises(config.Unconfigured, match="recorded members"):
        to_database(FLEET, BEGIN, seed=2)


def test_a_fleet_as_parquet_has_the_schema_of_the_sources(
    spark: SparkSession, tmp_path: Path
) -> None:
    to_parquet(FLEET, BEGIN, seed=1, output=str(tmp_path))
    read = LifeEvents.read(spark, str(tmp_path / "lives"))
    assert read.violations() == {}
    for name in TABLES:
        assert pq.read_table(tmp_path / name).num_rows > 0


def test_a_description_is_fitted_to_what_spark_reads(spark: SparkSession, fleet: str) -> None:
    found = fitted(job.recordings(spark, fleet, "all", 10))
    assert (found.groups, found.members, found.partitions) == (4, 5, 10)
    assert found.session_ms == FLEET.session_ms
