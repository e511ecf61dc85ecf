"""The journal as a Spark data source: ranges of ids, each read by COPY into Arrow batches.

A reader needs only psycopg and pyarrow: no jar, and no row becomes a Python object. All ranges of
one read use one snapshot of PostgreSQL, so an entry is read once or not at all, and a retried task
reads the same. Does not know what entries mean.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from pipeline.schemas import JOURNAL, columns

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "rollcall_journal"

RANGES = 8
"""At least so many if there is enough to read: work for a few executors."""

RANGE_IDS_MIN = 5_000
"""A smaller range is not worth a connection."""

RANGE_IDS_MAX = 100_000
"""A range is held in memory as text and as Arrow: some tens of megabytes at the most."""

BLOCK_BYTES = 8 << 20
"""No entry is longer than a block; pyarrow would reject it."""

# Held until the last range is read: other sessions can use the snapshot only that long.
FREEZE = """
SELECT pg_export_snapshot(), coalesce(min(id), 1), coalesce(max(id), 0),
       count(*) FILTER (WHERE group_id <> '')
FROM rollcall_journal
"""

COPY = """
COPY (
    SELECT id, (extract(epoch FROM at) * 1000000)::bigint, group_id, kind, trigger, reason,
           client_reason, member_id, client_id, generation_before, generation_after, duration_ms,
           waited_for, (details ->> 'members')::int, (details ->> 'moved')::bigint,
           (details ->> 'waited_for_count')::int, (details ->> 'unowned_longest_ms')::bigint
    FROM rollcall_journal WHERE id BETWEEN {first} AND {last} AND group_id <> ''
) TO STDOUT (FORMAT csv)
"""

ARROW = {"bigint": "int64", "int": "int32", "string": "string", "timestamp": "int64"}
"""How each type of ``JOURNAL`` is parsed; a timestamp comes as microseconds."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """The journal at one moment: the snapshot's name, the first and last id of all entries, and how
    many are about groups."""

    conninfo: str
    snapshot: str
    first: int
    last: int
    events: int

    def read(self, spark: SparkSession) -> DataFrame:
        """Its entries about groups, with the columns of ``schemas.JOURNAL``."""
        spark.dataSource.register(JournalSource)
        return spark.read.format(NAME).options(**asdict(self)).load()


@contextmanager
def frozen(conninfo: str) -> Iterator[Frozen]:
    """The journal as it is now, until the block ends.

    It has no entry whose transaction is open now, whatever its id: a later read has it.
    """
    with psycopg.connect(conninfo) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        row = connection.execute(FREEZE).fetchone()
        assert row is not None
        yield Frozen(conninfo, *row)


@dataclass
class Range(InputPartition):
    """Ids from ``first`` to ``last``, both included."""

    first: int
    last: int


def ranges(first: int, last: int) -> list[Range]:
    """The ids of a read in ranges of the same size; at least one range, possibly empty."""
    size = min(max(-(-(last - first + 1) // RANGES), RANGE_IDS_MIN), RANGE_IDS_MAX)
    id_ranges = [Range(at, min(at + size - 1, last)) for at in range(first, last + 1, size)]
    return id_ranges or [Range(first, last)]


class JournalSource(DataSource):
    """``spark.read.format("rollcall_journal")``, with the fields of ``Frozen`` as options."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return NAME

    def schema(self) -> str:
        """The columns."""
        return JOURNAL

    def reader(self, schema: Any) -> "JournalReader":
        """One read of a frozen journal."""
        options = self.options
        first, last, events = (int(options[name]) for name in ("first", "last", "events"))
        return JournalReader(Frozen(options["conninfo"], options["snapshot"], first, last, events))


class JournalReader(DataSourceReader):
    """Plans ranges on the driver and reads them on executors."""

    def __init__(self, journal: Frozen) -> None:
        self.journal = journal

    def partitions(self) -> list[InputPartition]:
        """The ranges; no two tasks read the same entry."""
        return [*ranges(self.journal.first, self.journal.last)]

    def read(self, partition: InputPartition) -> Iterator["pa.RecordBatch"]:
        """The entries of one range."""
        assert isinstance(partition, Range)
        text = _copied(self.journal, partition)
        if text:
            yield from parse(text).to_batches()


def _copied(journal: Frozen, ids: Range) -> bytes:
    see = sql.SQL("SET TRANSACTION SNAPSHOT {}").format(journal.snapshot)
    copy = sql.SQL(COPY).format(first=ids.first, last=ids.last)
    with psycopg.connect(journal.conninfo) as connection, connection.cursor() as cursor:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        cursor.execute(see)
        with cursor.copy(copy) as copied:
            return b"".join(copied)


def parse(text: bytes) -> "pa.Table":
    """PostgreSQL's CSV as an Arrow table; an empty text is quoted there, a NULL is not."""
    import pyarrow as pa
    from pyarrow import csv

    types = {name: pa.type_for_alias(ARROW[kind]) for name, kind in columns(JOURNAL)}
    table = csv.read_csv(
        io.BytesIO(text),
        read_options=csv.ReadOptions(column_names=list(types), block_size=BLOCK_BYTES),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=types,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    position = table.schema.get_field_index("at")
    at = table.column(position).cast(pa.timestamp("us", "UTC"))
    return table.set_column(position, "at", at)
