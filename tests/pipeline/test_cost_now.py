"""The cost that the web computes by SQL equals the pipeline's, on the same journal."""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

from console.queries import cost_now
from console.queries.reports import Report
from pipeline.datasets.cost import Cost
from pipeline.datasets.journal import Journal
from pipeline.results.rows import described
from pipeline.sources.snapshot import snapshot
from pipeline.steps import cost as step
from pipeline.steps.rebalances import rebalances
from tests.pipeline.conftest import write
from tests.pipeline.journals import BEGIN, TRIGGERS, Entry, entry, many

pytestmark = pytest.mark.timeout(300)

SLOWER = 400
"""So that some thousand entries last for days."""

NAMES = [column.name for column in (*cost_now.COST.keys, *cost_now.COST.figures)]

Rows = list[tuple[Any, ...]]


@pytest.fixture
def _web(django_db_blocker: Any) -> Iterator[None]:
    """Django reads what other connections have committed."""
    with django_db_blocker.unblock():
        yield


def odd(count: int, seed: int) -> Iterator[Entry]:
    """Days of entries, many of them with several causes, some of them of no use."""
    chance = random.Random(seed)
    for each in many(count, groups=40, seed=seed):
        at = BEGIN + SLOWER * (each["at"] - BEGIN)
        yield {**each, "at": at, "details": {**each["details"], **why(chance)}}


def why(chance: random.Random) -> Entry:
    """Causes repeat, and some have no time."""
    names = chance.choices(TRIGGERS, k=chance.randrange(4))
    causes = [{"trigger": name, "ms": chance.choice([0, 1, 7, 3_000])} for name in names]
    return chance.choice([{}, {"why": {}}, {"why": {"causes": causes}}])


def by_spark(spark: SparkSession, conninfo: str, at: datetime) -> Mapping[str, Rows]:
    """The pipeline's rows by period."""
    found = defaultdict[str, Rows](list)
    with snapshot(conninfo) as moment:
        journal = Journal(moment.read(spark, Journal.NAME))
        made = step.cost(rebalances(journal, at), at).frame
        for period, *row in made.select("period", *NAMES).collect():
            found[period].append(tuple(row))
    return {period: sorted(rows) for period, rows in found.items()}


def by_sql(rows: Any) -> Rows:
    """Rows in memory, alike."""
    both = ({**row.keys, **row.figures} for row in rows)
    return sorted(tuple(row[name] for name in NAMES) for row in both)


@pytest.mark.usefixtures("_web")
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_sql_and_spark_compute_the_same(
    spark: SparkSession, url: str, conninfo: str, seed: int
) -> None:
    write(url, odd(4_000, seed))
    at = BEGIN + timedelta(hours=50)
    expected = by_spark(spark, conninfo, at)
    for period in ("all", "24h", "7d"):
        found = cost_now.cost(period, at=at)
        assert not found.is_cut
        assert by_sql(found.table.rows) == expected[period]
        if period != "all":
            assert by_sql(found.table.before) == expected.get(f"{period}-before", [])
    assert len(cost_now.cost("24h", at=at).table.rows) > 40
    assert by_sql(cost_now.cost("24h", at=at).table.before or ()) != []


@pytest.mark.usefixtures("_web")
def test_of_a_large_journal_the_newest_entries_are_read(
    spark: SparkSession, url: str, conninfo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they complete is computed as if all had been read."""
    entries = list(odd(4_000, seed=3))
    write(url, entries)
    end = entries[-1]["at"]
    monkeypatch.setattr(cost_now, "ENTRIES_MAX", 1_000)
    whole = cost_now.cost("all", at=end)
    assert (whole.is_cut, whole.entries, whole.since) == (True, 1_000, entries[-1_000]["at"])
    day = end - entries[-1_000]["at"]
    assert timedelta(hours=10) < day < timedelta(hours=24)
    assert cost_now.cost("24h", at=end).table.before is None
    hour = cost_now.cost("1h", at=end)
    assert (hour.is_cut, hour.since) == (False, end - timedelta(hours=1))
    monkeypatch.setattr(cost_now, "ENTRIES_MAX", 4_000)
    assert by_sql(hour.table.rows) == by_sql(cost_now.cost("1h", at=end).table.rows) != []


ODD: Sequence[Mapping[str, Any]] = (
    {"waited_for": [], "details": {"why": {"causes": "x"}, "moved": "x"}},
    {"waited_for": {"m-1": 7}, "details": {"why": {"causes": []}, "moved": 1.5}},
    {"duration_ms": 0, "details": {"unowned_longest_ms": None}},
    {"trigger": "", "duration_ms": None, "details": {"why": "x"}},
)


@pytest.mark.usefixtures("_web")
def test_odd_entries_count_alike(spark: SparkSession, url: str, conninfo: str) -> None:
    """Each in a group of its own."""
    told = [{"trigger": "operator", **odd} for odd in ODD]
    write(url, [entry(n, f"g-{n}", "rebalance-completed", **odd) for n, odd in enumerate(told)])
    at = BEGIN + timedelta(hours=1)
    found = by_sql(cost_now.cost("all", at=at).table.rows)
    assert {row[NAMES.index("group_id")] for row in found} == {f"g-{n}" for n in range(len(ODD))}
    assert found == by_spark(spark, conninfo, at)["all"]


def test_the_web_describes_the_report_as_the_pipeline_does() -> None:
    assert Report.read(described(Cost)) == cost_now.COST
