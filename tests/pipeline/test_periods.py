"""Periods by slices, and in how few sorts the journal's order is read."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import DataFrame, SparkSession

from pipeline.datasets.journal import Journal
from pipeline.steps.periods import LENGTHS, by_period, periods
from pipeline.steps.rebalances import rebalances

pytestmark = pytest.mark.timeout(300)

AT = datetime(2026, 3, 1, 12, 30, 1, 250_000, tzinfo=UTC)


def test_slices_make_the_same_periods(spark: SparkSession) -> None:
    borders = [AT - times * length for length in LENGTHS.values() for times in (0, 1, 2)]
    chance = random.Random(1)
    near = [border + timedelta(microseconds=by) for border in borders for by in (-1, 0, 1)]
    anywhere = [AT - timedelta(days=chance.uniform(-2, 90)) for _ in range(100)]
    frame = spark.createDataFrame([(time,) for time in near + anywhere], "time timestamp")

    found = by_period(frame, "time", AT).collect()
    times = [row.time for row in frame.collect()]
    assert Counter(map(tuple, found)) == Counter(
        (local, period.name)
        for time, local in zip(near + anywhere, times, strict=True)
        for period in periods(AT)
        if (period.start is None or period.start <= time)
        and (time < period.end or period.end == AT)
    )
    assert {row.period for row in found} == {
        "all", *(name + end for name in LENGTHS for end in ("", "-before"))
    }  # fmt: skip


@pytest.mark.usefixtures("compiling")
def test_the_code_of_a_run_is_that_of_the_next(spark: SparkSession) -> None:
    """A session that runs again had every stage's code generated and compiled anew, since the run's
    moment was written in it."""
    rows = spark.range(9).selectExpr("timestamp_seconds(id) AS time")
    first, second = (code(by_period(rows, "time", AT + timedelta(days=day))) for day in (0, 1))
    assert "GeneratedIterator" in first
    assert first == second


def code(frame: DataFrame) -> str:
    """What Spark generates for it."""
    jvm = frame.sparkSession._jvm
    assert jvm is not None
    plan = frame._jdf.queryExecution().executedPlan()
    found = jvm.org.apache.spark.sql.execution.debug.package.codegenStringSeq(plan)
    return "".join(found.apply(n)._2() for n in range(found.size()))


def test_entries_are_sorted_once_and_moved_once(spark: SparkSession) -> None:
    entries = Journal(spark.createDataFrame([], Journal.ddl()).repartition(3))
    plan = planned(rebalances(entries, AT).frame)
    assert plan.count("Sort [") == 1
    assert plan.count("Exchange hashpartitioning(") == 1


def planned(frame: DataFrame) -> str:
    """The plan, though there is no row."""
    spark = frame.sparkSession
    optimizer = "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
    propagate = "org.apache.spark.sql.catalyst.optimizer.PropagateEmptyRelation"
    spark.conf.set("spark.sql.optimizer.excludedRules", f"{optimizer},{propagate}")
    try:
        return str(frame._jdf.queryExecution().executedPlan().toString())
    finally:
        spark.conf.unset("spark.sql.optimizer.excludedRules")
