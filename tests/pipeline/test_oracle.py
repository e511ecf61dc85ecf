"""Every table and every report against DuckDB, which computes them in another way."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import duckdb
import pytest
from pyspark.sql import SparkSession

from pipeline.session import SMALL
from pipeline.steps import run
from pipeline.steps.job import Done
from pipeline.steps.table import REPORTS, STEPS
from tests.pipeline import duck, facts
from tests.pipeline.conftest import COMPILING, query, write
from tests.pipeline.journals import TRIGGERS, Entry
from tests.pipeline.often import SEEDS
from tests.pipeline.test_increments import Analyse, analyse, journal

pytestmark = pytest.mark.timeout(600)

__all__ = ["analyse"]

Row = Mapping[str, Any]

SENTENCES = {"finding", "change", "what_if"}
"""Words, which the oracle does not write."""

REPORT = """
SELECT keys || figures || jsonb_build_object('period', period) FROM rollcall_report_run_row
WHERE report = '{}' AND run_id = {}
"""


def explained(chance: random.Random, entries: Iterable[Entry]) -> Iterable[Entry]:
    """The entries as this version writes them: completions with their causes, in shares."""
    for entry in entries:
        if entry["kind"] == "rebalance-completed" and chance.random() < 0.7:
            causes = [
                {"trigger": chance.choice(TRIGGERS), "ms": chance.choice([0, 1, 333, 2_000])}
                for _ in range(chance.randrange(4))
            ]
            entry = {**entry, "details": {**entry["details"], "why": {"causes": causes}}}
        yield entry


@pytest.fixture
def size(
    request: pytest.FixtureRequest, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The same data as a run takes little of it, with the session's settings for it, and as it
    takes much."""
    settings = {name: to for name, to in SMALL.items() if name.startswith("spark.sql.")}
    if request.param == "large":
        monkeypatch.setattr(run, "SMALL_BYTES", 0)
        settings = COMPILING
    before = {name: spark.conf.get(name) for name in settings}
    for name, to in settings.items():
        spark.conf.set(name, to)
    yield
    for name, was in before.items():
        spark.conf.set(name, was or "")


LIVES = [
    ("small", 1_500, 500, 1),
    ("large", 60_000, 20_000, 6),
    *((size, 1_500, 500, seed) for seed in range(2, SEEDS) for size in ("small", "large")),
]


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize(
    ("size", "entries", "events", "seed"),
    [pytest.param(*life, marks=pytest.mark.long if life != LIVES[0] else ()) for life in LIVES],
    indirect=["size"],
)
def test_every_table_is_that_of_the_oracle(
    spark: SparkSession, url: str, analyse: Analyse, entries: int, events: int, seed: int
) -> None:
    write(url, explained(random.Random(seed), journal(entries, 30, seed)))
    facts.write(url, facts.many(events, 6, seed))
    assert_oracle_agrees(spark, url, analyse(facts.END, is_incremental=False), facts.END)


MAY_BE_EMPTY: Sequence[str] = ("advice",)
"""By chance nobody may be told anything."""


def assert_oracle_agrees(
    spark: SparkSession,
    url: str,
    done: Done,
    at: datetime,
    may_be_empty: Sequence[str] = MAY_BE_EMPTY,
) -> None:
    """Every table and report of a run is what DuckDB makes of the same rows."""
    expected = duck.computed(url, at)
    for step in STEPS:
        if step.report is None:
            table = step.output.read(spark, done.tables[step.output.NAME])
            assert table.violations() == {}
            found = [row.asDict(recursive=True) for row in table.frame.collect()]
            wanted = duck.rows(expected, step.output.NAME)
            assert_same(found, wanted, step.output.NAME, may_be_empty)
    assert_reports_are(url, done.run_id, expected, may_be_empty)


def assert_reports_are(
    url: str,
    run_id: int,
    expected: duckdb.DuckDBPyConnection,
    may_be_empty: Sequence[str] = MAY_BE_EMPTY,
) -> None:
    """The rows that a run has stored are the expected ones."""
    for name in REPORTS:
        found = [row for (row,) in query(url, REPORT.format(name, run_id))]
        assert_same(found, duck.rows(expected, name), name, may_be_empty)


def assert_same(
    found: Iterable[Row],
    wanted: Iterable[Row],
    name: str,
    may_be_empty: Sequence[str] = MAY_BE_EMPTY,
) -> None:
    """They are the same rows, and there are any."""
    ours, theirs = plain(found), plain(wanted)
    assert theirs or name in may_be_empty, f"the oracle has no {name}"
    assert ([*(ours - theirs)][:2], [*(theirs - ours)][:2]) == ([], []), name


def plain(rows: Iterable[Row]) -> Counter[str]:
    """Rows as texts, with times of one kind."""
    return Counter(
        str({name: _plain(value) for name, value in sorted(row.items()) if name not in SENTENCES})
        for row in rows
    )


def _plain(value: Any) -> Any:
    if isinstance(value, str) and value[4:5] == "-" and value[10:11] == "T":
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime):
        aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return aware.astimezone(UTC).isoformat()
    return value
