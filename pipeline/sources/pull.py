"""What is new in the database, into batches of files: one stream for each table."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from pipeline.datasets.dataset import Dataset
from pipeline.sources.cursor import Place
from pipeline.sources.rollcall import RollcallSource

Write = Callable[[type[Dataset], DataFrame, int], None]
"""Stores a batch of a table under its number; may be called again with the same."""


STARTS_MAX: Final = 5
"""Attempts of one stream to start."""

TOO_SLOW: Final = "Python worker failed to connect back"
"""What Spark says where a Python of its own has not started within ten seconds: a very busy
machine can need more, and Spark has no setting for it. Nothing has been read by then."""


def pull(
    spark: SparkSession,
    datasets: Sequence[type[Dataset]],
    until: Place,
    checkpoint: Callable[[str], str],
    write: Write,
) -> None:
    """Read all tables from where their checkpoints are to the same place, one after the other: each
    starts a Python of its own.

    Raises the error of a stream, if one fails.
    """
    spark.dataSource.register(RollcallSource)
    for dataset in datasets:
        source = spark.readStream.format(RollcallSource.name()).option("table", dataset.NAME)
        rows = source.option("until", ",".join(map(str, until))).load()
        stream = rows.writeStream.foreachBatch(partial(write, dataset))
        stream = stream.option("checkpointLocation", checkpoint(dataset.NAME))
        finish(stream.trigger(availableNow=True))


def finish(stream: DataStreamWriter) -> None:
    """Run a stream to its end. Raises its error."""
    for attempt in range(1, STARTS_MAX + 1):
        query = stream.start()
        try:
            query.awaitTermination()
        except StreamingQueryException as error:
            if attempt == STARTS_MAX or TOO_SLOW not in str(error):
                raise
        else:
            return
        finally:
            query.stop()
