"""What a heartbeat costs (no statement), and what it may say while a commit is on its way."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from benchmarks.wire import create_topic
from groups.catalogue.cache import Catalogue
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode
from groups.postgres import connections, doorbell, timeline_sql
from groups.postgres.channels import Rung
from groups.postgres.table_changes import TableChanges
from groups.store.sql import (
    group_counts,
    group_rows,
    liveness,
    slots,
    totals,
    transactions,
    waiting,
)
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from tests.server.client import Client, hello, join
from tests.server.serving import Serving, serving

Other = connections.Connection

BEATS = 300
V = 3

LOOKED_AT = (
    *("rollcall_topic", "rollcall_acl", "rollcall_quota", "rollcall_credential"),
    "rollcall_group_config",
)

REGULAR = (
    {
        text.encode()
        for text in (
            slots.BEAT,
            slots.NODES,
            slots.SLOTS,
            slots.PENDING_OPERATIONS,
            transactions.OVERDUE,
            liveness.NOTE,
            waiting.ASYNCHRONOUS,
            waiting.FORGET_OLD,
            waiting.SETTLED,
            waiting.PUT,
            group_counts.PUT,
            liveness.ECHO,
        )
    }
    | {TableChanges(table)._summary for table in LOOKED_AT}
    | {doorbell.STILL_THERE, group_rows.RING, totals.COUNT, timeline_sql.READ.encode()}
)
"""What a node says by itself, by the clock: its lease, its looks, its counts, its notes of who was
heard, what each new connection asks, and what it tells observers and screens shortly after a
batch."""

UNTOUCHED = """
SELECT application_name, pid, query_start FROM pg_stat_activity
WHERE application_name IN ('rollcall node membership', 'rollcall node offsets')
  AND datname = current_database() ORDER BY 1
