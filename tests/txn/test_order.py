"""The last writer of a partition wins, whenever the transaction ends (TX-01 to 03)."""

import asyncio
from collections.abc import Callable
from itertools import count
from random import Random

import pytest

from groups.core.errors import ErrorCode
from groups.core.events import DeleteGroup, OffsetCommit, OffsetDelete, OffsetWrite
from groups.core.replies import Committed, Reply
from tests import rows
from tests.core.offset_log import OffsetLog
from tests.node.running import Running, running
from tests.txn.conftest import Other
from tests.txn.producers import V1, V2, Txn, deleted, read, refusal, unstable

T0, T1 = ("t", 0), ("t", 1)
New = Callable[..., Txn]


@pytest.fixture(params=["events", "repeats"])
def _way(one: Running, request: pytest.FixtureRequest) -> None:
    """Plain commits come as events, or as repeats of earlier ones."""
    one.are_repeats = request.param == "repeats"


@pytest.mark.parametrize("version", [V1, V2])
async def test_offsets_count_when_the_transaction_commits(
    one: Running, producer: New, version: int
) -> None:
    txn = await producer().init()
    txn.version = version
    if version == V1:
        await txn.begin("g")
    await txn.commit(100)
    assert (await read(one), await unstable(one)) == ({}, {T0})

    await txn.end()
    assert (await read(one), await unstable(one)) == ({T0: 100}, set())


async def test_aborted_offsets_are_never_visible(one: Running, producer: New) -> None:
    await one.commit("g", 5)
    txn = await (await producer().init()).begin()
    await txn.commit(100)
    await txn.commit(100, 1)
    await txn.end(commit=False)

    assert (await read(one), await unstable(one)) == ({T0: 5}, set())


async def test_metadata_and_time_are_those_of_the_commit(
    one: Running, producer: New, other: Other
) -> None:
    txn = await (await producer().init()).begin()
    await txn.commit(100)
    waited = await other.execute("SELECT committed_at FROM rollcall_pending_offset")
    at = await waited.fetchone()
    await txn.end()
    kept = await other.execute("SELECT committed_at, metadata, expires_at FROM rollcall_offset")
    assert at is not None and await kept.fetchone() == (at[0], "note", None)


@pytest.mark.usefixtures("_way")
async def test_a_plain_commit_after_the_transactions_wins(one: Running, producer: New) -> None:
    txn = await (await producer().init()).begin()
    await txn.commit(100)
    await txn.commit(100, 1)
    assert await one.commit("g", 101) == Committed()
    assert await unstable(one) == {T0, T1}, "the transaction is still open"

    await txn.end()
    assert await read(one) == {T0: 101, T1: 100}


@pytest.mark.usefixtures("_way")
async def test_a_plain_commit_before_the_transactions_loses(one: Running, producer: New) -> None:
    txn = await (await producer().init()).begin()
    await txn.commit(99)
    await one.commit("g", 101)
    await txn.commit(100)
    await txn.end()
    assert await read(one) == {T0: 100}


@pytest.mark.parametrize("first_to_end", [0, 1])
async def test_of_two_transactions_the_later_write_wins(
    one: Running, producer: New, first_to_end: int
) -> None:
    both = [await (await producer(name).init()).begin() for name in ("early", "late")]
    await both[0].commit(1)
    await both[1].commit(2)
    await both[first_to_end].end()
    assert await unstable(one) == {T0}
    await both[1 - first_to_end].end()
    assert await read(one) == {T0: 2}


