"""One moment of the database, at which every executor reads."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import psycopg
import pyarrow as pa
from psycopg import sql
from pyspark.sql import DataFrame, SparkSession

from pipeline.datasets.journal import Journal
from pipeline.sources import reading
from pipeline.sources.cursor import Connection, Horizon, horizon
from pipeline.sources.ranges import Range, Selection
from pipeline.sources.rollcall import whole
from pipeline.sources.tables import LOCK, TABLES

# Held until the last range is read: other sessions can use the snapshot only that long.
FREEZE: Final = "SELECT pg_export_snapshot(), clock_timestamp()"

COUNT: Final = "SELECT count(*), coalesce(max(id), 0) FROM rollcall_journal WHERE group_id <> ''"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The snapshot's name, and its time by the database's clock; where the journal is among the
    tables, how many entries about groups it has, and the number of the last one; its connection,
    and the horizon that it sees."""

    name: str
    at: datetime
    events: int
    last: int
    connection: Connection
    horizon: Horizon

    def read(self, spark: SparkSession, table: str, groups: Sequence[str] = ()) -> DataFrame:
        """The rows that the table has at this moment, of all groups or of some, read by
        executors."""
        return reading.spread(spark, *self._planned(table, groups), self.name)

    def read_here(self, spark: SparkSession, table: str) -> DataFrame:
        """The same of all groups, read by this process: of little data. Spark starts no Python for
        it."""
        dataset = TABLES[table].dataset
        batches = [*reading.here(*self._planned(table), self.name)]
        if not batches:
            return spark.createDataFrame([], dataset.ddl())
        return spark.createDataFrame(pa.Table.from_batches(batches), dataset.ddl())

    def _planned(self, table: str, groups: Sequence[str] = ()) -> tuple[Selection, Sequence[Range]]:
        names = sql.SQL(", ").join(map(sql.Literal, groups))
        only = [sql.SQL("group_id IN ({})").format(names).as_string()] if groups else []
        ranges = whole(self.connection, TABLES[table])
        return Selection(table, TABLES[table].dataset.names(), only), ranges


@contextmanager
def snapshot(conninfo: str, tables: Sequence[str] = tuple(TABLES)) -> Iterator[Snapshot]:
    """The tables as they are now, until the block ends.

    They have no row whose transaction is open now, whatever its number: a later read has it.
    """
    with psycopg.connect(conninfo) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        for table in tables:
            for source in TABLES[table].sources:
                connection.execute(sql.SQL(LOCK).format(sql.Identifier(source.relation)))
        ((name, at),) = connection.execute(FREEZE).fetchall()
        counted = connection.execute(COUNT) if Journal.NAME in tables else None
        ((events, last),) = counted.fetchall() if counted is not None else [(0, 0)]
        yield Snapshot(name, at, events, last, connection, horizon(connection))
