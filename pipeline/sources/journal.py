"""The journal as a Spark data source: ranges of ids, each read by COPY into Arrow batches.

A reader needs nothing but psycopg and pyarrow: no jar, and no row becomes a Python object.
Options: ``conninfo`` (libpq's), ``upper`` (the last id to read), ``ranges`` (how many at most).
"""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import psycopg
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from pipeline.schemas import JOURNAL

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "rollcall_journal"

RANGES = 8
RANGE_IDS_MIN = 5_000
"""A smaller range is not worth a connection."""

SELECT = """
COPY (
    SELECT id, (extract(epoch FROM at) * 1000000)::bigint, group_id, node_id, kind, trigger, reason,
           member_id, client_id, generation_before, generation_after, duration_ms, waited_for,
           (details ->> 'members')::int, (details ->> 'moved')::bigint
    FROM rollcall_journal WHERE id BETWEEN {first} AND {last} AND group_id <> ''
) TO STDOUT (FORMAT csv)
"""

BOUNDS = "SELECT min(id), max(id) FROM rollcall_journal WHERE id <= %s"


class Range(InputPartition):
    """Ids from ``first`` to ``last``, both included."""

    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.last = last


class JournalSource(DataSource):
    """``spark.read.format("rollcall_journal")``."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return NAME

    def schema(self) -> str:
        """The columns."""
        return JOURNAL

    def reader(self, schema: Any) -> "JournalReader":
        """One read; Spark hands options over in lower case."""
        return JournalReader(
            self.options["conninfo"],
            int(self.options["upper"]),
            int(self.options.get("ranges", RANGES)),
        )


class JournalReader(DataSourceReader):
    """Plans ranges on the driver and reads them on executors."""

    def __init__(self, conninfo: str, upper: int, ranges: int) -> None:
        self.conninfo = conninfo
        self.upper = upper
        self.ranges = ranges

    def partitions(self) -> list[InputPartition]:
        """Ranges of about the same number of ids."""
        with psycopg.connect(self.conninfo) as connection:
            row = connection.execute(BOUNDS, [self.upper]).fetchone()
        if row is None or row[0] is None:
            return [Range(0, -1)]
        first, last = row
        size = max(RANGE_IDS_MIN, -(-(last - first + 1) // self.ranges))
        return [Range(at, min(at + size - 1, last)) for at in range(first, last + 1, size)]

    def read(self, partition: InputPartition) -> Iterator["pa.RecordBatch"]:
        """The rows of one range."""
        import pyarrow as pa
        from pyarrow import csv

        assert isinstance(partition, Range)
        query = SELECT.format(first=partition.first, last=partition.last)
        with (
            psycopg.connect(self.conninfo) as connection,
            connection.cursor() as cursor,
            cursor.copy(query.encode()) as copied,
        ):
            text = io.BytesIO(b"".join(map(bytes, copied)))
        if not text.getbuffer().nbytes:
            return
        table = csv.read_csv(
            text,
            read_options=csv.ReadOptions(column_names=[name for name, _ in columns()]),
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types=dict(columns()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
        at = table.column("at").cast(pa.timestamp("us", "UTC"))
        yield from table.set_column(1, "at", at).to_batches()


def columns() -> list[tuple[str, Any]]:
    """The columns of ``JOURNAL`` as Arrow types; the time as microseconds."""
    import pyarrow as pa

    kinds = {"bigint": pa.int64(), "int": pa.int32(), "string": pa.string()}
    pairs = (column.split() for column in JOURNAL.split(","))
    return [(name, kinds.get(kind, pa.int64())) for name, kind in pairs]
