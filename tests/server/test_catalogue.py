"""The catalogue and its rows: what one node does to a topic, the others hear and see."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from psycopg_pool import AsyncConnectionPool

from groups.catalogue.cache import Catalogue, Unavailable
from groups.core.errors import ErrorCode, Refuse
from groups.postgres.connections import Connection

pytestmark = pytest.mark.asyncio

Pool = AsyncConnectionPool[Connection]
RING_S_MAX = 10.0


def _pool(database_url: str, *limits: str) -> Pool:
    options = " ".join(f"-c {limit}" for limit in limits)
    return AsyncConnectionPool(
        database_url,
        min_size=1,
        max_size=4,
        open=False,
        connection_class=Connection,
        kwargs={"autocommit": True, "options": options},
    )


@pytest_asyncio.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    """Connections as a node has them, to a database without topics and offsets."""
    async with _pool(database_url) as pool:
        async with pool.connection() as connection:
            await connection.execute("DELETE FROM rollcall_topic; DELETE FROM rollcall_offset")
        yield pool


@pytest.fixture
def catalogue(pool: Pool) -> Catalogue:
    return Catalogue(pool)


@pytest_asyncio.fixture
async def listener(database_url: str) -> AsyncIterator[Connection]:
    """A connection that listens for the catalogue's notifications."""
    async with await Connection.connect(database_url, autocommit=True) as connection:
        await connection.execute(f"LISTEN {Catalogue.BELL}".encode())
        yield connection


async def rings(listener: Connection, count: int) -> list[str]:
    """The payloads of all rings so far, which must be so many."""
    heard = listener.notifies(timeout=RING_S_MAX, stop_after=count)
    return [ring.payload async for ring in heard]


async def commit(connection: Connection, group_id: str, topic: str, partition: int = 0) -> None:
    await connection.execute(
        "INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset,"
        " leader_epoch, metadata, committed_at) VALUES (%s, %s, %s, 5, -1, '', now())"
        " ON CONFLICT (group_id, topic, partition) DO UPDATE SET committed_offset = 6",
        (group_id, topic, partition),
    )


async def committed(pool: Pool) -> list[tuple[str, str]]:
    async with pool.connection() as connection:
        rows = await connection.execute("SELECT group_id, topic FROM rollcall_offset ORDER BY 1, 2")
        return await rows.fetchall()


async def test_every_change_notifies_with_the_name_of_its_topic(
    catalogue: Catalogue, listener: Connection
) -> None:
    await catalogue.create_many({"b": 1, "a": 1})
    await catalogue.grow("a", 2)
    await catalogue.delete("b")
    assert await rings(listener, 4) == ["a", "b", "a", "b"]


async def test_an_empty_change_sends_no_notification(
    catalogue: Catalogue, listener: Connection
) -> None:
    await catalogue.create("a", 2)
    for refused in (catalogue.create("a", 9), catalogue.grow("a", 2), catalogue.delete("no")):
        with pytest.raises(Refuse):
            await refused
    await catalogue.create("last", 1)
    assert await rings(listener, 2) == ["a", "last"]


async def test_a_notification_brings_another_nodes_change(catalogue: Catalogue, pool: Pool) -> None:
    other = Catalogue(pool)
    made = await other.create("orders", 2)
    await catalogue.rung(("orders",))
    assert catalogue.get("orders") == catalogue.by_id(made.topic_id) == made

    await other.grow("orders", 3)
    await catalogue.rung(("orders",))
    assert [entry.partitions for entry in catalogue.all()] == [3]

    await other.delete("orders")
    await catalogue.rung(("orders",))
    assert catalogue.get("orders") is catalogue.by_id(made.topic_id) is None
    assert catalogue.all() == ()


async def test_a_missed_notification_is_made_good_by_a_full_read(
    catalogue: Catalogue, pool: Pool
) -> None:
    other = Catalogue(pool)
    old = await catalogue.create("old", 1)
    await other.delete("old")
    new = await other.create("new", 1)
    await catalogue.rung(None)
    assert catalogue.all() == (new,)
    assert catalogue.by_id(old.topic_id) is None


async def test_a_recreated_topic_has_another_id(catalogue: Catalogue, pool: Pool) -> None:
    first = await catalogue.create("orders", 1)
    other = Catalogue(pool)
    await other.delete("orders")
    second = await other.create("orders", 1)
    assert await catalogue.find_many_by_id([second.topic_id]) == {second.topic_id: second}
    assert catalogue.by_id(first.topic_id) is None
    with pytest.raises(Refuse):
        await catalogue.delete("orders", first.topic_id)
    assert catalogue.get("orders") == second


