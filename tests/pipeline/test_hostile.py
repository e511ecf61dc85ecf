"""Groups of any name, and sessions of any settings: what a run makes is the same."""

from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.pipeline import facts
from tests.pipeline.conftest import query, write
from tests.pipeline.test_increments import Analyse, analyse, journal, rows

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

__all__ = ["analyse"]

NAMES = (
    "a\ttab", 'a"quote\\', "two\nlines", "'; DROP TABLE x; --", "\\.", "\\N", " ", "%s%%", "{}",
    "gr\u00fc\u00dfe \U0001f680", "\u2028", "\x01\x7f", "a" * 249, "\\\\t", "NULL", "\r\n",
    "group_id=1/x",
)  # fmt: skip


def named(row: dict[str, Any]) -> dict[str, Any]:
    number = row["group_id"].removeprefix("group-")
    return {**row, "group_id": NAMES[int(number) % len(NAMES)] if number else ""}


def test_a_group_of_any_name_has_its_rows(url: str, analyse: Analyse) -> None:
    entries = [named(entry) for entry in journal(400, len(NAMES), 5)]
    events = [(table, named(row)) for table, row in facts.many(200, len(NAMES), 5)]
    at = facts.END - timedelta(days=2)
    for first, end in ((0, 230), (230, 400)):
        write(url, entries[first:end])
        facts.write(url, events[first // 2 : end // 2])
        at += timedelta(hours=7)
        done = analyse(at)
    whole = analyse(at, is_incremental=False)
    assert rows(url, done) == rows(url, whole)
    found = query(
        url, "SELECT DISTINCT keys ->> 'group_id' FROM rollcall_report_row WHERE keys ? 'group_id'"
    )
    assert {name for (name,) in found} == {*NAMES}


def test_nothing_then_one_entry(url: str, analyse: Analyse) -> None:
    (one, *_) = [e for e in journal(50, 1, 5) if e["kind"] == "rebalance-completed"]
    assert analyse(facts.END).rows == 0
    write(url, [one])
    done = analyse(facts.END)
    assert rows(url, done) == rows(url, analyse(facts.END, is_incremental=False))
    assert done.rows


def test_settings_turned_between_runs(url: str, analyse: Analyse, spark: SparkSession) -> None:
    entries = journal(600, 20, 5)
    write(url, entries[:300])
    facts.write(url, facts.many(200, 25, 5))
    analyse(facts.END - timedelta(hours=5))
    write(url, entries[300:])
    turned = {
        "spark.sql.shuffle.partitions": "7",
        "spark.sql.requireAllClusterKeysForCoPartition": "false",
        "spark.sql.caseSensitive": "true",
    }
    before = {name: str(spark.conf.get(name)) for name in turned}
    for name, value in turned.items():
        spark.conf.set(name, value)
    try:
        done = analyse(facts.END)
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
    assert rows(url, done) == rows(url, analyse(facts.END, is_incremental=False))
