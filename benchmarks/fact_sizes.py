"""What a month of facts takes: 10,000 members in groups of fifty, each replaced once a day.

An invented day (``benchmarks.fact_rows``) of some groups in a PostgreSQL of its own, as it is
written and when it is packed, with all indexes; a month is 28.9 packed days and 26 hours that are
not packed yet. As many groups as rounds (40).
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psycopg

from benchmarks.fact_rows import ROUNDS, fleet, write
from benchmarks.options import Options
from launcher import postgres
from launcher.installation import CHECKOUT

GROUPS: Final = 40
FLEET: Final = 200
"""Groups of the installation whose month is told."""

DAY: Final = datetime(2001, 1, 1, tzinfo=UTC)
TABLES: Final = ("life", "ownership", "round", "silence", "progress")
UNPACKED_DAYS: Final = 26 / 24
DAYS: Final = 30

PARTITION: Final = """
CREATE TABLE rollcall_{0}_20010101 PARTITION OF rollcall_{0}
FOR VALUES FROM ('2001-01-01 00:00Z') TO ('2001-01-02 00:00Z')
"""
OVER: Final = """
INSERT INTO rollcall_fleet_hour
VALUES ('2001-01-01 23:00Z', 0, 0, 0, 0, '{}', '{}', '{}', '{}', '{}')
"""
SIZE: Final = "SELECT pg_total_relation_size(to_regclass(%s))"

Connection = psycopg.Connection[tuple[Any, ...]]


def main(options: Options) -> bool:
    """Figures alone; that nothing is lost, tests say."""
    groups = options.rounds or GROUPS
    for kind in ROUNDS:
        with _database() as url, psycopg.connect(url, autocommit=True) as connection:
            _measured(connection, kind, groups)
    return True


@contextmanager
def _database() -> Iterator[str]:
    with (
        tempfile.TemporaryDirectory(prefix="rollcall-facts-") as folder,
        postgres.serve(Path(folder) / "postgres", throwaway=True) as url,
    ):
        environment = {**os.environ, "ROLLCALL_DATABASE_URL": url, "ROLLCALL_DATA_DIR": folder}
        words = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(words, cwd=CHECKOUT, env=environment, check=True)
        yield url


def _measured(connection: Connection, kind: str, groups: int) -> None:
    for name in TABLES:
        connection.execute(PARTITION.format(name).encode())
    with connection.cursor() as cursor:
        write(cursor, [*fleet(kind, groups, DAY - timedelta(hours=1))])
    connection.execute(OVER.encode())
    raw = {name: _size(connection, name) / groups for name in TABLES}
    packed, before, took = dict.fromkeys(TABLES, 0.0), 0, -time.monotonic()
    while (done := _pack(connection)) is not None:
        size = _size(connection, "facts_packed")
        name = done.split("_")[1]
        packed[name] = packed.get(name, 0) + (size - before) / groups
        before = size
    took += time.monotonic()
    for name in TABLES:
        print(f"{kind} {name}: {raw[name]:,.0f} bytes a group and day, {packed[name]:,.0f} packed")
    month = sum(raw.values()) * UNPACKED_DAYS + sum(packed.values()) * (DAYS - UNPACKED_DAYS)
    print(
        f"{kind}: {sum(raw.values()):,.0f} bytes a group and day, {sum(packed.values()):,.0f}"
        f" packed in {1_000 * took / groups:.0f} ms; a month of {FLEET} groups:"
        f" {month * FLEET / 1e6:,.0f} MB, not packed {sum(raw.values()) * DAYS * FLEET / 1e6:,.0f}"
    )


def _pack(connection: Connection) -> str | None:
    """The table that was packed, or prepared; None if nothing is left."""
    found = connection.execute("SELECT rollcall_pack_facts('1 hour')").fetchone()
    return found[0] if found is not None else None


def _size(connection: Connection, name: str) -> int:
    found = connection.execute(SIZE, (f"rollcall_{name}_20010101",)).fetchone()
    return found[0] if found is not None else 0
