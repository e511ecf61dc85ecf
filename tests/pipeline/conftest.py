"""The worker's own database with a journal in it, and Spark on the Java that is there."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests import rows
from tests.pipeline.journals import COLUMNS, Entry

HERE = Path(__file__).parent

Rows = list[tuple[Any, ...]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One process runs all of these: a Java at a time is enough."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(autouse=True)
def _prepared(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty journal, and an environment that leads to it."""
    rows.empty(database_url)
    monkeypatch.setenv("ROLLCALL_DATABASE_URL", database_url)
    monkeypatch.setenv("ROLLCALL_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("ROLLCALL_SPARK_MASTER", raising=False)


def write(url: str, entries: Iterable[Entry]) -> None:
    """Add entries to the journal."""
    columns = ", ".join(f'"{name}"' for name in COLUMNS)
    copy = f"COPY rollcall_journal ({columns}) FROM STDIN".encode()
    with (
        psycopg.connect(url) as connection,
        connection.cursor() as cursor,
        cursor.copy(copy) as copied,
    ):
        for entry in entries:
            copied.write_row(entry)


def report(url: str) -> Rows:
    """The rows of the newest report."""
    return query(
        url,
        "SELECT group_id, trigger, rebalances, duration_ms, longest_ms, waited_ms, slowest_member,"
        " partitions_moved, without_owner_ms FROM rollcall_rebalance_cost"
        " WHERE run_id = (SELECT max(id) FROM rollcall_report_run WHERE state = 'succeeded')",
    )


def oracle(url: str) -> Rows:
    """What the report must say."""
    return query(url, (HERE / "oracle.sql").read_text())


def query(url: str, statement: str) -> Rows:
    """All rows, sorted."""
    with psycopg.connect(url) as connection:
        return sorted(connection.execute(statement.encode()).fetchall())


def runs(url: str) -> Rows:
    """Every run in order: its state, events, who asked."""
    statement = "SELECT id, state, events, requested_by FROM rollcall_report_run ORDER BY id"
    return [row[1:] for row in query(url, statement)]
