"""Gold: the cost of rebalances, by what they are grouped by."""

from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from pipeline.datasets.cost import Clients, Cost, Hours, Software
from pipeline.datasets.dataset import PERIOD
from pipeline.datasets.lives import Lives
from pipeline.datasets.rebalances import Rebalances
from pipeline.steps.periods import ALL, by_period


def cost(rebalances: Rebalances, at: datetime) -> Cost:
    """By group and cause: a rebalance counts with each of its causes, by its share of the time."""
    rows = by_period(by_cause(rebalances), "completed_at", at)
    return Cost(rows.groupBy(*Cost.KEY).agg(*_totals()))


OF_ALL_CAUSES = ("slowest_member", "slowest_ms")
"""What cannot be divided among causes is charged to the one that began the rebalance."""


def by_cause(rebalances: Rebalances) -> DataFrame:
    """Each rebalance once for each different cause, with that cause's share of its times, so that
    sums over causes are those over rebalances."""
    rows = rebalances.frame.withColumn("causes", _merged(f.col("causes")))
    total = f.greatest(_sum(f.transform("causes", lambda cause: cause["ms"])), f.lit(1))
    rows = rows.withColumn("parts", _parts(f.col("without_owner_ms"), total))
    rows = rows.withColumn("known_parts", _parts(f.col("without_owner_known_ms"), total))
    is_first = f.col("place") == 0
    divided = rows.select("*", f.posexplode("causes").alias("place", "cause"))
    return divided.withColumns(
        {
            "trigger": f.col("cause.trigger"),
            "duration_ms": f.col("cause.ms"),
            "without_owner_ms": f.get("parts", f.col("place")),
            "without_owner_known_ms": f.get("known_parts", f.col("place")),
            "partitions_moved": f.when(is_first, f.col("partitions_moved")).otherwise(0),
            **{name: f.when(is_first, f.col(name)) for name in OF_ALL_CAUSES},
        }
    )


def _merged(causes: Column) -> Column:
    """One cause for each trigger, in the order in which they first came, with all of its time."""

    def of(trigger: Column) -> Column:
        same = f.filter(causes, lambda cause: cause["trigger"] == trigger)
        ms = _sum(f.transform(same, lambda cause: cause["ms"]))
        return f.struct(trigger.alias("trigger"), ms.alias("ms"))

    return f.transform(f.array_distinct(f.transform(causes, lambda c: c["trigger"])), of)


def _parts(figure: Column, total: Column) -> Column:
    """The figure by the causes' shares of ``total``; what is left over is the first one's."""
    share = f.transform("causes", lambda cause: f.floor(figure * cause["ms"] / total))
    rest = figure - _sum(f.slice(share, f.lit(2), f.greatest(f.size(share) - 1, f.lit(0))))
    return f.transform(share, lambda part, place: f.when(place == 0, rest).otherwise(part))


def _sum(numbers: Column) -> Column:
    return f.aggregate(numbers, f.lit(0).cast("bigint"), lambda total, number: total + number)


def clients(rebalances: Rebalances, at: datetime) -> Clients:
    """By group and the client that began them; those that no client began are left out."""
    began = rebalances.frame.filter(f.coalesce("client_id", f.lit("")) != "")
    rows = by_period(began, "completed_at", at)
    return Clients(rows.groupBy(*Clients.KEY).agg(*_totals()))


def software(rebalances: Rebalances, lives: Lives, at: datetime) -> Software:
    """By group, client library and address of the member that began them; those of members of
    which no life is recorded are left out."""
    last = f.max_by(f.struct("software", "client_host"), "joined_at")
    members = lives.frame.groupBy("group_id", "member_id").agg(last.alias("of"))
    began = rebalances.frame.join(members, ["group_id", "member_id"]).select(
        *Rebalances.names(), "of.*"
    )
    rows = by_period(began, "completed_at", at)
    return Software(rows.groupBy(*Software.KEY).agg(*_totals()))


def hours(rebalances: Rebalances, at: datetime) -> Hours:
    """By hour and cause; only of all time: a chart takes the hours that it shows."""
    rows = by_cause(rebalances).select(
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
