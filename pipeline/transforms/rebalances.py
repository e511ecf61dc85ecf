"""Silver: from the journal's entries to one row for each completed rebalance.

What belongs together is found by windows over a group's entries in the order of their ids:

- An *episode* is everything up to and including a completion (or the group's end). The first
  "rebalance-started" in it says when and why the rebalance began.
- The entry "stable" that follows a completion, before anything else is completed, says how long
  the assignment took and what moved. Where the next rebalance began first there is none, and
  the time without owner is the join phase alone.

Entries of the consumer protocol carry what moved themselves and have no "stable".
"""

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as f

from pipeline.schemas import WAITED_FOR

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

COMPLETED, STARTED, STABLE = "rebalance-completed", "rebalance-started", "stable"
ENDS = (COMPLETED, "emptied", "group-deleted")
"""What an episode ends with."""

MS = 1_000


def rebalances(journal: "DataFrame") -> "DataFrame":
    """One row for each completed rebalance, with the columns of ``schemas.REBALANCES``."""
    return _told(_completions(journal))


def _completions(journal: "DataFrame") -> "DataFrame":
    in_order = Window.partitionBy("group_id").orderBy("id")
    before = in_order.rowsBetween(Window.unboundedPreceding, -1)
    ends = f.when(f.col("kind").isin(*ENDS), 1).otherwise(0)
    numbered = journal.filter(f.col("kind").isin(*ENDS, STARTED, STABLE)).withColumn(
        "episode", f.coalesce(f.sum(ends).over(before), f.lit(0))
    )
    episode = Window.partitionBy("group_id", "episode").orderBy("id")
    whole = episode.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    begun = f.when(f.col("kind") == STARTED, f.struct("at", "trigger", "reason"))
    started = numbered.withColumn("started", f.first(begun, ignorenulls=True).over(whole))
    return _with_stable(started).filter(f.col("kind") == COMPLETED)


def _with_stable(entries: "DataFrame") -> "DataFrame":
    """The entry that follows among ends and "stable": the completion's own, or none."""
    told = entries.filter(f.col("kind") != STARTED)
    in_order = Window.partitionBy("group_id").orderBy("id")
    after = f.struct("kind", "at", "duration_ms", "moved", "generation_after")
    next_one = f.lead(after).over(in_order)
    follows = told.withColumn("next", next_one)
    own = (f.col("next.kind") == STABLE) & (
        f.col("next.generation_after") == f.col("generation_after")
    )
    return follows.withColumn("stable", f.when(own, f.col("next")))


def _told(completions: "DataFrame") -> "DataFrame":
    duration = f.coalesce(
        f.col("duration_ms"),
        f.unix_millis("at") - f.unix_millis("started.at"),
        f.lit(0),
    ).cast("bigint")
    sync = f.col("stable.duration_ms")
    waited = _slowest_first(f.from_json("waited_for", WAITED_FOR))
    slowest = f.filter(waited, lambda wait: wait["ms"] > 0)
    return completions.select(
        f.col("id").alias("journal_id"),
        "group_id",
        f.when(f.col("moved").isNotNull(), "consumer").otherwise("classic").alias("protocol"),
        f.coalesce(
            _said("trigger"), f.nullif(f.col("started.trigger"), f.lit("")), f.lit("unknown")
        ).alias("trigger"),
        f.coalesce(_said("reason"), f.col("started.reason"), f.lit("")).alias("reason"),
        "member_id",
        "client_id",
        "generation_before",
        "generation_after",
        f.coalesce(f.col("started.at"), f.timestamp_millis(f.unix_millis("at") - duration)).alias(
            "started_at"
        ),
        f.col("at").alias("completed_at"),
        f.col("stable.at").alias("stable_at"),
        duration.alias("duration_ms"),
        sync.alias("sync_ms"),
        (duration + f.coalesce(sync, f.lit(0))).alias("without_owner_ms"),
        "members",
        waited.alias("waited_for"),
        f.get(slowest, f.lit(0))["member_id"].alias("slowest_member"),
        f.get(slowest, f.lit(0))["ms"].alias("slowest_ms"),
        f.coalesce("moved", f.col("stable.moved"), f.lit(0))
        .cast("bigint")
        .alias("partitions_moved"),
    )


def _said(column: str) -> "Column":
    """A text, or nothing where it is empty."""
    return f.nullif(f.col(column), f.lit(""))


def _slowest_first(waits: "Column") -> "Column":
    """Who was waited for and how long, the longest first, then by name."""
    pairs = f.transform(
        f.map_entries(waits),
        lambda wait: f.struct((-wait["value"]).alias("ms"), wait["key"].alias("member_id")),
    )
    return f.transform(
        f.array_sort(pairs),
        lambda pair: f.struct((-pair["ms"]).alias("ms"), pair["member_id"].alias("member_id")),
    )