"""


@pytest.fixture
async def served(_prepared: None) -> AsyncIterator[Serving]:
    """A server that owns every slot."""
    async with serving() as started:
        yield started


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """Every statement sent to PostgreSQL by any cursor, but for the periodic ones."""
    counted: Counter[Any] = Counter()
    execute = psycopg.AsyncCursor.execute

    async def counting(cursor: Any, query: Any, *args: Any, **options: Any) -> Any:
        if query not in REGULAR:
            counted[query] += 1
        return await execute(cursor, query, *args, **options)

    monkeypatch.setattr(psycopg.AsyncCursor, "execute", counting)
    return counted


async def test_classic_heartbeats_cause_no_statement(
    served: Serving, other: Other, said: Counter[Any]
) -> None:
    """One by one (the fast path) and in heaps behind other requests (the queue)."""
    client = await Client.connect(served.address)
    beat = await client.settled("g")
    stranger = HeartbeatRequest(group_id="nobody's", generation_id=1, member_id="m")
    assert said, "not even a join was counted"
    before = await (await other.execute(UNTOUCHED)).fetchall()
    said.clear()

    for _ in range(BEATS):
        assert (await client.call(beat, V)).error_code == ErrorCode.NONE
    for _ in range(BEATS):
        client.send(hello(), 3)
        client.send(beat, V)
        client.send(stranger, V)
    for _ in range(BEATS):
        await client.receive()
        assert (await client.receive()).error_code == ErrorCode.NONE
        assert (await client.receive()).error_code == ErrorCode.UNKNOWN_MEMBER_ID

    assert not said
    assert await (await other.execute(UNTOUCHED)).fetchall() == before


async def test_empty_heartbeats_of_a_settled_consumer_member_cause_no_statement(
    served: Serving, said: Counter[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unheard(_rung: Rung) -> None:
        """The node reads a topic once more when it is notified of it."""

    monkeypatch.setitem(served.node.doorbell.listeners, Catalogue.BELL, unheard)
    await create_topic(served.address, "t", 2)
    client = await Client.connect(served.address)
    member_id = str(uuid4())
    joined = await client.call(
        ConsumerGroupHeartbeatRequest(
            group_id="g",
            member_id=member_id,
            member_epoch=0,
            rebalance_timeout_ms=10_000,
            subscribed_topic_names=["t"],
            topic_partitions=[],
        ),
        1,
    )
    assert joined.error_code == 0, joined
    owned = [
        TopicPartitions(topic_id=t.topic_id, partitions=t.partitions)
        for t in joined.assignment.topic_partitions
    ]
    empty = ConsumerGroupHeartbeatRequest(
        group_id="g", member_id=member_id, member_epoch=joined.member_epoch
    )
    owning = ConsumerGroupHeartbeatRequest(
        group_id="g",
        member_id=member_id,
        member_epoch=joined.member_epoch,
        topic_partitions=owned,
    )
    assert (await client.call(owning, 1)).error_code == 0
    said.clear()

    for _ in range(BEATS):
        assert (await client.call(empty, 1)).error_code == 0

    assert not said


async def test_a_group_gets_its_topics_again_when_they_or_the_catalogue_change(
    served: Serving,
) -> None:
    """In between nothing is put together, and the view holds what the group has: a heartbeat costs
    the same with one topic and with thousands."""
    await create_topic(served.address, "t", 2)
    node = served.node
    client = await Client.connect(served.address)
    member_id = str(uuid4())

    async def beat(epoch: int, names: list[str] | None = None) -> Any:
        joins = epoch == 0
        return await client.call(
            ConsumerGroupHeartbeatRequest(
                group_id="g",
                member_id=member_id,
                member_epoch=epoch,
                rebalance_timeout_ms=10_000 if joins else -1,
                subscribed_topic_names=names,
                topic_partitions=[] if joins else None,
            ),
            1,
        )

    epoch = (await beat(0, ["t"])).member_epoch
    assert (await beat(epoch)).error_code == 0
    entry = node.coordinator.entries["g"]
    kept = entry.kept_view
    assert kept is not None and isinstance(entry.group, ConsumerGroup)
    assert kept.view.topics is entry.group.topics and kept.view.racks is entry.group.racks
    assert (await beat(epoch)).error_code == 0
    assert entry.kept_view is kept

    await node.catalogue.grow("t", 3)
    epoch = (await beat(epoch)).member_epoch
    assert entry.kept_view is not kept
    assert [count for _, count in entry.group.topics.values()] == [3]

    await create_topic(served.address, "u", 1)
    epoch = (await beat(epoch, ["t", "u"])).member_epoch
    assert (await beat(epoch)).error_code == 0
    assert entry.kept_view is not None
    assert entry.kept_view.view.topics.keys() == {"t", "u"} == entry.kept_view.view.looked_up


@pytest.mark.parametrize("point", ["membership:before", "membership:after"])
async def test_a_heartbeat_reports_a_rebalance_once_it_is_committed(
    served: Serving, point: str
) -> None:
    """0 while the rebalance is inside its transaction, 27 once it is committed."""
    first, second = [await Client.connect(served.address) for _ in range(2)]
    beat = await first.settled("g")
    let_go = served.points.hold(point)
    second.send(join("g"), 3)
    await served.points.reached[point].wait()

    for _ in range(10):
        assert (await first.call(beat, V)).error_code == ErrorCode.NONE
    let_go()
    while (heard := (await first.call(beat, V)).error_code) == ErrorCode.NONE:
        await asyncio.sleep(0.001)
    assert heard == ErrorCode.REBALANCE_IN_PROGRESS

    first.send(join("g", beat.member_id), 3)
    answers = await asyncio.gather(first.receive(), second.receive())
    assert {a.error_code for a in answers} == {ErrorCode.NONE}
    assert {a.generation_id for a in answers} == {beat.generation_id + 1}
    assert (await first.call(beat, V)).error_code == ErrorCode.ILLEGAL_GENERATION


async def test_a_rolled_back_rebalance_is_never_reported(served: Serving, other: Other) -> None:
    """The batch dies before its COMMIT: heartbeats are answered as before."""
    first, second = [await Client.connect(served.address) for _ in range(2)]
    beat = await first.settled("g")
    let_go = served.points.hold("membership:connected")
    second.send(join("g"), 3)
    await served.points.reached["membership:connected"].wait()
    await other.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'rollcall node membership' AND datname = current_database()"
    )
    let_go()

    assert (await second.receive()).error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    while (heard := (await first.call(beat, V)).error_code) != ErrorCode.NONE:
        assert heard == ErrorCode.COORDINATOR_NOT_AVAILABLE, "it heard of the rebalance"
        await asyncio.sleep(0.002)
