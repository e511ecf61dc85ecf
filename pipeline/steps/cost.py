"""Gold: the cost of rebalances, by what they are grouped by."""

from datetime import datetime

from pyspark.sql import Column
from pyspark.sql import functions as f

from pipeline.datasets.cost import Clients, Cost, Hours
from pipeline.datasets.dataset import PERIOD
from pipeline.datasets.rebalances import Rebalances
from pipeline.steps.periods import ALL, by_period


def cost(rebalances: Rebalances, at: datetime) -> Cost:
    """By group and cause."""
    rows = by_period(rebalances.frame, "completed_at", at)
    return Cost(rows.groupBy(*Cost.KEY).agg(*_totals()))


def clients(rebalances: Rebalances, at: datetime) -> Clients:
    """By group and the client that began them; those that no client began are left out."""
    began = rebalances.frame.filter(f.coalesce("client_id", f.lit("")) != "")
    rows = by_period(began, "completed_at", at)
    return Clients(rows.groupBy(*Clients.KEY).agg(*_totals()))


def hours(rebalances: Rebalances, at: datetime) -> Hours:
    """By hour and cause; only of all time: a chart takes the hours that it shows."""
    rows = rebalances.frame.select(
        "*", f.lit(ALL).alias(PERIOD), f.date_trunc("hour", "completed_at").alias("hour")
    )
    return Hours(
        rows.groupBy(*Hours.KEY).agg(
            f.count("*").alias("rebalances"),
            f.count_distinct("group_id").alias("groups"),
            f.sum("partitions_moved").alias("partitions_moved"),
            f.sum("without_owner_ms").alias("without_owner_ms"),
        )
    )


def _totals() -> list[Column]:
    """The columns of ``datasets.cost.FIGURES``.

    ``slowest_member`` is the member with the longest single wait, of several the first by name;
    ``worst_journal_id`` likewise the first of the costliest rebalances.
    """
    wait = f.struct((-f.col("slowest_ms")).alias("sooner"), "slowest_member")
    longest_wait = f.min(f.when(f.col("slowest_ms").isNotNull(), wait))
    worst = f.min(f.struct((-f.col("without_owner_ms")).alias("sooner"), "journal_id"))
    return [
        f.count("*").alias("rebalances"),
        f.sum("duration_ms").alias("duration_ms"),
        f.max("duration_ms").alias("longest_ms"),
        *(_percentile(share) for share in (50, 95, 99)),
        f.coalesce(f.sum("slowest_ms"), f.lit(0)).alias("waited_ms"),
        longest_wait["slowest_member"].alias("slowest_member"),
        f.sum("partitions_moved").alias("partitions_moved"),
        f.sum("without_owner_ms").alias("without_owner_ms"),
        f.coalesce(f.sum("without_owner_known_ms"), f.lit(0)).alias("without_owner_known_ms"),
        f.count_if(f.col("without_owner_known_ms").isNull()).alias("unknown_rebalances"),
        worst["journal_id"].alias("worst_journal_id"),
    ]


def _percentile(share: int) -> Column:
    """The least duration that at least ``share`` per cent do not exceed."""
    rule = f"percentile_disc({share / 100}) WITHIN GROUP (ORDER BY duration_ms)"
    return f.expr(rule).cast("bigint").alias(f"p{share}_ms")