async def test_of_two_transactions_in_one_batch_the_later_write_stands(
    one: Running, producer: New
) -> None:
    """Whichever of the two producers has the lower id, and whatever it wrote before."""
    await one.kept("g")
    first, second = [await (await producer(name).init()).begin() for name in ("first", "second")]
    for earlier, later in ((first, second), (second, first)):
        let_go = one.points.hold("offsets:before")
        blocked = one.commit("g", 0)
        await one.points.reached["offsets:before"].wait()
        writes = [later.put(1), earlier.put(2), later.put(3)]
        let_go()
        await asyncio.gather(blocked, *writes)
        await later.end()
        await earlier.end()
        assert await read(one) == {T0: 3}
        await deleted(one, 0)
        for txn in (first, second):
            await txn.begin()


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("plain_first", [True, False])
async def test_the_order_inside_one_batch_counts_as_well(
    one: Running, producer: New, plain_first: bool
) -> None:
    """Both events wait in the group's inbox and are written by one transaction of rows."""
    await one.kept("g")
    txn = await (await producer().init()).begin()
    await txn.commit(1)
    let_go = one.points.hold("offsets:before")
    one.points.reached["offsets:before"].clear()
    held = one.commit("g", 2)
    await one.points.reached["offsets:before"].wait()
    if plain_first:
        both = [one.commit("g", 3), txn.put(4)]
    else:
        both = [txn.put(4), one.commit("g", 3)]
    let_go()
    assert [await held, *[await future for future in both]] == [Committed()] * 3

    await txn.end()
    assert await read(one) == {T0: 4 if plain_first else 3}


# ---- at the same time, on different connections


async def test_a_commit_that_meets_the_end_waits_and_comes_later(
    one: Running, producer: New
) -> None:
    """EndTxn locks the pending rows: the plain commit comes after it, and wins."""
    await one.kept("g")
    txn = await (await producer().init()).begin()
    await txn.commit(100)
    let_go = one.points.hold("transaction:locked")
    ending = asyncio.create_task(txn.end())
    await one.points.reached["transaction:locked"].wait()
    plain = one.commit("g", 101)
    stranger = one.commit("stranger", 1)
    assert await stranger == Committed(), "nobody else waits"
    assert not plain.done()

    let_go()
    await ending
    assert await plain == Committed()
    assert await read(one) == {T0: 101}


async def test_an_end_that_meets_the_commit_waits_and_sees_it(
    one: Running, producer: New, other: Other
) -> None:
    """The plain commit holds the waiting rows, not yet committed: the end waits for it."""
    await one.kept("g")
    txn = await (await producer().init()).begin()
    await txn.commit(100)
    async with other.transaction():
        await other.execute("UPDATE rollcall_pending_offset SET superseded = true")
        ending = asyncio.create_task(txn.end())
        await _waits_for(other, "rollcall_pending_offset")
        await other.execute("UPDATE rollcall_offset SET committed_offset = 101")

    await ending
    assert await read(one) == {T0: 101}


async def _waits_for(connection: Other, table: str) -> None:
    """Until some other session waits for a lock in a statement about the table."""
    waiting = (
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        " AND datname = current_database() AND query LIKE %s"
    )
    while True:
        await connection.execute("SELECT pg_stat_clear_snapshot()")
        row = await (await connection.execute(waiting, [f"%{table}%"])).fetchone()
        if row is not None and row[0]:
            return
        await asyncio.sleep(0)


async def test_two_ends_that_share_partitions_do_not_deadlock(one: Running, producer: New) -> None:
    both = [await (await producer(name).init()).begin() for name in ("a", "b")]
    for partition in range(8):
        await both[partition % 2].commit(1, partition)
        await both[1 - partition % 2].commit(2, partition)
    await asyncio.gather(*(txn.end() for txn in both))
    assert await read(one) == {("t", p): 2 for p in range(8)}


async def test_an_offset_is_never_put_into_a_transaction_that_has_ended(
    one: Running, producer: New
) -> None:
    """It was checked in time, and written too late: nothing is pending, and nothing applied."""
    await one.kept("g")
    txn = await (await producer().init()).begin()
    await txn.commit(1, 1)
    let_go = one.points.hold("offsets:connected")
    one.points.reached["offsets:connected"].clear()
    late = txn.put(100)
    await one.points.reached["offsets:connected"].wait()
    await txn.end()
    let_go()
    await late
    assert (await read(one), await unstable(one)) == ({T0: 0, T1: 1}, set())


