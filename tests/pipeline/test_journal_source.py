"""The journal as it is read: whole, once, and as of one moment."""

from datetime import datetime
from urllib.parse import urlsplit

import psycopg
import pytest
from pyspark.sql import SparkSession, datasource

from pipeline.sources import filters
from pipeline.sources.ranges import (
    RANGE_BLOCKS_MAX,
    RANGE_BLOCKS_MIN,
    RANGES,
    ranges,
)
from pipeline.sources.rollcall import RollcallSource
from pipeline.sources.snapshot import snapshot
from pipeline.sources.tables import TABLES, size
from tests.pipeline.conftest import query, write
from tests.pipeline.journals import entry, many

pytestmark = pytest.mark.timeout(300)

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

    with snapshot(conninfo) as moment:
        found = moment.read(spark, "journal").orderBy("id").collect()

    assert [row["reason"] for row in found[:-1]] == ODD
    assert (found[-1]["member_id"], found[-1]["client_id"]) == ("", None)
    assert (found[-1]["duration_ms"], found[-1]["moved"]) == (5, None)


@pytest.mark.long
def test_times_keep_their_microseconds(spark: SparkSession, url: str, conninfo: str) -> None:
    write(url, [entry(1.000001, "g", "stable")])
    with snapshot(conninfo) as moment:
        (row,) = moment.read(spark, "journal").selectExpr("unix_micros(at)").collect()
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
        write(url, [entry(2, "g", "stable")], is_settled=False)
        with snapshot(conninfo) as moment:
            slow.commit()
            assert moment.read(spark, "journal").count() == 2

    with snapshot(conninfo) as moment:
        assert moment.read(spark, "journal").count() == 3


@pytest.mark.long
def test_rows_deleted_during_the_read_are_still_read(
    spark: SparkSession, url: str, conninfo: str
) -> None:
    write(url, (entry(n, "g", "stable") for n in range(10)))
    with snapshot(conninfo) as moment:
        query(url, "DELETE FROM rollcall_journal RETURNING 1")
        assert moment.read(spark, "journal").count() == 10


def test_entries_about_no_group_are_left_out(spark: SparkSession, url: str, conninfo: str) -> None:
    write(url, [entry(1, "", "slots-claimed"), entry(2, "g", "stable")])
    with snapshot(conninfo) as moment:
        assert [row["group_id"] for row in moment.read(spark, "journal").collect()] == ["g"]


def test_a_read_takes_no_password_into_its_plan(spark: SparkSession, url: str) -> None:
    """It travelled as an option, which plans and event logs show."""
    write(url, [entry(1, "g", "stable")])
    spark.dataSource.register(RollcallSource)
    read = spark.read.format("rollcall").option("table", "journal").load()
    plan = read._jdf.queryExecution().toString()
    assert urlsplit(url).password not in plan
    assert read.count() == 1


def test_an_unknown_table_or_column_is_named(spark: SparkSession) -> None:
    spark.dataSource.register(RollcallSource)
    source = spark.read.format("rollcall")
    with pytest.raises(Exception, match="There is no table 'journals'"):
        source.option("table", "journals").load()
    with pytest.raises(Exception, match="has no column nobody"):
        source.option("table", "journal").option("columns", "id, nobody").load()


def test_columns_and_filters_are_read_by_postgresql(
    spark: SparkSession, url: str, conninfo: str
) -> None:
    """What PostgreSQL compares otherwise is left to Spark; both give the same rows."""
    write(url, (entry(n, f"g{n % 3}", "stable", duration_ms=n or None) for n in range(30)))
    spark.dataSource.register(RollcallSource)
    read = spark.read.format("rollcall").option("table", "journal")
    read = read.option("columns", "group_id,duration_ms")
    found = read.load().filter("group_id IN ('g0', 'g1') AND duration_ms >= 5 AND group_id < 'g1'")
    assert found.columns == ["group_id", "duration_ms"]
    assert sorted(row["duration_ms"] for row in found.collect()) == [*range(6, 30, 3)]
    pushed = found._jdf.queryExecution().executedPlan().toString()
    assert "duration_ms" not in pushed.split("Filter", 1)[1].splitlines()[0]


FILTERS = [
    (datasource.EqualTo(("trigger",), "it's"), "\"trigger\" = 'it''s'"),
    (datasource.In(("kind",), ("a", "b")), "\"kind\" IN ('a', 'b')"),
    (datasource.GreaterThan(("id",), 5), '"id" > 5'),
    (datasource.IsNull(("moved",)), None),
    (datasource.GreaterThan(("kind",), "a"), None),
    (datasource.EqualTo(("kind",), "a\0b"), None),
    (datasource.EqualTo(("details", "x"), 1), None),
    (datasource.In(("kind",), ("a", None)), None),
    (datasource.GreaterThan(("at",), datetime(2026, 1, 1)), None),
    (datasource.StringStartsWith(("kind",), "a"), None),
]


@pytest.mark.parametrize(("wanted", "text"), FILTERS)
def test_filters_become_conditions_where_both_mean_the_same(
    wanted: datasource.Filter, text: str | None
) -> None:
    found = filters.condition(wanted, TABLES["journal"].expression)
    if isinstance(wanted, datasource.IsNull):
        assert found is not None and found.as_string().endswith(" IS NULL")
    else:
        assert (found.as_string() if found is not None else None) == text


@pytest.mark.parametrize("blocks", [0, 1, 63, 64, 601, 100_000, 1_000_001])
def test_ranges_cover_every_block_once(blocks: int) -> None:
    found = ranges([(0, "a", 0, blocks), (1, "b", 7, 10)])
    of_a = [r for r in found if r.only == "a"]
    assert [r.first for r in of_a] == [0, *(r.end for r in of_a[:-1])][: len(of_a)]
    assert (of_a[-1].end if of_a else 0) == blocks
    assert all(r.end - r.first <= RANGE_BLOCKS_MAX for r in found)
    assert len(of_a) >= min(RANGES, blocks // RANGE_BLOCKS_MIN)
    assert [(r.source, r.first, r.end) for r in found if r.only == "b"] == [(1, 7, 10)]


def test_the_size_of_what_is_read_counts_the_journal(url: str) -> None:
    """It has no partitions, unlike the tables of facts; how a run goes about its work depends on
    it."""
    write(url, many(400))
    with psycopg.connect(url) as connection:
        counted = connection.execute("SELECT pg_relation_size('rollcall_journal')").fetchall()
        ((journal,),) = counted
        assert size(connection) >= journal > 0
