"""What is deleted while offsets of it wait does not come back when the transaction commits."""

import asyncio
from collections.abc import Callable

from groups.core.errors import ErrorCode
from groups.core.events import DeleteGroup
from groups.core.replies import Committed
from groups.sweeps.session import RetentionSweep
from tests import rows
from tests.node.running import Running
from tests.sweeps.conftest import swept, until, value
from tests.txn.conftest import Other
from tests.txn.producers import Txn, deleted, read, unstable

New = Callable[..., Txn]
T0, T1 = ("t", 0), ("t", 1)
OLD = "UPDATE rollcall_offset SET committed_at = committed_at - interval '10 days'"
DONE = "SELECT count(*) FROM rollcall_operation WHERE state = 'succeeded'"


async def delete_group(one: Running, group_id: str = "g") -> ErrorCode:
    reply = await one.ask(group_id, DeleteGroup(ticket=one.counter.ticket()))
    return reply.error


async def test_a_deleted_group_does_not_reappear(one: Running, producer: New) -> None:
    """TX-06: what waits for a transaction goes with the group."""
    await one.commit("g", 5)
    txn = await (await producer().init()).begin()
    await txn.commit(100, 1)
    assert await delete_group(one) is ErrorCode.NONE
    assert await unstable(one) == set()

    await txn.end()
    assert await read(one) == {}
    await one.commit("g", 6)
    assert await read(one) == {T0: 6}


async def test_a_group_that_is_deleted_while_the_transaction_ends(
    one: Running, producer: New, other: Other
) -> None:
    """The end holds the waiting rows and is about to write: the deletion comes behind it."""
    await one.commit("g", 5)
    txn = await (await producer().init()).begin()
    await txn.commit(100, 1)
    let_go = one.points.hold("transaction:locked")
    ending = asyncio.create_task(txn.end())
    await one.points.reached["transaction:locked"].wait()
    deleting = asyncio.create_task(delete_group(one))
    stranger = await one.commit("stranger", 1)
    assert stranger == Committed() and not deleting.done()

    let_go()
    await ending
    assert await deleting is ErrorCode.NONE
    assert await rows.offsets(other) == {("stranger", "t", 0): 1}


async def test_deleted_offsets_do_not_reappear(one: Running, producer: New) -> None:
    await one.commit("g", 5)
    txn = await (await producer().init()).begin()
    await txn.commit(100)
    await txn.commit(100, 1)
    await deleted(one, 0)
    assert (await read(one), await unstable(one)) == ({}, {T1})
    await txn.end()
    assert await read(one) == {T1: 100}


async def test_offsets_of_a_deleted_topic_do_not_reappear(one: Running, producer: New) -> None:
    catalogue = one.node.catalogue
    for name in ("t", "u"):
        await catalogue.create(name, 2)
    txn = await (await producer().init()).begin()
    await txn.commit(100, topic="t")
    await txn.commit(100, topic="u")
    await catalogue.delete("t")
    assert await unstable(one) == {("u", 0)}
    await txn.end()
    assert await read(one) == {("u", 0): 100}


async def test_a_recreated_topic_has_no_offsets(one: Running, producer: New) -> None:
    """A transaction that read the topic before it was deleted puts its offset after that."""
    txn = await (await producer().init()).begin()
    await txn.commit(100, topic="u")
    await one.node.catalogue.create("u", 1)
    await txn.end()
    assert await read(one) == {}


async def test_retention_keeps_pending_offsets(one: Running, producer: New, other: Other) -> None:
    """TX-07: the old offset and the group stay while the transaction is open."""
    await one.commit("g", 1, partitions=2)
    txn = await (await producer().init()).begin()
    await txn.commit(100, 1)
    await other.execute(OLD)
    await swept(RetentionSweep().run)
    await until(lambda: value(other, DONE))
    assert await read(one) == {T1: 1}

    await txn.end(commit=False)
    await swept(RetentionSweep().run)
    await until(lambda: value(other, "SELECT count(*) = 0 FROM rollcall_group"))


async def test_a_group_with_only_pending_offsets_is_kept(
    one: Running, producer: New, other: Other
) -> None:
    txn = await (await producer().init()).begin()
    await txn.commit(100)
    await swept(RetentionSweep().run)
    await until(lambda: value(other, DONE))
    await txn.end()
    assert await read(one) == {T0: 100}
    assert set(await rows.groups(other)) == {"g"}
