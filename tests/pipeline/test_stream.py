"""Tables as streams: every row once, in the order of transactions, whatever is still open."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from pipeline.sources import cursor
from pipeline.sources.cursor import BEGIN, Place, Seen
from pipeline.sources.rollcall import RollcallSource
from pipeline.sources.tables import TABLES
from tests.pipeline.conftest import query, write
from tests.pipeline.journals import COLUMNS, entry, many, row
from tests.pipeline.often import SEEDS
from tests.pipeline.transactions import settle

pytestmark = pytest.mark.timeout(300)

INSERT = "INSERT INTO rollcall_journal ({}) VALUES ({})".format(
    ", ".join(f'"{name}"' for name in COLUMNS), ", ".join(["%s"] * len(COLUMNS))
)

Batches = list[list[int]]

STARTS_MAX = 5

TOO_SLOW = "Python worker failed to connect back"
"""What Spark says where a Python of its own has not started within ten seconds: a very busy
machine can need more, and Spark has no setting for it. Nothing has been read by then."""


def finish(stream: DataStreamWriter) -> None:
    """Run a stream to its end. Raises its error."""
    for attempt in range(1, STARTS_MAX + 1):
        query = stream.start()
        try:
            query.awaitTermination()
        except StreamingQueryException as error:
            if attempt == STARTS_MAX or TOO_SLOW not in str(error):
                raise
        else:
            return
        finally:
            query.stop()


@pytest.fixture
def pull(spark: SparkSession, url: str, tmp_path: Path) -> Callable[..., Batches]:
    """Reads what is new, in batches of ids; each call goes on where the last one ended."""
    spark.dataSource.register(RollcallSource)

    def pulled(table: str = "journal", **options: Any) -> Batches:
        read: Batches = []

        def keep(frame: DataFrame, number: int) -> None:
            if rows := sorted(found["id"] for found in frame.select("id").collect()):
                read.append(rows)  # the first batch of an empty table is empty

        source = spark.readStream.format("rollcall").option("table", table)
        stream = source.options(**options).load().writeStream.foreachBatch(keep)
        stream = stream.option("checkpointLocation", str(tmp_path / f"checkpoint-{table}"))
        finish(stream.trigger(availableNow=True))
        return read

    return pulled


def ids(url: str, only: str = "true") -> list[int]:
    """The numbers of the journal's entries."""
    return [n for (n,) in query(url, f"SELECT id FROM rollcall_journal WHERE {only} ORDER BY id")]


def test_each_read_goes_on_where_the_last_one_ended(url: str, pull: Callable[..., Batches]) -> None:
    write(url, (entry(n, "g", "stable") for n in range(25)))
    first = ids(url)
    assert pull(rows=10) == [first[:10], first[10:20], first[20:]]
    assert pull() == []
    write(url, [entry(1, "", "slots-claimed"), entry(2, "g", "stable")])
    assert pull() == [ids(url)[-1:]]


def test_a_transaction_that_stays_open_delays_and_loses_nothing(
    url: str, pull: Callable[..., Batches]
) -> None:
    """Those that began after it wait with it; its entry, of a lesser number, comes with them."""
    write(url, [entry(1, "g", "stable")])
    (first,) = ids(url)
    with psycopg.connect(url) as slow:
        slow.execute(INSERT.encode(), row(entry(2, "g", "stable")))
        write(url, [entry(3, "g", "stable")], is_settled=False)
        assert pull() == [[first]]
        assert pull() == []
    settle(url)
    assert pull() == [ids(url, f"id > {first}")]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, SEEDS))
def test_whatever_transactions_do_every_row_is_read_once(
    url: str, pull: Callable[..., Batches], seed: int
) -> None:
    """Several at once, that commit, roll back or stay, while readers come and go."""
    chance = random.Random(seed)
    read: list[int] = []
    opened: list[psycopg.Connection[Any]] = []
    for _ in range(60):
        match chance.choice(["begin", "insert", "insert", "end", "end", "pull"]):
            case "begin":
                opened.append(psycopg.connect(url))
            case "insert" if opened:
                chance.choice(opened).execute(INSERT.encode(), row(entry(1, "g", "stable")))
            case "end" if opened:
                with opened.pop(chance.randrange(len(opened))) as one:
                    if chance.random() < 0.3:
                        one.rollback()
            case "pull" if chance.random() < 0.5:
                read += [n for batch in pull(rows=chance.choice([1, 3, 1_000])) for n in batch]
    for one in opened:
        one.commit()
        one.close()
    read += [n for batch in pull() for n in batch]
    assert sorted(read) == ids(url)


@pytest.mark.long
def test_a_stream_reads_nothing_beyond_its_end(url: str, pull: Callable[..., Batches]) -> None:
    write(url, [entry(1, "g", "stable")])
    with psycopg.connect(url, autocommit=True) as connection:
        until = cursor.horizon(connection).place
    write(url, [entry(2, "g", "stable")])
    first, second = ids(url)
    assert pull(until=",".join(map(str, until))) == [[first]]
    assert pull() == [[second]]


