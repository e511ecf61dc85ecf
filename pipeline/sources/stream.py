"""``spark.readStream.format("rollcall")``: the rows of a table in their order, as they come.

Offsets are places (``sources.cursor``) with the name of their history, so the same two offsets
give the same rows whenever they are read. The driver plans ranges of blocks, executors read them;
from the plan until the batch is committed nobody may rewrite the table or drop a partition.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import sql
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from pipeline import config
from pipeline.sources import cursor
from pipeline.sources.cursor import BEGIN, Connection, Place, Seen
from pipeline.sources.ranges import Leaf, Range, Selection, ranges
from pipeline.sources.tables import LOCK, TABLES, SourceTable

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_MAX: Final = 2_000_000
"""Of a batch: so much is read and written again after a failure."""

OFFSETS: Final = 2
"""The form of offsets, and of what incremental runs keep; one more wherever an older one cannot be
read."""

EXTENTS: Final = """
SELECT coalesce(pg_get_partition_constraintdef(tableoid), 'true'), first, past + 1 FROM (
    SELECT p.tableoid, (min(p.ctid)::text::point)[0]::bigint AS first,
           (max(p.ctid)::text::point)[0]::bigint AS past
    FROM {rows} WHERE {conditions} GROUP BY p.tableoid) AS extent
ORDER BY tableoid
"""
"""The partitions in which rows lie, with their first and last blocks: new rows lie at the end."""

Offset = dict[str, Any]


class RollcallStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans batches and ranges on the driver, and reads them on executors. ``until``: read nothing
    beyond this place, though there is more."""

    def __init__(self, selection: Selection, until: Place | None, rows: int) -> None:
        self.selection = selection
        self.until = until
        self.rows = rows
        self._holding: Connection | None = None

    def initialOffset(self) -> Offset:  # noqa: N802  # Spark's names, here and below
        """Before the first row."""
        return START

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """That of the option ``rows``."""
        return ReadMaxRows(self.rows)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """From now on, what is there now is all."""
        with _connection() as connection:
            found = cursor.horizon(connection).place
        self.until = min(found, self.until or found)

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:  # noqa: N802
        """The end of the next batch; ``start`` if there is nothing new. Raises ``PlaceLost``."""
        rows = None if isinstance(limit, ReadAllAvailable) else self.rows
        if isinstance(limit, ReadMaxRows):
            rows = limit.max_rows
        with _connection() as connection:
            found = cursor.horizon(connection).place
            until = min(found, self.until or found)
            return end(connection, TABLES[self.selection.table], start, until, rows)

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """Ranges of blocks with the rows between the offsets. Raises ``PlaceLost``."""
        self.stop()
        table = TABLES[self.selection.table]
        self._holding = connection = psycopg.connect(config.conninfo())
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        for source in table.sources:
            connection.execute(sql.SQL(LOCK).format(sql.Identifier(source.relation)))
        cursor.check(connection, table, _seen(start))
        return between(connection, table, start, end)

    def read(self, partition: InputPartition) -> Iterator["pa.RecordBatch"]:
        """The rows of one range."""
        assert isinstance(partition, Range)
        return self.selection.read(partition)

    def commit(self, end: Offset) -> None:
        """Spark has what it planned."""
        self.stop()

    def stop(self) -> None:
        """Let the table go."""
        if self._holding is not None:
            self._holding.close()
            self._holding = None


def end(
    connection: Connection, table: SourceTable, start: Offset, until: Place, rows: int | None = None
) -> Offset:
    """The offset after what is new up to a place, or after so many rows of it; ``start`` if there
    is nothing. Raises ``PlaceLost``."""
    seen = _seen(start)
    floor = cursor.floor(connection, table)  # what is deleted from now on is a gap
    cursor.check(connection, table, seen)
    place = cursor.last(connection, table, seen.place, until, rows)
    if place is None:
        return start
    return _offset(Seen(place, cursor.jumps(connection)[place.era], floor))


def between(
    connection: Connection, table: SourceTable, start: Offset, end: Offset
) -> Sequence[Range]:
    """Ranges of blocks with the rows between two offsets, the last included."""
    after, until = _seen(start).place, _seen(end).place
    leaves: list[Leaf] = []
    for place, source in enumerate(table.sources):
        wanted = cursor.within(after, until, source)
        query = sql.SQL(EXTENTS).format(rows=sql.SQL(source.rows), conditions=wanted)
        only = wanted.as_string()
        for leaf, first, past in connection.execute(query).fetchall():
            leaves.append((place, f"({leaf}) AND {only}", first, past))
    return ranges(leaves)


def _connection() -> "closing[Connection]":
    return closing(psycopg.connect(config.conninfo(), autocommit=True))


def _offset(seen: Seen) -> Offset:
    return {**seen.place._asdict(), "jump": seen.jump, "floor": [*(seen.floor or ())]}


def _seen(offset: Offset) -> Seen:
    floor = Place(*offset["floor"]) if offset["floor"] else None
    return Seen(Place(offset["era"], offset["xid"], offset["id"]), offset["jump"], floor)


START: Final = _offset(Seen(BEGIN))
"""Before the first row."""
