"""Ranges of a table's blocks: how a read is divided among tasks, and how a task reads its own.

Ranges are alike in size whatever the numbers of the rows are, and planning them reads nothing. Rows
come by COPY in binary, as Arrow (ADBC), in batches of bounded size. Executors find the database as
every process does (``config.conninfo``): by their environment or the data folder, so no plan,
option or log has its password.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from psycopg import sql
from pyspark.sql.datasource import InputPartition

from pipeline import config
from pipeline.sources.tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa

RANGES: Final = 8
"""At least so many, if there is enough to read: work for a few executors."""

RANGE_BLOCKS_MIN: Final = 64
"""Half a megabyte: less is not worth a connection."""

RANGE_BLOCKS_MAX: Final = 8_192
"""64 MiB, a second or two of work: so much is read again when a task fails."""

WITHIN: Final = "p.ctid >= {first}::tid AND p.ctid < {end}::tid"


@dataclass
class Range(InputPartition):
    """Blocks of one partition of a source (its place among the table's), from ``first`` to before
    ``end``; ``only``: which of their rows."""

    source: int
    only: str
    first: int
    end: int


NOTHING: Final = Range(0, "", 0, 0)
"""Spark wants a range to read, though there is nothing."""


Leaf = tuple[int, str, int, int]
"""A partition: its source, the condition of its rows, the first block, the end."""


def ranges(leaves: Sequence[Leaf]) -> list[Range]:
    """All blocks of all leaves, each in one range; at least one range."""
    total = sum(end - first for _, _, first, end in leaves)
    size = min(max(-(-total // RANGES), RANGE_BLOCKS_MIN), RANGE_BLOCKS_MAX)
    planned = [
        Range(source, only, start, min(start + size, end))
        for source, only, first, end in leaves
        for start in range(first, end, size)
    ]
    return planned or [NOTHING]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is read of a table: its columns, and conditions in SQL that every row fulfils."""

    table: str
    columns: Sequence[str]
    conditions: Sequence[str] = ()

    def read(self, blocks: Range, snapshot: str = "") -> Iterator["pa.RecordBatch"]:
        """The rows of one range, in Spark's types; as of an exported snapshot, if one is named."""
        if blocks.first == blocks.end:
            return
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(config.conninfo()) as connection, connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            if snapshot:
                cursor.execute(f"SET TRANSACTION SNAPSHOT {sql.quote(snapshot)}")
            cursor.execute(self._statement(blocks))
            for batch in cursor.fetch_record_batch():
                yield batch.rename_columns(list(self.columns))

    def _statement(self, blocks: Range) -> str:
        first, end = (f"({number},0)" for number in (blocks.first, blocks.end))
        within = sql.SQL(WITHIN).format(first=first, end=end)
        conditions = [within, *(sql.SQL(text) for text in (blocks.only, *self.conditions))]
        return TABLES[self.table].select(self.columns, conditions, blocks.source).as_string()
