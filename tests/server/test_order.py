"""Replies come in the order of the requests, whatever each of them has to wait for."""

import asyncio
from dataclasses import replace

from groups.core.errors import ErrorCode
from rollcall.wire.messages.describe_cluster import DescribeClusterRequest
from rollcall.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest
from tests.server.client import Client, hello, join
from tests.server.serving import Serving, until

V = 3


def fetch(max_wait_ms: int) -> FetchRequest:
    return FetchRequest(max_wait_ms=max_wait_ms, min_bytes=1, max_bytes=1, topics=[])


async def test_replies_keep_the_order_of_a_pipeline(served: Serving) -> None:
    """Heartbeats from memory, reads of rows, holds and plain answers, in one heap."""
    client = await Client.connect(served.address)
    beat = await client.settled("g")
    heap = b"".join(
        client.packed(request, version)
        for _ in range(40)
        for request, version in (
            (beat, V),
            (OffsetFetchRequest(group_id="g", topics=None), 7),
            (beat, V),
            (fetch(500), 12),
            (hello(), 3),
            (FindCoordinatorRequest(key="g", key_type=0), 2),
            (DescribeClusterRequest(include_cluster_authorized_operations=False), 0),
            (beat, 4),
        )
    )
    client.writer.write(heap)

    for _ in range(len(client.sent)):
        assert getattr(await client.receive(), "error_code", 0) == ErrorCode.NONE


async def test_a_heartbeat_does_not_overtake_a_slow_commit(served: Serving) -> None:
    """Behind a request that waits for its transaction, the fast path keeps its turn."""
    client, connection = await served.connect()
    beat = await client.settled("g")
    bystander = await Client.connect(served.address)
    let_go = served.points.hold("membership:before")
    client.send(join("g", beat.member_id), V)
    await served.points.reached["membership:before"].wait()
    client.send(beat, V)
    await until(lambda: connection.pending == 2)
    assert (await bystander.call(beat, V)).error_code == ErrorCode.NONE  # by its own, at once
    let_go()

    assert (await client.receive()).generation_id == beat.generation_id + 1
    assert (await client.receive()).error_code == ErrorCode.ILLEGAL_GENERATION


async def test_a_parked_join_delays_later_requests(served: Serving) -> None:
    """As Kafka does: one request of a connection at a time, the next when it was answered."""
    first, _ = await served.connect()
    second, behind = await served.connect()
    beat = await first.settled("g")
    second.send(join("g"), V)
    second.send(hello(), V)
    second.send(HeartbeatRequest(group_id="g", generation_id=9, member_id="m"), V)
    await until(lambda: behind.pending == 3)
    await first.hears_of_a_rebalance(beat)
    assert (behind.pending, behind.requests) == (3, 1)

    first.send(join("g", beat.member_id), V)
    assert (await second.receive()).generation_id == beat.generation_id + 1
    assert (await second.receive()).api_keys
    assert (await second.receive()).error_code == ErrorCode.UNKNOWN_MEMBER_ID


async def test_a_fetch_is_held_for_its_max_wait(served: Serving) -> None:
    client = await Client.connect(served.address)
    loop = asyncio.get_running_loop()
    asked_at = loop.time()

    assert (await client.call(fetch(700), 12)).error_code == ErrorCode.NONE

    assert 0.69 <= loop.time() - asked_at < 5


async def test_a_held_fetch_is_answered_when_the_next_frame_arrives(served: Serving) -> None:
    """Half a frame does not end it, a whole one does: a heartbeat must not be late."""
    client, connection = await served.connect()
    beat = await client.settled("g")
    started_at = asyncio.get_running_loop().time()
    client.send(fetch(30_000), 12)
    await until(lambda: connection.pauses.held is not None)
    whole = client.packed(beat, V)
    client.writer.write(whole[:7])
    await until(lambda: len(connection._frames.held) == 7)
    assert connection.pauses.held is not None and not connection.pauses.held.done()

    client.writer.write(whole[7:])
    assert (await client.receive()).error_code == ErrorCode.NONE
    assert (await client.receive()).error_code == ErrorCode.NONE
    assert asyncio.get_running_loop().time() - started_at < 10


async def test_sarama_gets_each_partition_with_every_fetch(served: Serving) -> None:
    """Without them it fetches again at once, and a commit that waits meanwhile waits on."""
    client = await Client.connect(served.address)
    await client.call(replace(hello(), client_software_name="sarama"), 3)
    asked = FetchTopic(topic="t", partitions=[FetchPartition(partition=0, fetch_offset=7)])
    for _ in range(2):
        answer = await client.call(replace(fetch(500), topics=[asked]), 12)
        assert [topic.topic for topic in answer.responses] == ["t"]


async def test_frames_may_arrive_byte_by_byte_or_all_at_once(served: Serving) -> None:
    client = await Client.connect(served.address)
    beat = await client.settled("g")
    for byte in client.packed(beat, V) + client.packed(hello(), 3) + client.packed(beat, V):
        client.writer.write(bytes([byte]))
        await asyncio.sleep(0)

    assert (await client.receive()).error_code == ErrorCode.NONE
    assert (await client.receive()).api_keys
    assert (await client.receive()).error_code == ErrorCode.NONE
