"""``spark.read.format("rollcall")``: a table of Rollcall's database, read by every executor.

Options: ``table`` (of ``sources.tables``), ``columns`` (some of them, by commas). Of a batch:
``snapshot`` (an exported one; without it each range is read at its own moment). Of a stream
(``spark.readStream``): ``rows`` (of a batch, at most), ``until`` (a place, "era,xid,id").
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import psycopg
from pyspark.sql.datasource import DataSource, DataSourceReader, Filter, InputPartition

from pipeline import config
from pipeline.sources import filters
from pipeline.sources.cursor import Connection, Place
from pipeline.sources.ranges import Range, Selection, ranges
from pipeline.sources.stream import ROWS_MAX, RollcallStreamReader
from pipeline.sources.tables import TABLES, SourceTable

if TYPE_CHECKING:
    import pyarrow as pa

LEAVES: Final = """
SELECT coalesce(pg_get_partition_constraintdef(c.oid), 'true'), 0,
       pg_relation_size(c.oid) / current_setting('block_size')::bigint
FROM pg_class c
WHERE c.relkind = 'r' AND (c.oid = %(relation)s::regclass
   OR c.oid IN (SELECT relid FROM pg_partition_tree(%(relation)s::regclass)))
ORDER BY c.oid
"""
"""The partitions of a relation (itself, if it is not partitioned) with their blocks. A partition is
read through its parent by the condition that its rows fulfil: rights are those of the parent."""


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

    def streamReader(self, schema: Any) -> RollcallStreamReader:  # noqa: N802  # Spark's name
        """One stream."""
        until = self.options.get("until", "")
        place = Place(*map(int, until.split(","))) if until else None
        rows = int(self.options.get("rows", ROWS_MAX))
        if rows < 1:
            raise ValueError(f"A batch has at least one row, not {rows}.")
        return RollcallStreamReader(Selection(self.options["table"], self._columns()), place, rows)

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


def whole(connection: Connection, table: SourceTable) -> Sequence[Range]:
    """Ranges of all blocks of a table."""
    leaves = [
        (place, *leaf)
        for place, source in enumerate(table.sources)
        for leaf in connection.execute(LEAVES, {"relation": source.relation}).fetchall()
    ]
    return ranges(leaves)


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
            return whole(connection, TABLES[self.table])

    def read(self, partition: InputPartition) -> Iterator["pa.RecordBatch"]:
        """The rows of one range, in Spark's types."""
        assert isinstance(partition, Range)
        selection = Selection(self.table, self.columns, self.conditions)
        return selection.read(partition, self.snapshot)
