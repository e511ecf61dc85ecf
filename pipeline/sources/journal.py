"""The journal as a Spark data source: ranges of ids, each read by COPY into Arrow batches.

A reader needs only psycopg and pyarrow: no jar, and no row becomes a Python object. All ranges of
one read use one snapshot of PostgreSQL, so an entry is read once or not at all, and a retried task
reads the same. Does not know what entries mean.
"""

import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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

BLOCK_IDS = 5_000
"""Ids of a block, and about the entries of the smallest range: less is not worth a connection."""

RANGE_ENTRIES_MAX = 100_000
"""A range is held in memory as text and as Arrow: some tens of megabytes at the most."""

BLOCK_BYTES = 8 << 20
"""No entry is longer than a block; pyarrow would reject it."""

# Held until the last range is read: other sessions can use the snapshot only that long.
FREEZE = "SELECT pg_export_snapshot()"

# Only blocks with entries: retention, crashes and restored sequences leave gaps of any size. They
# are few, which the planner cannot know: it would rather sort the journal.
BLOCKS = """
SELECT min(id), max(id), count(*), count(*) FILTER (WHERE group_id <> '')
FROM rollcall_journal GROUP BY id / {ids} ORDER BY 1
"""

COPY = """
COPY (
    SELECT id, (extract(epoch FROM at) * 1000000)::bigint, group_id, kind, trigger, reason,
           client_reason, member_id, client_id, generation_before, generation_after, duration_ms,
           waited_for, (details ->> 'members')::int, (details ->> 'moved')::bigint,
           (details ->> 'waited_for_count')::int, (details ->> 'unowned_longest_ms')::bigint
    FROM rollcall_journal WHERE id BETWEEN {first} AND {last} AND group_id <> '' AND {wanted}
) TO STDOUT (FORMAT csv)
"""

ARROW = {"bigint": "int64", "int": "int32", "string": "string", "timestamp": "int64"}
"""How each type of ``JOURNAL`` is parsed; a timestamp comes as microseconds."""


@dataclass
class Range(InputPartition):
    """Ids from ``first`` to ``last``, both included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Frozen:
    """The journal at one moment: the snapshot's name, the ranges of its ids, the last id, and how
    many entries are about groups."""

    conninfo: str
    snapshot: str
    ranges: list[Range]
    last: int
    events: int

    def read(self, spark: SparkSession, kinds: Sequence[str] = ()) -> DataFrame:
        """Its entries about groups, with the columns of ``schemas.JOURNAL``; of some kinds only if
        any are named: details of other kinds may be of any type."""
        spark.dataSource.register(JournalSource)
        options = {
            "conninfo": self.conninfo,
            "snapshot": self.snapshot,
            "ranges": json.dumps([(ids.first, ids.last) for ids in self.ranges]),
            "kinds": json.dumps([*kinds]),
        }
        return spark.read.format(NAME).options(**options).load()


@contextmanager
def frozen(conninfo: str) -> Iterator[Frozen]:
    """The journal as it is now, until the block ends.

    It has no entry whose transaction is open now, whatever its id: a later read has it.
    """
    with psycopg.connect(conninfo) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        connection.execute("SET LOCAL enable_sort = off")
        row = connection.execute(FREEZE).fetchone()
        assert row is not None
        rows = connection.execute(sql.SQL(BLOCKS).format(ids=BLOCK_IDS)).fetchall()
        found = ranges([(first, last, entries) for first, last, entries, _ in rows])
        last = rows[-1][1] if rows else 0
        yield Frozen(conninfo, row[0], found, last, sum(events for *_, events in rows))


def ranges(blocks: Sequence[tuple[int, int, int]]) -> list[Range]:
    """Ranges with about the same number of entries; a block is its first id, its last id, and its
    entries. At least one range, possibly empty."""
    total = sum(entries for *_, entries in blocks)
    most = min(max(-(-total // RANGES), BLOCK_IDS), RANGE_ENTRIES_MAX)
    found: list[Range] = []
    held = 0
    for first, last, entries in blocks:
        if found and held + entries <= most:
            found[-1].last = last
            held += entries
        else:
            found.append(Range(first, last))
            held = entries
    return found or [Range(1, 0)]


class JournalSource(DataSource):
    """``spark.read.format("rollcall_journal")``, with the options of ``Frozen.read``."""

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
        id_ranges = [Range(first, last) for first, last in json.loads(options["ranges"])]
        kinds = json.loads(options["kinds"])
        return JournalReader(options["conninfo"], options["snapshot"], id_ranges, kinds)


class JournalReader(DataSourceReader):
    """Plans ranges on the driver and reads them on executors."""

    def __init__(
        self, conninfo: str, snapshot: str, ids: list[Range], kinds: Sequence[str]
    ) -> None:
        self.conninfo = conninfo
        self.snapshot = snapshot
        self.ids = ids
        self.kinds = kinds

    def partitions(self) -> list[InputPartition]:
        """The ranges; no two tasks read the same entry."""
        return [*self.ids]

    def read(self, partition: InputPartition) -> Iterator["pa.RecordBatch"]:
        """The entries of one range."""
        assert isinstance(partition, Range)
        text = self._copied(partition)
        if text:
            yield from parse(text).to_batches()

    def _copied(self, ids: Range) -> bytes:
        see = sql.SQL("SET TRANSACTION SNAPSHOT {}").format(self.snapshot)
        wanted = sql.SQL("kind = ANY({})").format([*self.kinds]) if self.kinds else sql.SQL("true")
        copy = sql.SQL(COPY).format(first=ids.first, last=ids.last, wanted=wanted)
        with psycopg.connect(self.conninfo) as connection, connection.cursor() as cursor:
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
