"""Gold: the cost of rebalances, by what they are grouped by."""

from datetime import datetime
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from pipeline.datasets.cost import Clients, Cost, Hours, Software
from pipeline.datasets.dataset import PERIOD, Report
from pipeline.datasets.lives import Lives
from pipeline.datasets.rebalances import Rebalances
from pipeline.steps.names import small
from pipeline.steps.periods import ALL, SLICE, by_slice, of_slices


def cost(rebalances: Rebalances, at: datetime) -> Cost:
    """By group and cause: a rebalance counts with each of its causes, by its share of the time."""
    return Cost(_figures(by_cause(rebalances), Cost, at))


OF_ALL_CAUSES: Final = ("slowest_member", "slowest_ms")
"""What cannot be divided among causes is charged to the one that began the rebalance."""


def by_cause(rebalances: Rebalances) -> DataFrame:
    """Each rebalance once for each different cause, with that cause's share of its times, so that
    sums over causes are those over rebalances."""
    rows = rebalances.frame.withColumn("causes", _of_different_causes())
    total = f.greatest(_sum(f.col("causes.ms")), f.lit(1))
    divided = rows.withColumn("total_ms", total).select(
        "*", f.posexplode("causes").alias("place", "cause")
    )
    is_first = f.col("place") == 0
    return divided.withColumns(
        {
            "trigger": f.col("cause.trigger"),
            "duration_ms": f.col("cause.ms"),
            "without_owner_ms": _part("without_owner_ms"),
            "without_owner_known_ms": _part("without_owner_known_ms"),
            "partitions_moved": f.when(is_first, f.col("partitions_moved")).otherwise(0),
            **{name: f.when(is_first, f.col(name)) for name in OF_ALL_CAUSES},
        }
    )


def _of_different_causes() -> Column:
    """The causes, each trigger once; mostly they are so already."""
    count = f.size(f.array_distinct("causes.trigger"))
    causes = f.col("causes")
    return f.when(count == f.size(causes), causes).otherwise(_merged(causes))


def _merged(causes: Column) -> Column:
    """One cause for each trigger, in the order in which they first came, with all of its time."""

    def of(trigger: Column) -> Column:
        same = f.filter(causes, lambda cause: cause["trigger"] == trigger)
        ms = _sum(f.transform(same, lambda cause: cause["ms"]))
        return f.struct(trigger.alias("trigger"), ms.alias("ms"))

    return f.transform(f.array_distinct(f.transform(causes, lambda c: c["trigger"])), of)


def _part(figure: str) -> Column:
    """The figure by the cause's share of the total; what is left over is the first cause's."""

    def share(ms: Column) -> Column:
        # as numbers with a fraction: the product of two months is beyond a bigint
        return f.floor(f.col(figure).cast("double") * ms / f.col("total_ms"))

    others = f.slice("causes.ms", f.lit(2), f.greatest(f.size("causes") - 1, f.lit(0)))
    rest = f.aggregate(others, f.lit(0).cast("bigint"), lambda sum_ms, ms: sum_ms + share(ms))
    return f.when(f.col("place") > 0, share(f.col("cause.ms"))).otherwise(f.col(figure) - rest)


def _sum(numbers: Column) -> Column:
    return f.aggregate(numbers, f.lit(0).cast("bigint"), lambda total, number: total + number)


def clients(rebalances: Rebalances, at: datetime) -> Clients:
    """By group and the client that began them; those that no client began are left out."""
    began = rebalances.frame.filter(f.coalesce("client_id", f.lit("")) != "")
    return Clients(_figures(began, Clients, at))


def software(rebalances: Rebalances, lives: Lives, at: datetime) -> Software:
    """By group, client library and address of the member that began them; those of members of
    which no life is recorded are left out."""
    last = f.max_by(f.struct("software", "client_host"), "joined_at")
    members = lives.frame.groupBy("group_id", "member_id").agg(last.alias("of"))
    began = rebalances.frame.join(small(members), ["group_id", "member_id"]).select(
        *Rebalances.names(), "of.*"
    )
    return Software(_figures(began, Software, at))


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


def _figures(rebalances: DataFrame, report: type[Report], at: datetime) -> DataFrame:
    """The columns of ``datasets.cost.FIGURES`` by the report's keys.

    ``slowest_member`` is the member with the longest single wait, of several the first by name;
    ``worst_journal_id`` likewise the first of the costliest rebalances.
    """
    slices = by_slice(rebalances, "completed_at", at).groupBy(SLICE, *report.keys())
    rows = of_slices(slices.agg(*_of_a_slice())).groupBy(*report.KEY).agg(*_of_slices())
    count = f.size("durations").cast("bigint")
    return rows.select(
        *report.KEY,
        "rebalances",
        "duration_ms",
        _nth(count).alias("longest_ms"),
        *(_percentile(share, count) for share in (50, 95, 99)),
        f.coalesce("waited_ms", f.lit(0)).alias("waited_ms"),
        "longest_wait.slowest_member",
        "partitions_moved",
        "without_owner_ms",
        f.coalesce("without_owner_known_ms", f.lit(0)).alias("without_owner_known_ms"),
        "unknown_rebalances",
        f.col("worst.journal_id").alias("worst_journal_id"),
    )


SUMS: Final = ("duration_ms", "partitions_moved", "without_owner_ms", "without_owner_known_ms")


def _of_a_slice() -> list[Column]:
    """What can be put together for periods."""
    wait = f.struct((-f.col("slowest_ms")).alias("sooner"), "slowest_member")
    worst = f.struct((-f.col("without_owner_ms")).alias("sooner"), "journal_id")
    return [
        f.count("*").alias("rebalances"),
        f.count_if(f.col("without_owner_known_ms").isNull()).alias("unknown_rebalances"),
        f.sum("slowest_ms").alias("waited_ms"),
        *(f.sum(name).alias(name) for name in SUMS),
        f.min(f.when(f.col("slowest_ms").isNotNull(), wait)).alias("longest_wait"),
        f.min(worst).alias("worst"),
        f.collect_list("duration_ms").alias("durations"),
    ]


def _of_slices() -> list[Column]:
    sums = ("rebalances", "unknown_rebalances", "waited_ms", *SUMS)
    return [
        *(f.sum(name).alias(name) for name in sums),
        *(f.min(name).alias(name) for name in ("longest_wait", "worst")),
        f.sort_array(f.flatten(f.collect_list("durations"))).alias("durations"),
    ]


def _percentile(share: int, count: Column) -> Column:
    """The least duration that at least ``share`` per cent do not exceed."""
    return _nth(f.floor((count * share + 99) / 100)).alias(f"p{share}_ms")


def _nth(number: Column) -> Column:
    """The duration of this number, counted from 1; null for 0."""
    return f.get("durations", number.cast("int") - 1)
