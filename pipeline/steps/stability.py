"""Gold: who comes and goes, and whether those that expired were dead."""

from datetime import datetime
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from groups.core.facts import Departure
from pipeline.datasets.hours import SilentHours
from pipeline.datasets.lives import Lives
from pipeline.datasets.stability import Silence, Stability
from pipeline.steps.names import small
from pipeline.steps.periods import by_period

SOON_MS: Final = 60_000
"""A restart takes no longer, and a life that ends sooner did not do much."""

EXPIRED: Final = Departure.EXPIRED.value


def stability(lives: Lives, at: datetime) -> Stability:
    """By group and client: beginnings and ends, each in the period in which it happened."""
    begun = by_period(lives.frame, "joined_at", at).groupBy(*Stability.KEY)
    ended = by_period(lives.frame.filter("left_at IS NOT NULL"), "left_at", at)
    counted = ended.groupBy(*Stability.KEY).agg(
        f.count("*").alias("ended"),
        *(_ended(cause, name) for cause, name in ENDS.items()),
        f.count_if(~f.col("departure").isin(*ENDS)).alias("other_ends"),
        f.count_if(f.col("back_ms") < SOON_MS).alias("restarts"),
        f.count_if(f.col("lived_ms") < SOON_MS).alias("short_lives"),
        _disc(50, "lived_ms").alias("median_life_ms"),
        f.count_distinct("client_host").alias("hosts"),
    )
    began = begun.agg(f.count("*").alias("begun"))
    joined = began.join(counted, [*Stability.KEY], "full")
    kept = {*Stability.KEY, "median_life_ms"}
    return Stability(
        joined.select(
            *(
                f.col(name) if name in kept else f.coalesce(name, f.lit(0)).alias(name)
                for name in Stability.names()
            )
        )
    )


ENDS: Final = {
    Departure.LEFT.value: "left",
    Departure.EXPIRED.value: "expired",
    Departure.NOT_ACKNOWLEDGED.value: "not_acknowledged",
}
"""The departures that are counted apart, and their columns."""


def _ended(departure: str, name: str) -> Column:
    return f.count_if(f.col("departure") == departure).alias(name)


def returned() -> Column:
    """Whether a life expired although its client lived: it was back within another session."""
    return (f.col("departure") == EXPIRED) & (f.col("back_ms") <= f.col("session_timeout_ms"))


def away_ms() -> Column:
    """From the last sign of life to the return: the pause was at most so long."""
    silent_ms = f.unix_millis("left_at") - f.unix_millis("heard_at")
    return f.when(returned(), silent_ms + f.col("back_ms"))


def silence(lives: Lives, silences: SilentHours, at: datetime) -> Silence:
    """By group, session timeout and client library: silences of the living, ends of the others."""
    found = _heard(lives, silences, at).join(_ended_by_library(lives, at), [*Silence.KEY], "full")
    counts = ("members", "near", "lives", "expired", "returned")
    return Silence(
        found.select(
            *(
                f.coalesce(name, f.lit(0)).alias(name) if name in counts else f.col(name)
                for name in Silence.names()
            )
        )
    )


def _heard(lives: Lives, silences: SilentHours, at: datetime) -> DataFrame:
    names = lives.frame.select("group_id", "life", "session_timeout_ms", "software")
    named = silences.frame.join(small(names), ["group_id", "life"])
    return (
        by_period(named, "hour", at)
        .groupBy(*Silence.KEY)
        .agg(
            f.count_distinct("life").alias("members"),
            _disc(99, "longest_ms").alias("p99_silent_ms"),
            f.max("longest_ms").cast("bigint").alias("longest_silent_ms"),
            f.sum("near").alias("near"),
        )
    )


def _ended_by_library(lives: Lives, at: datetime) -> DataFrame:
    ended = by_period(lives.frame.filter("left_at IS NOT NULL"), "left_at", at)
    return (
        ended.withColumn("away", away_ms())
        .groupBy(*Silence.KEY)
        .agg(
            f.count("*").alias("lives"),
            f.count_if(f.col("departure") == EXPIRED).alias("expired"),
            f.count("away").alias("returned"),
            *(_disc(share, "away").alias(f"p{share}_away_ms") for share in (50, 99)),
            f.max("away").alias("longest_away_ms"),
        )
    )


def _disc(share: int, column: str) -> Column:
    """The least value that at least ``share`` per cent do not exceed."""
    rule = f"percentile_disc({share / 100}) WITHIN GROUP (ORDER BY {column})"
    return f.expr(rule).cast("bigint")