async def test_a_smaller_partition_count_is_ignored(catalogue: Catalogue, pool: Pool) -> None:
    await catalogue.create("orders", 1)
    outcomes = await asyncio.gather(
        catalogue.grow("orders", 5), Catalogue(pool).grow("orders", 3), return_exceptions=True
    )
    assert (await Catalogue(pool).find("orders")) == outcomes[0] == catalogue.get("orders")
    assert catalogue.all()[0].partitions == 5
    for refusal in (outcome for outcome in outcomes if isinstance(outcome, BaseException)):
        assert isinstance(refusal, Refuse)
        assert refusal.code is ErrorCode.INVALID_PARTITIONS


async def test_deleting_a_topic_deletes_its_offsets_in_all_groups(
    catalogue: Catalogue, pool: Pool
) -> None:
    """OF-21."""
    await catalogue.create_many({"orders": 2, "orders2": 1})
    async with pool.connection() as connection:
        for group_id in ("a", "b"):
            for topic in ("orders", "orders2"):
                await commit(connection, group_id, topic)
        await commit(connection, "a", "orders", 1)
    await catalogue.delete("orders")
    assert await committed(pool) == [("a", "orders2"), ("b", "orders2")]


async def test_a_deletion_that_fails_halfway_deletes_nothing(
    catalogue: Catalogue, pool: Pool, database_url: str
) -> None:
    await catalogue.create("orders", 1)
    async with pool.connection() as connection:
        await commit(connection, "a", "orders")
    async with (
        _pool(database_url, "lock_timeout=100ms") as impatient,
        pool.connection() as holder,
        holder.transaction(),
    ):
        await commit(holder, "a", "orders")  # and keeps the row
        with pytest.raises(Unavailable):
            await Catalogue(impatient).delete("orders")
    assert await committed(pool) == [("a", "orders")]
    assert await Catalogue(pool).find("orders") is not None


async def test_a_deletion_may_take_longer_than_a_nodes_other_transactions(
    catalogue: Catalogue, pool: Pool, database_url: str
) -> None:
    await catalogue.create("orders", 1)
    async with pool.connection() as connection:
        await commit(connection, "a", "orders")
    limits = ("statement_timeout=100ms", "transaction_timeout=100ms")
    async with _pool(database_url, *limits) as short:
        async with pool.connection() as holder, holder.transaction():
            await commit(holder, "a", "orders")
            deletion = asyncio.create_task(Catalogue(short).delete("orders"))
            await _until_somebody_waits(pool, holder, seconds=0.3)
        await deletion
    assert await committed(pool) == []


async def test_a_deletion_and_a_commit_wait_for_each_other_and_never_deadlock(
    catalogue: Catalogue, pool: Pool
) -> None:
    """The commit holds the first row and will want the second: the deletion must wait for the
    first before it takes the second, whatever order the rows lie in."""
    await catalogue.create("orders", 1)
    async with pool.connection() as connection:
        await commit(connection, "b", "orders")
        await commit(connection, "a", "orders")
    async with pool.connection() as committer:
        async with committer.transaction():
            await commit(committer, "a", "orders")
            deletion = asyncio.create_task(catalogue.delete("orders"))
            await _until_somebody_waits(pool, committer)
            await commit(committer, "b", "orders")
        await deletion
    assert await committed(pool) == []


async def _until_somebody_waits(pool: Pool, holder: Connection, seconds: float = 0) -> None:
    """Until another transaction, so many seconds old, waits for the holder's.

    Looked at from outside: a transaction sees pg_stat_activity as it first was.
    """
    async with pool.connection() as watcher:
        while True:
            rows = await watcher.execute(
                "SELECT 1 FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"
                " AND clock_timestamp() - xact_start >= %s * interval '1 second'",
                (holder.info.backend_pid, seconds),
            )
            if await rows.fetchone():
                return


async def test_a_recreated_topic_has_no_offsets(catalogue: Catalogue, pool: Pool) -> None:
    await catalogue.create("orders", 1)
    await catalogue.delete("orders")
    async with pool.connection() as connection:
        await commit(connection, "late", "orders")
        await commit(connection, "late", "other")
    await catalogue.create("orders", 1)
    assert await committed(pool) == [("late", "other")]
    async with pool.connection() as connection:
        await commit(connection, "early", "orders")
    with pytest.raises(Refuse):
        await catalogue.create("orders", 1)
    assert await committed(pool) == [("early", "orders"), ("late", "other")]


async def test_the_greatest_commit_is_found_for_each_partition(
    catalogue: Catalogue, pool: Pool
) -> None:
    async with pool.connection() as connection:
        for group_id in ("a", "b"):
            await commit(connection, group_id, "orders")
        await commit(connection, "b", "orders")  # 6 now, where "a" has 5
        await commit(connection, "a", "orders", 7)
    asked = {("orders", 0), ("orders", 1), ("orders", 7), ("nothing", 0)}
    assert await catalogue.greatest_committed(asked) == {("orders", 0): 6, ("orders", 7): 5}
