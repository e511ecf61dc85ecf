"""The journal as it is read: whole, once, and as of one moment."""

import psycopg
import pytest
from pyspark.sql import SparkSession

from pipeline.sources.journal import BLOCK_IDS, RANGE_ENTRIES_MAX, RANGES, frozen, ranges
from tests.pipeline.conftest import query, write
from tests.pipeline.journals import entry

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

ONE_MORE = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,
    generation_before, generation_after, waited_for, joined, "left", details)
SELECT at, group_id, revision, node_id, kind, trigger, reason,
    generation_before, generation_after, waited_for, joined, "left", details
FROM rollcall_journal LIMIT 1
"""

ODD = ["", 'say "so"', "a,b", "two\nlines", "\\N", "NULL", "ünï", " "]


def test_texts_are_read_unchanged(spark: SparkSession, url: str, conninfo: str) -> None:
    write(url, (entry(n, "g", "stable", reason=text) for n, text in enumerate(ODD)))
    write(url, [entry(9, "g", "stable", member_id="", client_id=None, duration_ms=5)])

    with frozen(conninfo) as journal:
        found = journal.read(spark).orderBy("id").collect()

    assert [row["reason"] for row in found[:-1]] == ODD
    assert (found[-1]["member_id"], found[-1]["client_id"]) == ("", None)
    assert (found[-1]["duration_ms"], found[-1]["moved"]) == (5, None)


@pytest.mark.long
def test_times_keep_their_microseconds(spark: SparkSession, url: str, conninfo: str) -> None:
    write(url, [entry(1.000001, "g", "stable")])
    with frozen(conninfo) as journal:
        (row,) = journal.read(spark).selectExpr("unix_micros(at)").collect()
    assert [row[0]] == [
        int(micros)
        for (micros,) in query(url, "SELECT extract(epoch FROM at) * 1000000 FROM rollcall_journal")
    ]


@pytest.mark.long
def test_an_entry_that_commits_late_is_not_lost(
    spark: SparkSession, url: str, conninfo: str
) -> None:
    """Its id is lesser than the last, but its transaction was open: the next read has it."""
    write(url, [entry(1, "g", "stable")])
    with psycopg.connect(url) as slow:
        slow.execute(ONE_MORE)
        write(url, [entry(2, "g", "stable")])
        with frozen(conninfo) as journal:
            slow.commit()
            assert journal.read(spark).count() == 2

    with frozen(conninfo) as journal:
        assert journal.read(spark).count() == 3


@pytest.mark.long
def test_rows_deleted_during_the_read_are_still_read(
    spark: SparkSession, url: str, conninfo: str
) -> None:
    write(url, (entry(n, "g", "stable") for n in range(10)))
    with frozen(conninfo) as journal:
        query(url, "DELETE FROM rollcall_journal RETURNING 1")
        assert journal.read(spark).count() == 10


def test_entries_about_no_group_are_left_out(spark: SparkSession, url: str, conninfo: str) -> None:
    write(url, [entry(1, "", "slots-claimed"), entry(2, "g", "stable")])
    with frozen(conninfo) as journal:
        assert [row["group_id"] for row in journal.read(spark).collect()] == ["g"]


def test_a_gap_in_the_ids_costs_nothing(spark: SparkSession, url: str, conninfo: str) -> None:
    """A gap of five hundred million ids took four minutes."""
    write(url, [entry(1, "g", "stable"), entry(2, "g", "stable", revision=2)])
    query(url, "UPDATE rollcall_journal SET id = 1::bigint << 62 WHERE revision = 2 RETURNING 1")
    with frozen(conninfo) as journal:
        assert (len(journal.ranges), journal.last) == (1, 1 << 62)
        assert journal.read(spark).count() == 2


@pytest.mark.parametrize("blocks", [1, 3, 100, 601])
def test_ranges_cover_every_block_once(blocks: int) -> None:
    full = [(n * BLOCK_IDS, (n + 1) * BLOCK_IDS - 1, BLOCK_IDS) for n in range(blocks)]
    found = ranges(full)
    assert [r.first for r in found] == [0, *(r.last + 1 for r in found[:-1])]
    assert found[-1].last == full[-1][1]
    assert all(r.last - r.first < RANGE_ENTRIES_MAX for r in found)
    assert len(found) >= min(RANGES, blocks)


def test_an_empty_journal_is_one_empty_range() -> None:
    assert [(r.first, r.last) for r in ranges([])] == [(1, 0)]
