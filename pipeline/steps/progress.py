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

MOST: Final = 2**63 - 1
"""What is more is told as this. Offsets may be any numbers: a client commits what it likes, such as
a time in microseconds, and one that does shall not end a run."""

MOST_MS: Final = float(2**63 - 1024)
"""The same for milliseconds: the greatest double that fits."""


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
        _sum("lag").alias("lag"),
    )
    drain_ms = f.col("lag").cast("double") * f.col("hours") * HOUR_MS / f.col("records")
    drain = f.when(f.col("records") > 0, f.ceil(f.least(drain_ms, f.lit(MOST_MS))))
    return Progress(
        found.join(small(_slowest(partitions, lives)), [*Progress.KEY], "left")
        .withColumn("records_per_hour", f.expr("records div hours"))
        .withColumn("drain_ms", drain)
        .select(*Progress.names())
    )


def _sum(name: str) -> Column:
    return f.coalesce(f.try_sum(f.coalesce(name, f.lit(0))), f.lit(MOST))


def _ahead(name: str, of: str) -> Column:
    """By how much the one offset is greater than the other."""
    difference = f.coalesce(f.try_subtract(f.col(name), f.col(of)), f.lit(MOST))
    return f.when(f.col(name) > f.col(of), difference).otherwise(0)


def _partitions(hours: DataFrame) -> DataFrame:
    """One row for each partition and period: what it moved on, and what was left at last."""
    rows = hours.groupBy(*Progress.KEY, "partition").agg(
        f.sum("commits").alias("commits"),
        f.count("*").alias("hours"),
        f.max("pause_ms").alias("pause_ms"),
        f.min_by("first_offset", "hour").alias("begin"),
        *(f.max_by(name, "hour").alias(name) for name in ("last_offset", "end_offset", "life")),
    )
    moved = _ahead("last_offset", "begin")
    lag = _ahead("end_offset", "last_offset")
    known = f.when(f.col("end_offset").isNotNull(), lag)
    stands = f.col("last_offset") == f.col("begin")
    return (
        rows.withColumn("records", moved)
        .withColumn("lag", known)
        .withColumn("is_stalled", stands & (f.coalesce("lag", f.lit(0)) > 0))
    )


def _slowest(partitions: DataFrame, lives: Lives) -> DataFrame:
    left = partitions.filter("lag > 0").groupBy(*Progress.KEY, "life").agg(_sum("lag").alias("lag"))
    names = lives.frame.select("group_id", "life", client().alias("client"))
    named = left.join(small(names), ["group_id", "life"])
    most = f.min(f.struct((-f.col("lag")).alias("sooner"), "client"))
    return named.groupBy(*Progress.KEY).agg(most["client"].alias("slowest_member"))