# ---- everything at once


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(n, marks=pytest.mark.long) for n in range(2, 6))]
)
async def test_rows_equal_the_state_of_a_log(one: Running, producer: New, seed: int) -> None:
    """Random commits, deletions and ends of two producers, against the simplest model."""
    rng, log = Random(seed), OffsetLog()
    txns = [await producer(name).init() for name in ("a", "b")]
    for txn in txns:
        txn.version = V2
    for offset in range(60):
        who, partition = rng.randrange(2), rng.randrange(3)
        what = rng.choices(("plain", "txn", "end", "delete", "delete group"), (4, 6, 3, 1, 0.3))[0]
        at = ("t", partition)
        if what == "plain":
            assert await one.ask("g", _plain(one, partition, offset)) == Committed()
            log.commit(at, offset)
        elif what == "txn":
            await txns[who].commit(offset, partition)
            log.commit_in(who, at, offset)
        elif what == "end":
            commit = rng.random() < 0.7
            await _end(txns[who], commit)
            log.end(who, commit=commit)
        elif what == "delete":
            await deleted(one, partition)
            log.delete(at)
        else:
            await one.ask("g", DeleteGroup(ticket=one.counter.ticket()))
            log.delete_group()
        assert (await read(one), await unstable(one)) == (log.committed, log.unstable), what


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize(
    "seed", [6, 8, *(pytest.param(n, marks=pytest.mark.long) for n in range(10, 20))]
)
async def test_rows_equal_the_state_of_a_log_for_requests_that_wait_together(
    one: Running, producer: New, seed: int
) -> None:
    """As above, but several requests reach the group while an earlier one is being written."""
    rng, log, offset = Random(seed), OffsetLog(), count(1)
    txns = [await producer(name).init() for name in ("a", "b")]
    await one.kept("g")
    log.commit(T0, 0)
    for _ in range(40):
        for txn in txns:
            await txn.begin()
        let_go = one.points.hold("offsets:before")
        asked = [one.commit("g", 0, topic="held")]
        await one.points.reached["offsets:before"].wait()
        log.commit(("held", 0), 0)
        asked += [_ask(one, txns, rng, log, next(offset)) for _ in range(rng.randrange(1, 6))]
        let_go()
        await asyncio.gather(*asked)
        assert (await read(one), await unstable(one)) == (log.committed, log.unstable)
        who, commit = rng.randrange(2), rng.random() < 0.7
        await txns[who].end(commit=commit)
        log.end(who, commit=commit)
        assert (await read(one), await unstable(one)) == (log.committed, log.unstable)


def _ask(
    one: Running, txns: list[Txn], rng: Random, log: OffsetLog, offset: int
) -> "asyncio.Future[Reply]":
    """A random request about one of two partitions, and what a log makes of it."""
    who, partition = rng.randrange(2), rng.randrange(2)
    match rng.choices(("plain", "txn", "delete"), (3, 3, 2))[0]:
        case "plain":
            log.commit(("t", partition), offset)
            return one.ask("g", _plain(one, partition, offset))
        case "txn":
            log.commit_in(who, ("t", partition), offset)
            return txns[who].put(offset, partition)
    log.delete(("t", partition))
    event = OffsetDelete(ticket=one.counter.ticket(), partitions=(("t", partition),))
    return one.ask("g", event)


def _plain(one: Running, partition: int, offset: int) -> OffsetCommit:
    return OffsetCommit(
        ticket=one.counter.ticket(),
        generation_id=-1,
        member_id="",
        instance_id=None,
        offsets=(OffsetWrite("t", partition, offset, -1, ""),),
        version=8,
    )


async def _end(txn: Txn, commit: bool) -> None:
    """With nothing to commit there is nothing to end but by aborting."""
    code = await refusal(txn.end(commit=commit))
    if code is not ErrorCode.NONE:
        assert commit and code is ErrorCode.INVALID_TXN_STATE


# ---- who remembers what waits


async def test_the_next_owner_knows_which_groups_have_pending_offsets(other: Other) -> None:
    """A takeover between the transaction's commit and the plain one: it must still supersede."""
    async with running() as first:
        await first.kept("g")
        await first.kept("quiet")
        txn = await (await Txn(first).init()).begin()
        await txn.commit(100)
    async with running(1) as second:
        assert second.node.coordinator.with_pending == {"g"}
        await second.commit("g", 101)
        txn.running = second
        await txn.end()
        assert await read(second) == {T0: 101}
    assert await rows.offsets(other) == {("g", "t", 0): 101, ("quiet", "t", 0): 0}


async def test_groups_without_transactions_have_no_extra_cost(one: Running, producer: New) -> None:
    await one.kept("g")
    await one.kept("quiet")
    txn = await (await producer().init()).begin()
    await txn.commit(100)
    assert one.node.coordinator.with_pending == {"g"}
