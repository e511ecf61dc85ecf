"""Gold: what rebalances cost, by group and by what caused them."""

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from pipeline.schemas import COSTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def cost(rebalances: "DataFrame") -> "DataFrame":
    """One row for each group and trigger, with the columns of ``schemas.COSTS``.

    ``waited_ms`` sums the slowest member of each rebalance; ``slowest_member`` is who was waited
    for longest at once, of several the first by name.
    """
    slowest = f.when(
        f.col("slowest_ms").isNotNull(),
        f.struct((-f.col("slowest_ms")).alias("ms"), f.col("slowest_member").alias("who")),
    )
    summed = rebalances.groupBy("group_id", "trigger").agg(
        f.count("*").alias("rebalances"),
        f.sum("duration_ms").alias("duration_ms"),
        f.max("duration_ms").alias("longest_ms"),
        f.coalesce(f.sum("slowest_ms"), f.lit(0)).cast("bigint").alias("waited_ms"),
        f.min(slowest)["who"].alias("slowest_member"),
        f.sum("partitions_moved").alias("partitions_moved"),
        f.sum("without_owner_ms").alias("without_owner_ms"),
    )
    return summed.select(*COSTS)
