"""Rows that lie in several folders of Parquet files, of each folder those of some groups.

Little of it is read by this process, much by executors; both read the same files.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import reduce
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import dataset as arrow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from pipeline.datasets.dataset import Dataset
from pipeline.results import folders

GROUP: Final = "group_id"

FEW: Final = 1_000
"""So many groups are named in a condition; more are joined."""


TYPES: Final[Mapping[str, pa.DataType]] = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "int": pa.int32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
"""Spark's types, as its files have them."""


def arrow_type(kind: str) -> pa.DataType:
    """A type of a column in Spark's DDL: a plain one, an array, or a struct of plain ones. Spark
    itself could tell only where Java runs."""
    if kind.startswith("array<"):
        return pa.list_(pa.field("element", arrow_type(kind[len("array<") : -1])))
    if kind.startswith("struct<"):
        fields = (field.split(":") for field in kind[len("struct<") : -1].split(","))
        return pa.struct([(name, TYPES[of]) for name, of in fields])
    return TYPES[kind]


@dataclass(frozen=True, slots=True)
class Part:
    """A folder: the rows of groups ``of`` (None: of all), but of none of ``without``."""

    address: str
    of: frozenset[str] | None = None
    without: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Parts:
    """Rows of a table, from the day ``since`` on, if one is named: by the column ``at``."""

    table: type[Dataset]
    parts: Sequence[Part]
    since: date | None = None

    def count(self, limit: int) -> int:
        """How many rows there are; not counted to the end where there are more than so many."""
        total = 0
        for part, files in self._files():
            total += files.count_rows(filter=self._condition(part))
            if total > limit:
                break
        return total

    def batches(
        self, columns: Sequence[str] | None = None, only: pc.Expression | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows, or some columns of those that fulfil a condition, read by this process."""
        for part, files in self._files():
            wanted = [one for one in (only, self._condition(part)) if one is not None]
            condition = reduce(pc.Expression.__and__, wanted) if wanted else None
            yield from files.to_batches(columns=columns, filter=condition)

    def reader(self) -> pa.RecordBatchReader:
        """The same as a stream of batches."""
        return pa.RecordBatchReader.from_batches(self.schema, self.batches())

    def here(self, spark: SparkSession) -> DataFrame:
        """The rows, read by this process, in one task."""
        rows = pa.Table.from_batches(self.batches(), self.schema)
        if not rows.num_rows:
            return spark.createDataFrame([], self.table.ddl()).coalesce(1)
        return spark.createDataFrame(rows, self.table.ddl()).coalesce(1)

    def read(self, spark: SparkSession) -> DataFrame:
        """The rows, read by executors."""
        if not self.parts:
            return spark.createDataFrame([], self.table.ddl())
        return reduce(DataFrame.union, (self._read(spark, part) for part in self.parts))

    def _read(self, spark: SparkSession, part: Part) -> DataFrame:
        rows = spark.read.schema(self.table.ddl()).parquet(part.address)
        if self.since is not None:
            rows = rows.filter(f.col("at") >= f.lit(self.since).cast("timestamp"))
        if part.of is not None:
            rows = _some(rows, part.of, "left_semi")
        return _some(rows, part.without, "left_anti") if part.without else rows

    def _files(self) -> Iterator[tuple[Part, arrow.Dataset]]:
        for part in self.parts:
            files, folder = folders.opened(part.address)
            yield part, arrow.dataset(folder, self.schema, filesystem=files, format="parquet")

    @property
    def schema(self) -> pa.Schema:
        """The columns, in Arrow's types."""
        return pa.schema([(name, arrow_type(kind)) for name, kind in self.table.types().items()])

    def _condition(self, part: Part) -> pc.Expression | None:
        group = arrow.field(GROUP)
        wanted = []
        if self.since is not None:
            wanted.append(arrow.field("at") >= datetime.combine(self.since, time.min, UTC))
        if part.of is not None:
            wanted.append(group.isin(pa.array(sorted(part.of), pa.string())))
        if part.without:
            wanted.append(~group.isin(pa.array(sorted(part.without), pa.string())))
        return reduce(pc.Expression.__and__, wanted) if wanted else None


def _some(rows: DataFrame, groups: Collection[str], how: str) -> DataFrame:
    """The rows of these groups, or (``left_anti``) of the others."""
    if len(groups) <= FEW:
        named = f.col(GROUP).isin(*sorted(groups))
        return rows.filter(named if how == "left_semi" else ~named)
    names = rows.sparkSession.createDataFrame([(name,) for name in groups], f"{GROUP} string")
    return rows.join(f.broadcast(names), GROUP, how)
