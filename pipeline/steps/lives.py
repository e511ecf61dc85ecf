"""Silver: lives and intervals from the rows of their beginnings and ends."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from pipeline.datasets.facts import LifeEvents, OwnershipEvents
from pipeline.datasets.lives import Lives, Ownership

SOFTWARE: Final = ("software_name", "software_version")


def lives(events: LifeEvents, at: datetime) -> Lives:
    """One row for each life, whatever the moment: that of its end, else that of its beginning."""
    rows = last(events.frame, ("group_id", "life"), f.col("left_at").isNotNull())
    lived_ms = f.unix_millis("left_at") - f.unix_millis("joined_at")
    software = f.concat_ws(" ", *(f.nullif(f.col(name), f.lit("")) for name in SOFTWARE))
    return Lives(
        rows.withColumn("software", software)
        .withColumn("lived_ms", f.when(lived_ms < 0, 0).otherwise(lived_ms))
        .withColumn("back_ms", _back_ms())
        .select(*Lives.names())
    )


def _back_ms() -> Column:
    """Until the next life of the same client; null where the two overlap: then several clients
    share the name, and it is not known which of them came."""
    in_order = Window.partitionBy(*_same_client()).orderBy("joined_at", "life")
    gap = f.unix_millis(f.lead("joined_at").over(in_order)) - f.unix_millis("left_at")
    return f.when(gap >= 0, gap)


def _same_client() -> list[Column]:
    """What a client keeps when it restarts: its instance id if it has one, else its client id and
    address."""
    own = f.coalesce("instance_id", f.concat_ws("\0", "client_id", "client_host"))
    return [f.col("group_id"), f.col("instance_id").isNotNull(), own]


def ownership(events: OwnershipEvents, at: datetime) -> Ownership:
    """One row for each interval of one partition, whatever the moment: all but its end is key."""
    each = events.frame.withColumn("partition", f.explode("partitions"))
    rows = each.groupBy("group_id", *Ownership.KEY).agg(f.max("until_at").alias("until_at"))
    return Ownership(rows.select(*Ownership.names()))


def last(rows: DataFrame, keys: Sequence[str], is_end: Column) -> DataFrame:
    """Of the one or two rows with the same keys that of the end, if it is there."""
    others = [name for name in rows.columns if name not in keys]
    chosen = f.max_by(f.struct(*others), f.when(is_end, 1).otherwise(0))
    return rows.groupBy(*keys).agg(chosen.alias("row")).select(*keys, "row.*")
