"""Days of facts that are packed are read like any others: each row once, in its order."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from operator import itemgetter

import psycopg
import pytest

from benchmarks.fact_rows import fleet, write
from pipeline.sources.ranges import Selection
from pipeline.sources.rollcall import RollcallReader
from pipeline.sources.stream import RollcallStreamReader
from pipeline.sources.tables import TABLES

Connection = psycopg.Connection[tuple[object, ...]]

DAY = datetime(2001, 1, 1, tzinfo=UTC)
TABLE = {
    "lives": "life",
    "ownership": "ownership",
    "rounds": "round",
    "silence_hours": "silence",
    "progress_hours": "progress",
}
PARTITION = """
CREATE TABLE rollcall_{0}_20010101 PARTITION OF rollcall_{0}
FOR VALUES FROM ('2001-01-01 00:00+00') TO ('2001-01-02 00:00+00')
"""
OVER = "INSERT INTO rollcall_fleet_hour VALUES (%s, 0, 0, 0, 0, '{}', '{}', '{}', '{}', '{}')"


@pytest.fixture
def connection(url: str) -> Iterator[Connection]:
    """A database with a day of two groups, and some rows of the next one."""
    with psycopg.connect(url, autocommit=True) as made:
        for name in TABLE.values():
            made.execute(PARTITION.format(name).encode())
        with made.cursor() as cursor:
            write(cursor, [*fleet("sticky", 2, DAY)])
        made.execute(OVER.encode(), (DAY + timedelta(hours=23),))
        yield made
        for name in (*TABLE.values(), "facts_packed"):
            made.execute(f"DROP TABLE IF EXISTS rollcall_{name}_20010101".encode())
            made.execute(f"TRUNCATE rollcall_{name}".encode())
        made.execute("TRUNCATE rollcall_facts_floor, rollcall_fleet_hour")
        made.execute("TRUNCATE rollcall_life_open, rollcall_ownership_open")


def streamed(table: str, rows: int) -> list[list[int]]:
    """The numbers of the rows of each batch."""
    columns = TABLES[table].dataset.names()
    reader = RollcallStreamReader(Selection(table, columns), None, rows)
    start, batches = reader.initialOffset(), []
    while (end := reader.latestOffset(start, reader.getDefaultReadLimit())) != start:
        parts = [part for blocks in reader.partitions(start, end) for part in reader.read(blocks)]
        batches.append(sorted(n for part in parts for n in part.column("id").to_pylist()))
        reader.commit(end)
        start = end
    return batches


def whole(table: str) -> list[dict[str, object]]:
    """Every row, by its number."""
    reader = RollcallReader(table, TABLES[table].dataset.names(), "")
    parts = [part for blocks in reader.partitions() for part in reader.read(blocks)]
    rows = [row for part in parts for row in part.to_pylist()]
    return sorted(rows, key=itemgetter("id"))


def test_packed_days_are_read_like_others(connection: Connection) -> None:
    before = {table: (whole(table), streamed(table, 200)) for table in TABLE}
    for rows, batches in before.values():
        assert len(rows) == sum(map(len, batches)) > 30
    while connection.execute("SELECT rollcall_pack_facts('1 hour')").fetchone() != (None,):
        pass
    for table, found in before.items():
        assert (whole(table), streamed(table, 200)) == found
