"""What is new in the database, into batches of files: one stream for each table."""

from collections.abc import Callable, Sequence
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from pipeline.datasets.dataset import Dataset
from pipeline.sources.cursor import Place
from pipeline.sources.rollcall import RollcallSource

Write = Callable[[type[Dataset], DataFrame, int], None]
"""Stores a batch of a table under its number; may be called again with the same."""


def pull(
    spark: SparkSession,
    datasets: Sequence[type[Dataset]],
    until: Place,
    checkpoint: Callable[[str], str],
    write: Write,
) -> None:
    """Read all tables from where their checkpoints are to the same place, one after the other: each
    starts a Python of its own, for which Spark waits for ten seconds and no longer.

    Raises the error of a stream, if one fails.
    """
    spark.dataSource.register(RollcallSource)
    for dataset in datasets:
        source = spark.readStream.format(RollcallSource.name()).option("table", dataset.NAME)
        rows = source.option("until", ",".join(map(str, until))).load()
        stream = rows.writeStream.foreachBatch(partial(write, dataset))
        stream = stream.option("checkpointLocation", checkpoint(dataset.NAME))
        query = stream.trigger(availableNow=True).start()
        try:
            query.awaitTermination()
        finally:
            query.stop()
