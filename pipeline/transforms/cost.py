"""Gold: the cost of rebalances, by group and by trigger."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as f


def cost(rebalances: DataFrame) -> DataFrame:
    """One row for each group and trigger, with the columns of ``schemas.COSTS``.

    ``waited_ms`` sums the slowest member of each rebalance; ``slowest_member`` is the member with
    the longest single wait, of several the first by name. ``unknown_rebalances`` are those for
    which the journal does not say how long partitions had no owner.
    """
    wait = f.struct((-f.col("slowest_ms")).alias("sooner"), "slowest_member")
    longest_wait = f.min(f.when(f.col("slowest_ms").isNotNull(), wait))
    return rebalances.groupBy("group_id", "trigger").agg(
        f.count("*").alias("rebalances"),
        f.sum("duration_ms").alias("duration_ms"),
        f.max("duration_ms").alias("longest_ms"),
        f.coalesce(f.sum("slowest_ms"), f.lit(0)).alias("waited_ms"),
        longest_wait["slowest_member"].alias("slowest_member"),
        f.sum("partitions_moved").alias("partitions_moved"),
        f.sum("without_owner_ms").alias("without_owner_ms"),
        f.coalesce(f.sum("without_owner_known_ms"), f.lit(0)).alias("without_owner_known_ms"),
        f.count_if(f.col("without_owner_known_ms").isNull()).alias("unknown_rebalances"),
    )
