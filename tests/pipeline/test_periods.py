"""Periods by slices, and in how few sorts the journal's order is read."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import SparkSession

from pipeline.datasets.journal import Journal
from pipeline.steps.periods import LENGTHS, by_period, by_slice, of_slices
from pipeline.steps.rebalances import rebalances

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

AT = datetime(2026, 3, 1, 12, 30, 1, 250_000, tzinfo=UTC)


def test_slices_make_the_same_periods(spark: SparkSession) -> None:
    borders = [AT - times * length for length in LENGTHS.values() for times in (0, 1, 2)]
    chance = random.Random(1)
    near = [border + timedelta(microseconds=by) for border in borders for by in (-1, 0, 1)]
    anywhere = [AT - timedelta(days=chance.uniform(-2, 90)) for _ in range(100)]
    frame = spark.createDataFrame([(time,) for time in near + anywhere], "time timestamp")

    directly = by_period(frame, "time", AT).groupBy("time", "period").count().collect()
    sliced = of_slices(by_slice(frame, "time", AT), AT)
    assert sorted(sliced.groupBy("time", "period").count().collect()) == sorted(directly)
    assert {row.period for row in directly} == {
        "all", *(name + end for name in LENGTHS for end in ("", "-before"))
    }  # fmt: skip


def test_entries_are_sorted_once_and_moved_once(spark: SparkSession) -> None:
    entries = Journal(spark.createDataFrame([], Journal.ddl()).repartition(3))
    frame = rebalances(entries, AT).frame
    optimizer = "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
    propagate = "org.apache.spark.sql.catalyst.optimizer.PropagateEmptyRelation"
    spark.conf.set("spark.sql.optimizer.excludedRules", f"{optimizer},{propagate}")
    try:
        plan = frame._jdf.queryExecution().executedPlan().toString()
    finally:
        spark.conf.unset("spark.sql.optimizer.excludedRules")
    assert plan.count("Sort [") == 1
    assert plan.count("Exchange hashpartitioning(") == 1
