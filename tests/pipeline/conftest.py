"""The worker's own database with a journal in it, and one Spark session for all tests."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import psycopg
import pytest
from pyspark.sql import SparkSession

from pipeline import config
from pipeline.datasets.cost import Cost
from pipeline.session import little, session
from tests import rows
from tests.pipeline.journals import COLUMNS, Entry, row
from tests.pipeline.transactions import settle

ORACLE = (Path(__file__).parent / "oracle.sql").read_text()

Rows = list[tuple[Any, ...]]

COSTS = [name for name in Cost.names() if name != "period"]


SHORT_LIVES = "-XX:TieredStopAtLevel=1"
"""A Java that ends after seconds only pays for compiling well. Two thirds of the time without."""


COMPILING = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
"""Spark's own values."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Who uses the session runs in the worker that has it; everything else here runs in any."""
    if "spark" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="package", autouse=True)
def _java() -> Iterator[None]:
    """Every Java that a test here starts reads these options; its temporary files lie where ours
    do: it does not read TMPDIR, and /tmp may be closed to us."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", f'{SHORT_LIVES} "-Djava.io.tmpdir={gettempdir()}"')
        yield


@pytest.fixture(scope="package")
def spark(database_url: str) -> Iterator[SparkSession]:
    """One session; it takes longer to start than all stories together. Its executors find the
    worker's database by the environment in which Java starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROLLCALL_DATABASE_URL", database_url)
        with session() as made, little(made):
            made.conf.set("spark.sql.shuffle.partitions", "2")  # for a few rows, as many tasks
            yield made


@pytest.fixture
def compiling(spark: SparkSession) -> Iterator[None]:
    """As for much data, Spark generates code and compiles it, which for the few rows of a test
    takes longer than what the code does. A run of little data does without, as the session does."""
    before = {name: spark.conf.get(name) for name in COMPILING}
    for name, value in COMPILING.items():
        spark.conf.set(name, value)
    yield
    for name, was in before.items():
        spark.conf.set(name, was or "")


@pytest.fixture
def url(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """A database with an empty journal, and an environment that leads to it. The pages are tested
    without a report: none is left behind."""
    rows.empty(database_url)
    monkeypatch.setenv("ROLLCALL_DATABASE_URL", database_url)
    monkeypatch.setenv("ROLLCALL_DATA_DIR", str(tmp_path))
    yield database_url
    rows.empty(database_url)


@pytest.fixture
def conninfo(url: str) -> str:
    """The same with the role of analyses, as the pipeline connects."""
    return config.conninfo()


def write(url: str, entries: Iterable[Entry], *, is_settled: bool = True) -> None:
    """Add entries to the journal; by default a stream reads them from then on."""
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    copy = f"COPY rollcall_journal ({names}) FROM STDIN".encode()
    with (
        psycopg.connect(url) as connection,
        connection.cursor() as cursor,
        cursor.copy(copy) as copied,
    ):
        for entry in entries:
            copied.write_row(row(entry))
    if is_settled:
        settle(url)


def query(url: str, statement: str, before: str = "") -> Rows:
    """All rows of a statement."""
    with psycopg.connect(url) as connection:
        if before:
            connection.execute(before.encode())
        return connection.execute(statement.encode()).fetchall()


def report(url: str) -> Rows:
    """The rows of the newest report of cost, of all time."""
    columns = ", ".join(_stored(name) for name in COSTS)
    return query(
        url,
        f"SELECT {columns} FROM rollcall_report_run_row WHERE report = 'cost' AND period = 'all'"
        " AND run_id = (SELECT max(id) FROM rollcall_report_run WHERE state = 'succeeded')"
        """ ORDER BY keys ->> 'group_id', keys ->> 'trigger' COLLATE "C\"""",
    )


def _stored(name: str) -> str:
    column = "keys" if name in Cost.KEY else "figures"
    kind = "::bigint" if Cost.types()[name] == "bigint" else ""
    return f"({column} ->> '{name}'){kind}"


def oracle(url: str) -> Rows:
    """What the newest report must say."""
    columns = ", ".join(COSTS)
    return query(url, f'SELECT {columns} FROM cost ORDER BY group_id, trigger COLLATE "C"', ORACLE)


def runs(url: str) -> Rows:
    """Every run in order: its state, what it read, its detail."""
    return query(url, "SELECT state, events, detail FROM rollcall_report_run ORDER BY id")