def test_lives_and_ownership_are_read_the_same_way(url: str, pull: Callable[..., Batches]) -> None:
    """Over the border of a day, which is one of a partition."""
    for at in ("now()", "now() - interval '3 days'"):
        query(
            url,
            "INSERT INTO rollcall_ownership (at, era, xid, group_id, life, topic, partitions,"
            f" from_generation, from_at) VALUES ({at}, 0, pg_current_xact_id()::text::bigint, 'g',"
            " 1, 't', '{[0,3)}', 1, now()) RETURNING id",
        )
    settle(url)
    found = [n for (n,) in query(url, "SELECT id FROM rollcall_ownership ORDER BY id")]
    assert pull("ownership") == [found]
    assert pull("lives") == []


@pytest.mark.long
def test_another_history_is_not_mistaken_for_the_one_that_was_read(
    url: str, pull: Callable[..., Batches]
) -> None:
    write(url, [entry(1, "g", "stable")])
    pull()
    write(url, [entry(2, "g", "stable")])
    ((era, before),) = query(url, "SELECT era, jump FROM rollcall_era ORDER BY era DESC LIMIT 1")
    query(url, f"UPDATE rollcall_era SET jump = gen_random_uuid() WHERE era = {era} RETURNING 1")
    try:
        with pytest.raises(StreamingQueryException, match="lost: the database has another history"):
            pull()
    finally:
        query(url, f"UPDATE rollcall_era SET jump = '{before}' WHERE era = {era} RETURNING 1")


@pytest.mark.long
def test_what_retention_deleted_unread_is_told(url: str, pull: Callable[..., Batches]) -> None:
    write(url, (entry(n, "g", "stable") for n in range(4)))
    pull()
    last = ids(url)[-1]
    query(url, f"DELETE FROM rollcall_journal WHERE id < {last} RETURNING 1")
    write(url, (entry(n, "g", "stable") for n in range(2)))
    assert [len(batch) for batch in pull()] == [2]
    write(url, (entry(n, "g", "stable") for n in range(2)))
    query(url, f"DELETE FROM rollcall_journal WHERE id < {ids(url)[-1]} RETURNING 1")
    with pytest.raises(StreamingQueryException, match="lost: retention has deleted rows of journa"):
        pull()


def test_a_place_that_the_floor_of_facts_has_passed_is_lost(url: str) -> None:
    query(
        url,
        "INSERT INTO rollcall_facts_floor VALUES ('rollcall_life packed', 0, 50, now()),"
        " ('rollcall_ownership', 0, 99, now()) RETURNING 1",
    )
    (jump,) = query(url, "SELECT jump::text FROM rollcall_era WHERE era = 0")
    lives, ownership = TABLES["lives"], TABLES["ownership"]
    with psycopg.connect(url, autocommit=True) as connection:
        now = cursor.floor(connection, lives)
        cursor.check(connection, lives, Seen(BEGIN))
        cursor.check(connection, lives, Seen(Place(0, 51, 1), jump[0]))
        cursor.check(connection, ownership, Seen(Place(0, 50, 1), jump[0]))
        cursor.check(connection, lives, Seen(Place(0, 50, 9), jump[0], now))
        with pytest.raises(cursor.PlaceLost, match="retention"):
            cursor.check(connection, lives, Seen(Place(0, 50, 9), jump[0], Place(0, 30, 1)))


@pytest.mark.long
def test_a_reader_that_begins_is_not_stopped_by_what_was_deleted_before(
    url: str, pull: Callable[..., Batches]
) -> None:
    """The oldest row that is left is not the first in the order of transactions."""
    sequence = "pg_get_serial_sequence('rollcall_journal', 'id')"
    ((early,),) = query(url, f"SELECT nextval({sequence})")
    write(url, (entry(n, "g", "stable") for n in range(2)))
    first = ids(url)
    write(url, [entry(3, "g", "stable")])
    query(url, f"UPDATE rollcall_journal SET id = {early} WHERE id > {first[-1]} RETURNING 1")
    assert pull(rows=1) == [[n] for n in (*first, early)]


@pytest.mark.long
def test_a_batch_of_no_rows_is_refused(spark: SparkSession) -> None:
    spark.dataSource.register(RollcallSource)
    stream = spark.readStream.format("rollcall").option("table", "journal").option("rows", "0")
    with pytest.raises(Exception, match="at least one row"):
        stream.load().writeStream.format("noop").start().awaitTermination()


@pytest.mark.long
def test_many_rows_are_divided_among_tasks(url: str, pull: Callable[..., Batches]) -> None:
    write(url, many(50_000))
    found = ids(url, "group_id <> ''")
    assert [n for batch in pull(rows=20_000) for n in batch] == found
