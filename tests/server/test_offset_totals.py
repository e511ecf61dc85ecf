"""How many committed offsets there may be: of a group, of all, and of those that wait."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any, NoReturn

import psycopg
import pytest

from groups.core.errors import ErrorCode
from groups.postgres.connections import Connection
from groups.reporting.totals import OFFSETS, WAITING, Figure
from groups.store import offsets
from rollcall.wire.messages.end_txn import EndTxnRequest
from rollcall.wire.messages.init_producer_id import InitProducerIdRequest
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from rollcall.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.server.client import Client
from tests.server.serving import Serving, serving, until
from tests.server.totals import KINDS, NOTES, make, row

GOOD, NO_ROOM = ErrorCode.NONE, ErrorCode.INVALID_COMMIT_OFFSET_SIZE


async def commit_many(client: Client, group_id: str, partitions: range) -> list[int]:
    """A commit of no member, of partitions of the topic "wide": the code of each."""
    lines = [
        OffsetCommitRequestPartition(partition_index=p, committed_offset=7) for p in partitions
    ]
    topics = [OffsetCommitRequestTopic(name="wide", partitions=lines)]
    request = OffsetCommitRequest(group_id=group_id, topics=topics)
    (topic,) = (await client.call(request, 8)).topics
    return [partition.error_code for partition in topic.partitions]


async def wait(
    client: Client, producer: tuple[int, int], group_id: str, partitions: range
) -> set[int]:
    """TxnOffsetCommit of the transaction "pay", by a producer (id, epoch): its codes."""
    lines = [
        TxnOffsetCommitRequestPartition(partition_index=p, committed_offset=7) for p in partitions
    ]
    request = TxnOffsetCommitRequest(
        transactional_id="pay",
        group_id=group_id,
        producer_id=producer[0],
        producer_epoch=producer[1],
        topics=[TxnOffsetCommitRequestTopic(name="wide", partitions=lines)],
    )
    (topic,) = (await client.call(request, 5)).topics
    return {partition.error_code for partition in topic.partitions}


@pytest.fixture
async def of_offsets(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """A server with room for few offsets, and a topic of many partitions."""
    settings.OFFSETS_MAX, settings.GROUP_OFFSETS_MAX = 300, 200
    settings.TRANSACTIONAL_OFFSETS_MAX = 250
    async with serving() as started:
        client, _ = await started.connect()
        assert await make(client, 1_000, "wide") == [0]
        yield started


async def two_greedy(served: Serving) -> Client:
    """Two groups have half of all offsets each, and that is known."""
    client, _ = await served.connect()
    for number in range(2):
        await commit_many(client, f"greedy-{number}", range(150))
    await served.node.totals.look()
    return client


async def test_a_group_with_too_many_offsets_keeps_updating_existing_ones(
    of_offsets: Serving, other: Connection
) -> None:
    """No wait for the next count of all groups: its writes are counted at once."""
    client, _ = await of_offsets.connect()
    assert set(await commit_many(client, "greedy", range(200))) == {GOOD}
    await until(lambda: "greedy" in of_offsets.node.coordinator.full)

    codes = await commit_many(client, "greedy", range(190, 210))

    assert codes == [GOOD] * 10 + [NO_ROOM] * 10
    assert set(await commit_many(client, "greedy", range(500, 510))) == {NO_ROOM}
    assert set(await commit_many(client, "modest", range(10))) == {GOOD}
    assert await row(other, KINDS) == (1, 1_000, 2, 0, 0, 210)
    await of_offsets.node.totals.look()
    assert ("committed offsets of 'greedy'", 200) in await (
        await other.execute(NOTES, ["limit-near"])
    ).fetchall()


async def test_deletions_of_a_full_group_make_room(of_offsets: Serving, other: Connection) -> None:
    client, _ = await of_offsets.connect()
    await commit_many(client, "greedy", range(200))
    await until(lambda: "greedy" in of_offsets.node.coordinator.full)
    await other.execute("DELETE FROM rollcall_offset WHERE partition >= 100")

    await of_offsets.node.totals.look()

    assert set(await commit_many(client, "greedy", range(100, 150))) == {GOOD}


async def test_a_failed_count_is_repeated(
    of_offsets: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    totals, asked = of_offsets.node.totals.offsets, 0

    def away() -> NoReturn:
        nonlocal asked
        asked += 1
        raise psycopg.OperationalError

    client, _ = await of_offsets.connect()
    with monkeypatch.context() as patched:
        patched.setattr(totals, "_connections", away)
        await commit_many(client, "greedy", range(200))
        await until(lambda: asked > 0)

    await of_offsets.node.totals.look()
    assert "greedy" in of_offsets.node.coordinator.full


async def test_deleted_offsets_count_as_new_again(of_offsets: Serving, other: Connection) -> None:
    client = await two_greedy(of_offsets)
    assert set(await commit_many(client, "greedy-0", range(150))) == {GOOD}
    await other.execute("UPDATE rollcall_offset SET group_id = 'x' WHERE group_id = 'greedy-0'")

    await of_offsets.node.totals.look()
    assert set(await commit_many(client, "greedy-0", range(150))) == {NO_ROOM}


async def test_at_the_total_limit_groups_with_few_offsets_may_add_more(
    of_offsets: Serving, other: Connection
) -> None:
    client = await two_greedy(of_offsets)
    assert of_offsets.node.totals.figures[OFFSETS] == Figure(300, 300)

    assert await commit_many(client, "greedy-0", range(149, 151)) == [GOOD, NO_ROOM]
    assert set(await commit_many(client, "modest", range(100))) == {GOOD}
    assert set(await commit_many(client, "modest", range(100))) == {GOOD}
    assert set(await commit_many(client, "modest", range(100, 101))) == {NO_ROOM}
    assert set(await commit_many(client, "another", range(101))) == {NO_ROOM}

    await other.execute("DELETE FROM rollcall_offset WHERE group_id = 'greedy-1'")
    await of_offsets.node.totals.look()
    assert set(await commit_many(client, "greedy-0", range(150, 160))) == {GOOD}


async def test_pending_offsets_have_their_own_limits(
    of_offsets: Serving, other: Connection
) -> None:
    client, _ = await of_offsets.connect()
    request = InitProducerIdRequest(transactional_id="pay", transaction_timeout_ms=60_000)
    reply = await client.call(request, 4)
    put = partial(wait, client, (reply.producer_id, reply.producer_epoch))
    assert await put("greedy", range(200)) == {GOOD}
    await until(lambda: "greedy" in of_offsets.node.totals.offsets.large)
    assert await put("greedy", range(200, 201)) == {NO_ROOM}
    assert await put("other", range(150)) == {GOOD}

    await of_offsets.node.totals.look()

    assert of_offsets.node.totals.figures[WAITING] == Figure(350, 250)
    assert await put("other", range(150, 151)) == {NO_ROOM}
    assert await put("modest", range(50)) == {GOOD}
    assert (await row(other, "SELECT count(*) FROM rollcall_pending_offset"))[0] == 400
    end = EndTxnRequest(
        transactional_id="pay",
        producer_id=reply.producer_id,
        producer_epoch=reply.producer_epoch,
        committed=False,
    )
    assert (await client.call(end, 4)).error_code == GOOD
    await of_offsets.node.totals.look()
    assert of_offsets.node.totals.figures[WAITING] == Figure(0, 250)


async def test_with_many_pending_offsets_all_of_the_group_are_unstable(
    of_offsets: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offsets, "UNSTABLE_MAX", 5)
    client, _ = await of_offsets.connect()
    assert set(await commit_many(client, "g", range(10))) == {GOOD}
    query = InitProducerIdRequest(transactional_id="pay", transaction_timeout_ms=60_000)
    reply = await client.call(query, 4)
    put = partial(wait, client, (reply.producer_id, reply.producer_epoch))

    async def seen(topics: list[OffsetFetchRequestTopics] | None) -> list[int]:
        group = OffsetFetchRequestGroup(group_id="g", topics=topics)
        request = OffsetFetchRequest(groups=[group], require_stable=True)
        (found,) = (await client.call(request, 8)).groups
        return [partition.error_code for partition in found.topics[0].partitions]

    unstable = ErrorCode.UNSTABLE_OFFSET_COMMIT
    assert await put("g", range(5)) == {GOOD}
    assert await seen(None) == [unstable] * 5 + [GOOD] * 5
    assert await put("g", range(6)) == {GOOD}
    assert await seen(None) == [unstable] * 10
    few = OffsetFetchRequestTopics(name="wide", partition_indexes=[5, 6])
    assert await seen([few]) == [unstable, GOOD], "few partitions are looked up one by one"
