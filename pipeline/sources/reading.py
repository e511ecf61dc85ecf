"""Rows of planned ranges: read by this process, or by executors.

Not through ``format("rollcall")``, for which Spark starts two Pythons for every table to ask what
is known here.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, SparkSession

from pipeline.sources.ranges import Range, Selection
from pipeline.sources.tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa


def here(
    selection: Selection, ranges: Sequence[Range], snapshot: str
) -> "Iterator[pa.RecordBatch]":
    """The rows, one range after the other."""
    for blocks in ranges:
        yield from selection.read(blocks, snapshot)


def spread(
    spark: SparkSession, selection: Selection, ranges: Sequence[Range], snapshot: str
) -> DataFrame:
    """The rows, a range by each task."""

    def rows(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        for batch in batches:
            for number in batch["id"].to_pylist():
                yield from selection.read(ranges[number], snapshot)

    numbers = spark.range(0, len(ranges), 1, len(ranges))
    return numbers.mapInArrow(rows, TABLES[selection.table].dataset.ddl())
