"""What is new in a table, between an offset and the horizon, as of one moment.

Offsets are those of streams (``sources.stream``). Little is read by this process, much by
executors: either way the same rows, since none comes or goes between two offsets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import DataFrame, SparkSession

from pipeline.datasets.dataset import Dataset
from pipeline.sources import reading
from pipeline.sources.ranges import Range, Selection
from pipeline.sources.snapshot import Snapshot
from pipeline.sources.stream import Offset, between, end
from pipeline.sources.tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa

LITTLE_BLOCKS: Final = 4_096
"""32 MiB of a table: reading so much takes this process less than executors take to begin."""


@dataclass(frozen=True, slots=True)
class New:
    """New rows of a table: ranges of blocks, read as of a snapshot; ``offset``: after them."""

    table: type[Dataset]
    ranges: Sequence[Range]
    snapshot: str
    offset: Offset

    @property
    def is_little(self) -> bool:
        """Whether this process reads it."""
        return sum(blocks.end - blocks.first for blocks in self.ranges) <= LITTLE_BLOCKS

    def here(self) -> "Iterator[pa.RecordBatch]":
        """The rows, read by this process."""
        return reading.here(self._selection, self.ranges, self.snapshot)

    def read(self, spark: SparkSession) -> DataFrame:
        """The rows, read by executors."""
        return reading.spread(spark, self._selection, self.ranges, self.snapshot)

    @property
    def _selection(self) -> Selection:
        return Selection(self.table.NAME, self.table.names())


def new(moment: Snapshot, table: type[Dataset], start: Offset) -> New | None:
    """What has come since an offset, if anything. Raises ``PlaceLost``."""
    source = TABLES[table.NAME]
    after = end(moment.connection, source, start, moment.horizon.place)
    if after == start:
        return None
    ranges = between(moment.connection, source, start, after)
    return New(table, ranges, moment.name, after)
