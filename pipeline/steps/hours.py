"""Silver: from the hours' arrays to one row for each member or partition."""

from datetime import datetime
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as f

from pipeline.datasets.facts import ProgressHours, SilenceHours
from pipeline.datasets.hours import PartitionHours, SilentHours

EIGHTHS: Final = 8
"""Counts for each member: how often its silence was in which eighth of its session."""

NEAR: Final = 6
"""From this eighth on, counted from 0, three quarters of the session are over."""


def silences(events: SilenceHours, at: datetime) -> SilentHours:
    """An hour has a row for each owner of the slot: of a member's the longest silence counts."""
    each = events.frame.select("*", f.posexplode("lives").alias("n", "life"))
    rows = each.select(
        "hour",
        "group_id",
        "life",
        f.get("longest_ms", f.col("n")).alias("longest_ms"),
        sum((_looks(eighth) for eighth in range(NEAR + 1, EIGHTHS)), _looks(NEAR)).alias("near"),
    )
    longest, near = f.max("longest_ms").alias("longest_ms"), f.sum("near").alias("near")
    return SilentHours(rows.groupBy(*SilentHours.KEY).agg(longest, near))


def _looks(eighth: int) -> Column:
    count = f.get("looks", f.col("n") * EIGHTHS + eighth)
    return f.coalesce(count, f.lit(0)).cast("bigint")


def partition_hours(events: ProgressHours, at: datetime) -> PartitionHours:
    """One row for each partition; an hour that was summarised twice counts once, the last time."""
    each = events.frame.select("*", f.posexplode("partitions").alias("n", "partition"))
    values = {
        "commits": "commits",
        "first_offset": "first_offsets",
        "last_offset": "last_offsets",
        "pause_ms": "pauses_ms",
        "life": "lives",
        "end_offset": "end_offsets",
    }
    picked = [f.get(column, f.col("n")).alias(name) for name, column in values.items()]
    rows = each.select(*PartitionHours.KEY, "era", "xid", "id", f.struct(*picked).alias("row"))
    last = f.max_by("row", f.struct("era", "xid", "id")).alias("row")
    found = rows.groupBy(*PartitionHours.KEY).agg(last).select(*PartitionHours.KEY, "row.*")
    return PartitionHours(found.withColumn("commits", f.col("commits").cast("bigint")))
