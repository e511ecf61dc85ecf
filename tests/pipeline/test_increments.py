"""Runs upon runs: whatever the cuts, the rows are those of one whole run."""

import random
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from pipeline.results import parts
from pipeline.results import runs as records
from pipeline.results.folders import Output
from pipeline.sources import pull
from pipeline.sources import snapshot as moments
from pipeline.steps import increments, run
from pipeline.steps.job import Done
from pipeline.steps.table import STEPS
from tests.pipeline import facts
from tests.pipeline.conftest import Rows, query, write
from tests.pipeline.journals import Entry, many
from tests.pipeline.often import SEEDS

pytestmark = pytest.mark.timeout(600)

ROWS = """
SELECT report, period, keys::text, figures::text FROM rollcall_report_run_row
WHERE run_id = {} ORDER BY 1, 2, 3, 4
"""

Analyse = Callable[..., Done]

OUT = "größe 1%"
"""Whole runs and runs upon them find each other's files, whatever the folder is called."""


@pytest.fixture
def analyse(
    spark: SparkSession, conninfo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Analyse:
    """One run at a given time, upon the one before or whole."""

    def run_at(at: datetime, **over: Any) -> Done:
        frozen = f"SELECT pg_export_snapshot(), '{at.isoformat()}'::timestamptz"
        monkeypatch.setattr(moments, "FREEZE", frozen)
        output = Output.at(str(tmp_path / OUT))
        over = {"is_incremental": True, **over}
        return run.run(conninfo, output, lambda is_small: nullcontext(spark), **over)

    return run_at


def rows(url: str, done: Done) -> Rows:
    """All rows of all reports of a run."""
    return query(url, ROWS.format(done.run_id))


def journal(count: int, groups: int, seed: int, end: datetime = facts.END) -> list[Entry]:
    """Entries over the same days as the facts."""
    entries = [*many(count, groups, seed)]
    span = entries[-1]["at"] - entries[0]["at"]
    scale = timedelta(days=facts.DAYS) / span
    begin = end - timedelta(days=facts.DAYS)
    first = entries[0]["at"]
    return [{**entry, "at": begin + (entry["at"] - first) * scale} for entry in entries]


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.long) for seed in range(1, SEEDS)]
)
def test_any_cut_into_runs_gives_the_rows_of_one(
    url: str, analyse: Analyse, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Cuts through rebalances, lives and transactions; late entries; borders of periods that pass;
    layers that are put together; few groups and many, little of them and much."""
    monkeypatch.setattr(increments, "DAYS_KEPT", 10_000)
    monkeypatch.setattr(increments, "LAYERS_MAX", 2)
    chance = random.Random(seed)
    entries = journal(700, 20, seed)
    events = [*facts.many(250, 25, seed)]
    cuts = sorted(chance.sample(range(1, 700), chance.randrange(1, 5)))
    spans = [*zip([0, *cuts], [*cuts, 700], strict=True)]
    late: list[Entry] = []
    shown: list[tuple[Done, Rows]] = []
    at = facts.END - timedelta(days=3)
    ways = cycle([(0, 0), (1_000, 100_000)])
    for (first, end), (few, little) in zip(spans, ways, strict=False):
        monkeypatch.setattr(parts, "FEW", few)
        monkeypatch.setattr(pull, "LITTLE_BLOCKS", few)
        monkeypatch.setattr(increments, "LITTLE_ROWS", little)
        mine = [*late, *entries[first:end]]
        late = [entry for entry in mine if chance.random() < 0.03] if end < 700 else []
        write(url, [entry for entry in mine if entry not in late])
        share = slice(first * len(events) // 700, end * len(events) // 700)
        facts.write(url, events[share])
        at += timedelta(hours=chance.choice([0, 1, 30]))
        done = analyse(at)
        shown.append((done, rows(url, done)))
    for earlier, were in shown[-records.ROWS_KEPT :]:
        assert rows(url, earlier) == were
    whole = analyse(at, is_incremental=False)
    assert rows(url, done) == rows(url, whole)
    assert done.events == whole.events


def test_a_run_stores_only_rows_that_differ_and_deletes_those_that_nobody_shows(
    url: str, analyse: Analyse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever others have: their rows are copied nowhere."""
    monkeypatch.setattr(records, "ROWS_KEPT", 2)
    of_others = [
        {**entry, "group_id": f"other-{entry['group_id']}"} for entry in journal(300, 9, 1)
    ]
    mine = journal(300, 1, 2)
    write(url, [*of_others, *mine[:200]])
    first = analyse(facts.END)
    write(url, mine[200:250])
    second = analyse(facts.END)
    stored = query(
        url,
        "SELECT DISTINCT keys ->> 'group_id' FROM rollcall_report_row"
        f" WHERE from_run = {second.run_id} AND keys ? 'group_id'",
    )
    assert stored == [(mine[0]["group_id"],)]
    write(url, mine[250:])
    third = analyse(facts.END)
    assert (rows(url, first), len(rows(url, third))) == ([], third.rows)
    ended = f"SELECT id FROM rollcall_report_row WHERE until_run <= {second.run_id}"
    assert query(url, ended) == []
    assert rows(url, third) == rows(url, analyse(facts.END, is_incremental=False))


@pytest.mark.long
def test_runs_of_two_folders_do_not_build_upon_the_same_rows(
    url: str, analyse: Analyse, conninfo: str, spark: SparkSession, tmp_path: Path
) -> None:
    """The rows that the one has replaced are still those of the other's base."""
    entries = journal(300, 5, 1)
    copied = tmp_path / "copied"
    write(url, entries[:200])
    analyse(facts.END)
    shutil.copytree(tmp_path / OUT, copied)
    write(url, entries[200:])
    assert "upon run" in (done := analyse(facts.END)).how
    other = run.run(
        conninfo, Output.at(str(copied)), lambda is_small: nullcontext(spark), is_incremental=True
    )
    assert other.how == "all groups: there is no run to build upon"
    assert rows(url, other) == rows(url, done)


@pytest.mark.long
def test_another_history_or_a_gap_begins_anew(url: str, analyse: Analyse, tmp_path: Path) -> None:
    """A restored backup begins another era; retention that overtook the reader left a gap."""
    first, *more = (list(facts.many(80, 5, seed)) for seed in (1, 2, 3))
    facts.write(url, first)
    assert analyse(facts.END).how == "all groups: there is no run to build upon"
    assert analyse(facts.END).how.startswith("0 groups upon run ")
    for break_it in (
        "UPDATE rollcall_timeline SET jump = gen_random_uuid() RETURNING 1",
        "INSERT INTO rollcall_facts_floor SELECT 'rollcall_life packed', max(era), max(xid), now()"
        " FROM rollcall_life RETURNING 1",
    ):
        facts.write(url, more.pop())
        query(url, break_it)
        done = analyse(facts.END)
        assert done.how == "all groups: there is no run to build upon"
        assert len([*(tmp_path / OUT / "increments").iterdir()]) == 1
    assert rows(url, done) == rows(url, analyse(facts.END, is_incremental=False))


@pytest.mark.long
def test_old_days_are_deleted_behind_the_cursor(
    url: str, analyse: Analyse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All at once and seldom, since everything is computed again; then as if they had not been."""
    monkeypatch.setattr(increments, "DAYS_KEPT", 20)
    monkeypatch.setattr(increments, "DAYS_OVER", 60)
    entries = journal(400, 10, 1)
    for part in (entries[:200], entries[200:]):
        write(url, part)
        first = analyse(facts.END)
    assert "upon run" in analyse(facts.END).how
    later = facts.END + timedelta(days=11)
    assert analyse(later).how == "all groups: what is older than 20 days is left out from now on"
    assert "upon run" in (done := analyse(later)).how
    read = {path.name for path in (tmp_path / OUT).glob("increments/*/bronze/journal/*")}
    assert read == {f"run={first.run_id}"}
    since = (later - timedelta(days=20)).date()
    query(url, f"DELETE FROM rollcall_journal WHERE at < '{since}' RETURNING 1")
    assert rows(url, done) == rows(url, analyse(later, is_incremental=False))


def test_what_is_not_of_groups_is_a_report_of_sums_over_groups() -> None:
    """Its rows change by what the touched groups have now, less what they had."""
    others = [step for step in STEPS if step.output not in increments.by_group()]
    assert [step.output.NAME for step in others] == ["hours"]
    for step in others:
        assert step.report is not None
        assert {step.output.types()[name] for name in step.report.figures()} == {"bigint"}
        assert {*step.inputs} <= increments.by_group()


def test_every_table_says_by_which_times_reports_take_its_rows() -> None:
    """Else a report of a group that nothing touches keeps rows that have left their period."""
    tables = [step.output for step in STEPS if step.report is None]
    assert [table.NAME for table in tables if not table.TIMES] == []
