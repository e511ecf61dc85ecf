"""Silver: from the journal's entries to one row for each completed rebalance.

What belongs together is found by windows over a group's entries in the order of their ids, which
is the order of the decisions:

- An *episode* is everything up to and including what ends a rebalance. The first
  "rebalance-started" in it says when, and if the completion does not, why it began.
- "stable" follows a completion of the same generation before anything else is completed; it says
  how long the assignment took and what moved. Where the next rebalance was quicker there is none.
- The consumer protocol tells what moved with the completion and has no "stable". It also tells for
  how long partitions had no owner; of the others only the most that it can have been is known.

Nothing is read or written here, and no group's history is held in memory.
"""

from datetime import datetime

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as f

from groups.core.journal import EntryKind
from pipeline.datasets.journal import Journal
from pipeline.datasets.rebalances import Rebalances

WAITED_FOR = "map<string, bigint>"
CAUSES = "array<struct<trigger: string, ms: bigint>>"

STARTED, COMPLETED, STABLE, EMPTIED, DELETED, ABANDONED = (
    kind.value  # strings, as Spark takes them
    for kind in (
        EntryKind.REBALANCE_STARTED,
        EntryKind.REBALANCE_COMPLETED,
        EntryKind.STABLE,
        EntryKind.EMPTIED,
        EntryKind.GROUP_DELETED,
        EntryKind.REBALANCE_ABANDONED,
    )
)
GONE = (EMPTIED, DELETED)
"""What ends a rebalance without members left. ``ABANDONED``: the slot's owner was lost, no member
had to leave, and the members stay as they were."""

KINDS = (STARTED, COMPLETED, STABLE, ABANDONED, *GONE)
"""The kinds of entries that are used."""

UNKNOWN = "unknown"

NONE = 0
"""Before the first id."""


def rebalances(journal: Journal, at: datetime) -> Rebalances:
    """One row for each completed rebalance, whatever the moment."""
    entries = journal.frame.filter(f.col("kind").isin(*KINDS))
    completed = f.col("kind") == COMPLETED
    return Rebalances(_rows(_with_stable(_with_start(entries)).filter(completed)))


def _with_start(entries: DataFrame) -> DataFrame:
    """Add to each entry the first start of its episode (null if it has none).

    All windows here have one order, so that Spark sorts once: what ended last, and what started
    last, is known at each entry by its id.
    """
    before = _in_order().rowsBetween(Window.unboundedPreceding, -1)
    until_now = _in_order().rowsBetween(Window.unboundedPreceding, 0)
    is_end = f.col("kind").isin(COMPLETED, ABANDONED, *GONE)
    is_start = f.col("kind") == STARTED
    placed = entries.withColumns(
        {
            "ended": _last_id(is_end).over(before),
            "started": _last_id(is_start).over(before),
        }
    )
    since_end = f.coalesce(f.col("ended"), f.lit(NONE))
    is_first = is_start & (f.coalesce(f.col("started"), f.lit(NONE)) <= since_end)
    start = f.when(is_first, f.struct("id", "at", "trigger", "reason", "client_reason"))
    found = placed.withColumn("start", f.last(start, ignorenulls=True).over(until_now))
    return found.withColumn("start", f.when(f.col("start.id") > since_end, f.col("start")))


def _last_id(condition: Column) -> Column:
    """The id of the last entry that fulfils it: ids grow."""
    return f.max(f.when(condition, f.col("id")))


def _with_stable(entries: DataFrame) -> DataFrame:
    """Add to each entry its own "stable" (null if there is none).

    An abandoned rebalance between the two does not count: the generation continues.
    """
    lead = f.lead(f.struct("kind", "at", "duration_ms", "moved", "generation_after"))
    own = (f.col("following.kind") == STABLE) & (
        f.col("following.generation_after") == f.col("generation_after")
    )
    return (
        entries.filter(f.col("kind").isin(COMPLETED, STABLE, *GONE))
        .withColumn("following", lead.over(_in_order()))
        .withColumn("stable", f.when(own, f.col("following")))
    )


def _in_order() -> WindowSpec:
    return Window.partitionBy("group_id").orderBy("id")


def _rows(completions: DataFrame) -> DataFrame:
    duration_ms = f.coalesce(f.col("duration_ms"), _since_start_ms(), f.lit(0))
    known_ms = f.col("unowned_longest_ms")
    measured_start = f.timestamp_millis(f.unix_millis("at") - duration_ms)
    waited_for = _longest_first(f.from_json("waited_for", WAITED_FOR))
    first = f.get(waited_for, 0)
    slowest = f.when(first["ms"] > 0, first)
    trigger = f.coalesce(_text("trigger"), _text("start.trigger"), f.lit(UNKNOWN))
    return completions.select(
        "group_id",
        _kind().alias("kind"),
        trigger.alias("trigger"),
        _causes(trigger, duration_ms).alias("causes"),
        f.coalesce(_text("reason"), _text("start.reason"), f.lit("")).alias("reason"),
        f.coalesce(_text("client_reason"), _text("start.client_reason"), f.lit("")).alias(
            "client_reason"
        ),
        "member_id",
        "client_id",
        "generation_before",
        "generation_after",
        f.coalesce(f.col("start.at"), measured_start).alias("started_at"),
        f.col("at").alias("completed_at"),
        f.col("stable.at").alias("stable_at"),
        duration_ms.alias("duration_ms"),
        f.col("stable.duration_ms").alias("sync_ms"),
        f.coalesce(known_ms, duration_ms + f.coalesce("stable.duration_ms", f.lit(0))).alias(
            "without_owner_ms"
        ),
        known_ms.alias("without_owner_known_ms"),
        waited_for.alias("waited_for"),
        slowest["member_id"].alias("slowest_member"),
        slowest["ms"].alias("slowest_ms"),
        "members",
        f.coalesce("moved", "stable.moved", f.lit(0)).cast("bigint").alias("partitions_moved"),
        f.col("id").alias("journal_id"),
    )


def _causes(trigger: Column, duration_ms: Column) -> Column:
    """The entry's own causes; of one of an earlier version its first, with all of the time."""
    told = f.from_json("causes", CAUSES)
    first = f.array(f.struct(trigger.alias("trigger"), duration_ms.alias("ms")))
    return f.when(f.size(told) > 0, told).otherwise(first)


def _since_start_ms() -> Column:
    """The time from the clock if the entry has none; never negative."""
    return f.greatest(f.unix_millis("at") - f.unix_millis("start.at"), f.lit(0))


def _kind() -> Column:
    """Which protocol completed it; null for an entry that does not show it."""
    is_classic = f.col("waited_for_count").isNotNull() | f.col("stable").isNotNull()
    return f.when(f.col("moved").isNotNull(), "consumer").when(is_classic, "classic")


def _text(column: str) -> Column:
    """A text, or null if it is empty."""
    return f.nullif(f.col(column), f.lit(""))


def _longest_first(waits: Column) -> Column:
    """The members that were waited for, and how long: the longest first, then by name."""
    pairs = f.transform(
        f.map_entries(waits),
        lambda wait: f.struct((-wait["value"]).alias("sooner"), wait["key"].alias("member_id")),
    )
    return f.transform(
        f.array_sort(pairs),
        lambda pair: f.struct(pair["member_id"], (-pair["sooner"]).alias("ms")),
    )
