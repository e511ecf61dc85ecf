"""The verbs, from the command line to the report: a fleet is invented into the database, an
analysis runs over it, and a question is answered."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
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

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

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


def test_one_group_can_be_asked_for_and_what_is_refused_says_why(
    spark: SparkSession, fleet: str
) -> None:
    change = Change(session_ms=8_000)
    asked = job.Asked(change, Rules(), "all", ("fleet-0000002",))
    (row,) = job.asked(spark, fleet, asked, nothing).rows
    assert row["group_id"] == "fleet-0000002"
    assert "Pauses shorter than the session timeout of 10000 ms were not recorded" in row["refused"]
    assert row["changed_ms"] is None


def test_a_database_without_lives_has_no_answer(spark: SparkSession, conninfo: str) -> None:
    made = job.asked(spark, conninfo, job.Asked(Change(static=True), Rules(), "7d"), nothing)
    assert (made.rows, made.events) == ([], 0)


def test_an_answer_is_added_to_the_newest_analysis_in_place_of_the_same_question(
    url: str, conninfo: str
) -> None:
    described, keys = rows.described(WhatIf), {"change": "static ids"}
    told = [("what-if", "7d", json.dumps({**keys, "group_id": "g"}), "{}")]
    with runs.alone(conninfo) as connection:
        with pytest.raises(runs.NoAnalysis):
            runs.add(connection, described, "7d", keys, told)
        assert query(url, "SELECT count(*) FROM rollcall_report_row") == [(0,)]
        with runs.recorded(connection, "olga") as run_id:
            pass
        read = runs.Read(connection.execute("SELECT now()").fetchall()[0][0], 0, 0)
        runs.succeed(connection, run_id, read, [{"name": "cost"}], [])
        for _ in range(2):
            assert runs.add(connection, described, "7d", keys, told) == run_id
        other = [("what-if", "7d", json.dumps({"change": "+1 members", "group_id": "g"}), "{}")]
        runs.add(connection, described, "7d", {"change": "+1 members"}, other)
    assert query(url, "SELECT count(*) FROM rollcall_report_row") == [(2,)]
    (names,) = query(url, "SELECT jsonb_path_query_array(reports, '$[*].name')::text"
                          " FROM rollcall_report_run")  # fmt: skip
    assert names == ('["cost", "what-if"]',)


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
