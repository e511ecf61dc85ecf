"""``spark.read.format("rollcall")``: a table of Rollcall's database, read by every executor.

Options: ``table`` (of ``sources.tables``), ``columns`` (some of them, by commas), ``snapshot`` (an
exported one; without it each range is read at its own moment).

A range is a run of PostgreSQL's blocks, so ranges are alike in size whatever the numbers of the
rows are, and planning them reads nothing. Rows come by COPY in binary, as Arrow (ADBC), in batches
of bounded size. Executors find the database as every process does (``config.conninfo``): by their
environment or the data folder, so no plan, option or log has its password.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import sql
from pyspark.sql.datasource import DataSource, DataSourceReader, Filter, InputPartition

from pipeline import config
from pipeline.sources import filters
from pipeline.sources.tables import TABLES, SourceTable

if TYPE_CHECKING:
    import pyarrow as pa

RANGES: Final = 8
"""At least so many, if there is enough to read: work for a few executors."""

RANGE_BLOCKS_MIN: Final = 64
"""Half a megabyte: less is not worth a connection."""

RANGE_BLOCKS_MAX: Final = 8_192
"""64 MiB, a second or two of work: so much is read again when a task fails."""

LEAVES: Final = """
SELECT coalesce(pg_get_partition_constraintdef(c.oid), 'true'),
       pg_relation_size(c.oid) / current_setting('block_size')::bigint
FROM pg_class c
WHERE c.relkind = 'r' AND (c.oid = %(relation)s::regclass
   OR c.oid IN (SELECT relid FROM pg_partition_tree(%(relation)s::regclass)))
ORDER BY c.oid
"""
"""The partitions of a relation (itself, if it is not partitioned) with their blocks. A partition is
read through its parent by the condition that its rows fulfil: rights are those of the parent."""

WITHIN: Final = "ctid >= {first}::tid AND ctid < {end}::tid"


@dataclass
class Range(InputPartition):
    """Blocks of one partition, from ``first`` to before ``end``. ``leaf``: its rows' condition."""

    leaf: str
    first: int
    end: int


NOTHING: Final = Range("", 0, 0)
"""Spark wants a range to read, though there is nothing."""


def ranges(leaves: Sequence[tuple[str, int]]) -> list[Range]:
    """All blocks of all leaves, each in one range; at least one range."""
    total = sum(blocks for _, blocks in leaves)
    size = min(max(-(-total // RANGES), RANGE_BLOCKS_MIN), RANGE_BLOCKS_MAX)
    planned = [
        Range(leaf, first, min(first + size, blocks))
        for leaf, blocks in leaves
        for first in range(0, blocks, size)
    ]
    return planned or [NOTHING]


class RollcallSource(DataSource):
    """The format."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return "rollcall"

    def schema(self) -> str:
        """The columns that are asked for, in the table's order."""
        types = self._table().dataset.types()
        return ", ".join(f"`{name}` {types[name]}" for name in self._columns())

    def reader(self, schema: Any) -> "RollcallReader":
        """One read."""
        return RollcallReader(
            self.options["table"], self._columns(), self.options.get("snapshot", "")
        )

    def _table(self) -> SourceTable:
        name = self.options.get("table", "")
        if name not in TABLES:
            raise ValueError(f"There is no table {name!r}: the option table is one of {[*TABLES]}.")
        return TABLES[name]

    def _columns(self) -> list[str]:
        names = self._table().dataset.names()
        wanted = [name.strip() for name in self.options.get("columns", "").split(",")]
        if wanted == [""]:
            return names
        if odd := set(wanted) - {*names}:
            raise ValueError(f"The table has no column {', '.join(sorted(odd))}: {names}.")
        return [name for name in names if name in wanted]


class RollcallReader(DataSourceReader):
    """Plans ranges on the driver and reads them on executors."""

    def __init__(self, table: str, columns: Sequence[str], snapshot: str) -> None:
        self.table = table
        self.columns = columns
        self.snapshot = snapshot
        self.conditions: list[str] = []

    def pushFilters(self, filters_: list[Filter]) -> Iterable[Filter]:  # noqa: N802  # Spark's name
        """Take the filters that PostgreSQL can apply; the others remain Spark's."""
        for wanted in filters_:
            found = filters.condition(wanted, TABLES[self.table].expression)
            if found is None:
                yield wanted
            else:
                self.conditions.append(found.as_string())

    def partitions(self) -> Sequence[InputPartition]:
        """The ranges; no two tasks read the same row."""
        with psycopg.connect(config.conninfo()) as connection:
            relation = {"relation": TABLES[self.table].relation}
            return ranges(connection.execute(LEAVES, relation).fetchall())

    def read(self, partition: InputPartition) -> Iterator["pa.RecordBatch"]:
        """The rows of one range, in Spark's types."""
        assert isinstance(partition, Range)
        if partition.first == partition.end:
            return
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(config.conninfo()) as connection, connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            if self.snapshot:
                cursor.execute(f"SET TRANSACTION SNAPSHOT {sql.quote(self.snapshot)}")
            cursor.execute(self._statement(partition))
            for batch in cursor.fetch_record_batch():
                yield batch.rename_columns(list(self.columns))

    def _statement(self, blocks: Range) -> str:
        first, end = (f"({number},0)" for number in (blocks.first, blocks.end))
        within = sql.SQL(WITHIN).format(first=first, end=end)
        conditions = [within, *(sql.SQL(text) for text in (blocks.leaf, *self.conditions))]
        return TABLES[self.table].select(self.columns, conditions).as_string()
