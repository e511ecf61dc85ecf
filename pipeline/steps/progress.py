"""Gold: throughput, stalled partitions, lag, and the member where most is left."""

from datetime import datetime
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from pipeline.datasets.hours import PartitionHours
from pipeline.datasets.lives import Lives
from pipeline.datasets.progress import Progress
from pipeline.steps.names import client, small
from pipeline.steps.periods import by_period

HOUR_MS: Final = 3_600_000

LONGEST: Final = 9e18
"""Milliseconds: what a figure can say, of numbers that are no whole ones."""

MOST: Final = (1 << 63) - 1
"""The greatest figure. Offsets are whatever clients commit: two at the end of what there is are
more, and Spark ends a run with an error where a sum overflows."""


def progress(hours: PartitionHours, lives: Lives, at: datetime) -> Progress:
    """By group and topic."""
    partitions = _partitions(by_period(hours.frame, "hour", at))
    found = partitions.groupBy(*Progress.KEY).agg(
        f.count("*").alias("partitions"),
        f.sum("commits").alias("commits"),
        _sum("records").alias("records"),
        f.max("hours").alias("hours"),
        f.count_if("is_stalled").alias("stalled"),
        f.max("pause_ms").cast("bigint").alias("longest_pause_ms"),
        f.count("end_offset").alias("ends_known"),
        f.coalesce(_sum("lag"), f.lit(0)).alias("lag"),
    )
    rate = f.expr("records div hours")
    left = f.col("lag").cast("double") * f.col("hours") * HOUR_MS
    drain = f.when(f.col("records") > 0, f.ceil(f.least(left / f.col("records"), f.lit(LONGEST))))
    return Progress(
        found.join(small(_slowest(partitions, lives)), [*Progress.KEY], "left")
        .withColumn("records_per_hour", rate)
        .withColumn("drain_ms", drain)
        .select(*Progress.names())
    )


def _partitions(hours: DataFrame) -> DataFrame:
    """One row for each partition and period: what it moved on, and what was left at last."""
    rows = hours.groupBy(*Progress.KEY, "partition").agg(
        f.sum("commits").alias("commits"),
        f.count("*").alias("hours"),
        f.max("pause_ms").alias("pause_ms"),
        f.min_by("first_offset", "hour").alias("begin"),
        *(f.max_by(name, "hour").alias(name) for name in ("last_offset", "end_offset", "life")),
    )
    moved = f.col("last_offset") - f.col("begin")
    lag = f.greatest(f.col("end_offset") - f.col("last_offset"), f.lit(0))
    known = f.when(f.col("end_offset").isNotNull(), lag)
    return (
        rows.withColumn("records", f.greatest(moved, f.lit(0)))
        .withColumn("lag", known)
        .withColumn("is_stalled", (moved == 0) & (f.coalesce("lag", f.lit(0)) > 0))
    )


def _sum(offsets: str) -> Column:
    """Of differences of offsets, as far as a figure goes."""
    return f.least(f.sum(f.col(offsets).cast("decimal(20,0)")), f.lit(MOST)).cast("bigint")


def _slowest(partitions: DataFrame, lives: Lives) -> DataFrame:
    left = partitions.filter("lag > 0").groupBy(*Progress.KEY, "life").agg(_sum("lag").alias("lag"))
    names = lives.frame.select("group_id", "life", client().alias("client"))
    named = left.join(small(names), ["group_id", "life"])
    most = f.min(f.struct((-f.col("lag")).alias("sooner"), "client"))
    return named.groupBy(*Progress.KEY).agg(most["client"].alias("slowest_member"))
