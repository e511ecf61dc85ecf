"""Gold: deploys, recognised by lives that begin and end together, and what they cost.

Members that only come (a larger group) or only go (a smaller one, a crash) are no deploy.
"""

from datetime import datetime
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from pipeline.datasets.deploys import Deploys
from pipeline.datasets.lives import Lives
from pipeline.datasets.rebalances import Rebalances
from pipeline.steps.names import small
from pipeline.steps.periods import by_period

GAP_MS: Final = 120_000
"""Members that join with less between them come together, and so does an end so long before."""

SHARE: Final = 0.5
"""Of the members, that are replaced; and of these, how many others join at least."""

LEAST: Final = 2

SPAN_MS: Final = 3_600_000
"""A wave takes minutes, so it lies in one or two."""


def deploys(lives: Lives, rebalances: Rebalances, at: datetime) -> Deploys:
    """By group and beginning."""
    waves = _waves(lives.frame)
    counted = waves.join(small(_members(waves, lives.frame)), ["group_id", "began_at"])
    needed = f.greatest(f.ceil(f.col("members") * SHARE), f.lit(LEAST))
    is_deploy = (f.col("replaced") >= needed) & (f.col("begun") >= f.col("replaced") * SHARE)
    found = counted.filter(is_deploy).join(
        small(_cost(waves, rebalances.frame)), ["group_id", "began_at"], "left"
    )
    counts = ("rebalances", "without_owner_ms", "partitions_moved")
    rows = found.withColumns({name: f.coalesce(name, f.lit(0)) for name in counts})
    took = f.unix_millis("ended_at") - f.unix_millis("began_at")
    rows = by_period(rows.withColumn("took_ms", took), "began_at", at)
    return Deploys(rows.select(*Deploys.names()))


def _waves(lives: DataFrame) -> DataFrame:
    """Members of a group that joined together, several of them."""
    in_order = Window.partitionBy("group_id").orderBy("joined_at", "life")
    gap = f.unix_millis("joined_at") - f.unix_millis(f.lag("joined_at").over(in_order))
    first = f.when(gap <= GAP_MS, 0).otherwise(1)
    wave = f.sum("first").over(in_order.rowsBetween(Window.unboundedPreceding, 0))
    known = lives.withColumn("first", first).withColumn("wave", wave)
    together = known.groupBy("group_id", "wave").agg(
        f.min("joined_at").alias("began_at"),
        f.max("joined_at").alias("ended_at"),
        f.count("*").alias("begun"),
        f.max_by("software", f.struct("joined_at", "life")).alias("software"),
    )
    return together.filter(f.col("begun") >= LEAST).drop("wave")


def _members(waves: DataFrame, lives: DataFrame) -> DataFrame:
    """The members that there were before each, and how many of them ended meanwhile; and which were
    heard last before it, so that they were away at once."""
    there = lives.select("group_id", "joined_at", "left_at", "heard_at")
    was = (f.col("joined_at") < f.col("began_at")) & (
        f.col("left_at").isNull() | (f.col("left_at") >= _before())
    )
    ended = f.col("left_at") <= _after()
    gone = f.coalesce("heard_at", "left_at")
    return (
        there.join(small(waves), "group_id")
        .filter(was)
        .groupBy("group_id", "began_at")
        .agg(
            f.count("*").alias("members"),
            f.count_if(ended).alias("replaced"),
            f.count_if(ended & (gone <= f.col("began_at"))).alias("at_once"),
        )
    )


def _cost(waves: DataFrame, rebalances: DataFrame) -> DataFrame:
    """The rebalances that were completed meanwhile."""
    names = ("group_id", "completed_at", "without_owner_ms", "partitions_moved", "journal_id")
    worst = f.min(f.struct((-f.col("without_owner_ms")).alias("sooner"), "journal_id"))
    spans = f.sequence(_span(_before()), _span(_after()))
    within = waves.withColumn("span", f.explode(spans))
    there = rebalances.select(*names).withColumn("span", _span(f.col("completed_at")))
    return (
        there.join(small(within), ["group_id", "span"])
        .filter(f.col("completed_at").between(_before(), _after()))
        .groupBy("group_id", "began_at")
        .agg(
            f.count("*").alias("rebalances"),
            f.sum("without_owner_ms").alias("without_owner_ms"),
            f.sum("partitions_moved").alias("partitions_moved"),
            worst["journal_id"].alias("worst_journal_id"),
        )
    )


def _span(time: Column) -> Column:
    """Equal spans of time, by number: a rebalance is compared with the waves of its own, not with
    all that its group ever had."""
    return f.floor(f.unix_millis(time) / SPAN_MS)


def _before() -> Column:
    return f.timestamp_millis(f.unix_millis("began_at") - GAP_MS)


def _after() -> Column:
    return f.timestamp_millis(f.unix_millis("ended_at") + GAP_MS)
