"""Gold: what intervals of ownership say of partitions: moves, returns, gaps."""

from datetime import datetime

from pyspark.sql import Window
from pyspark.sql import functions as f

from pipeline.datasets.lives import Ownership
from pipeline.datasets.movement import Movement
from pipeline.steps.periods import by_period


def movement(ownership: Ownership, at: datetime) -> Movement:
    """By group and topic; a change of owner counts when the new one begins, and so does the time
    without owner before it. Partitions that have no owner now are in no gap yet."""
    order = Window.partitionBy("group_id", "topic", "partition").orderBy("from_at", "life")
    gap = f.unix_millis("from_at") - f.unix_millis(f.lag("until_at").over(order))
    changes = (
        ownership.frame.withColumn("before", f.lag("life").over(order))
        .withColumn("earlier", f.lag("life", 2).over(order))
        .withColumn("gap_ms", f.greatest(gap, f.lit(0)))
        .filter("before IS NOT NULL")
    )
    moved = f.col("life") != f.col("before")
    rows = by_period(changes, "from_at", at).groupBy(*Movement.KEY)
    return Movement(
        rows.agg(
            f.count_distinct(f.when(moved, f.col("partition"))).alias("partitions"),
            f.count_if(moved).alias("moves"),
            f.count_if(moved & (f.col("life") == f.col("earlier"))).alias("came_back"),
            f.count_if(f.col("gap_ms") > 0).alias("gaps"),
            f.coalesce(f.sum("gap_ms"), f.lit(0)).alias("without_owner_partition_ms"),
            f.coalesce(f.max("gap_ms"), f.lit(0)).alias("longest_gap_ms"),
        )
    )
