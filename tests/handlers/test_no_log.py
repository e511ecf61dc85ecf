"""What clients hear that ask for records: nothing to read, nothing kept, offsets that hold."""

from dataclasses import replace
from uuid import UUID

import pytest

from groups.core.errors import ErrorCode
from protocol.handlers import fetch, list_offsets, produce
from protocol.handlers.support.wire_codes import WireCode
from rollcall.wire.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
)
from rollcall.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from rollcall.wire.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.handlers.world import World, settings

pytestmark = pytest.mark.asyncio

LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, PENDING = range(-1, -7, -1)


# ---- fetch


def a_fetch(max_wait_ms: int = 500, session_epoch: int = -1, start: int = 7) -> FetchRequest:
    parts = [FetchPartition(partition=i, fetch_offset=start + i) for i in (0, 1)]
    return FetchRequest(
        max_wait_ms=max_wait_ms,
        session_epoch=session_epoch,
        topics=[FetchTopic(topic="orders", topic_id=UUID(int=5), partitions=parts)],
    )


def named(reply: FetchResponse) -> list[tuple[int, int]]:
    """The partitions of a response, with their high watermarks; of one topic at most."""
    assert reply.error_code == 0
    parts = [part for topic in reply.responses for part in topic.partitions]
    assert all((p.error_code, p.records) == (0, b"") for p in parts)
    return [(part.partition_index, part.high_watermark) for part in parts]


async def test_a_fetch_without_a_session_gets_its_partitions_each_time(cut_off: World) -> None:
    """kafka-go dials again, and sarama delays its commits, where they are missing."""
    for version in range(4, 19):
        for _ in range(4):
            reply = await cut_off.ask(fetch.handle, version, a_fetch())
            assert (named(reply), reply.session_id) == ([(0, 7), (1, 8)], 0)
            [topic] = reply.responses
            assert topic.topic == "orders" if version < 13 else topic.topic_id == UUID(int=5)


async def test_a_session_returns_each_partition_once(cut_off: World) -> None:
    """Of later requests only what they name: it is new in the session, or has another offset."""
    for version in range(7, 19):
        first = await cut_off.ask(fetch.handle, version, a_fetch(session_epoch=0))
        idle = FetchRequest(session_id=first.session_id, session_epoch=1)
        second = await cut_off.ask(fetch.handle, version, idle)
        added = replace(a_fetch(session_epoch=2, start=40), session_id=first.session_id)
        third = await cut_off.ask(fetch.handle, version, added)
        left = await cut_off.ask(fetch.handle, version, replace(added, session_epoch=-1))

        assert [named(r) for r in (first, second, third, left)] == [
            [(0, 7), (1, 8)], [], [(0, 40), (1, 41)], [(0, 40), (1, 41)]
        ]  # fmt: skip
        sessions = [r.session_id for r in (first, second, third, left)]
        assert sessions == [first.session_id] * 3 + [0] and first.session_id != 0


async def test_an_older_fetch_returns_each_partition(cut_off: World) -> None:
    for version in range(4, 7):
        answer = await cut_off.ask(fetch.handle, version, a_fetch())
        assert [t.topic for t in answer.responses] == ["orders"]
        assert [
            (p.partition_index, p.error_code, p.high_watermark, p.last_stable_offset, p.records)
            for p in answer.responses[0].partitions
        ] == [(0, 0, 7, 7, b""), (1, 0, 8, 8, b"")]


@pytest.mark.parametrize(
    ("max_wait_ms", "held_s"),
    [
        *((0, 0.5), (1, 0.5), (49, 0.5), (-1, 0.5)),  # a pause, which the client does not name
        *((50, 0.05), (375, 0.375), (500, 0.5), (2_000, 2.0), (2**31 - 1, 30.0)),
    ],
)
async def test_a_fetch_is_held_within_bounds(
    cut_off: World, max_wait_ms: int, held_s: float
) -> None:
    cut_off.settings = settings(fetch_hold_min_ms=500, fetch_hold_max_ms=30_000)
    await cut_off.ask(fetch.handle, 12, a_fetch(max_wait_ms))
    assert cut_off.holds == [held_s]


async def test_the_end_of_a_fetch_session_is_not_held(cut_off: World) -> None:
    """Java's consumer sends it when it closes, with its usual wait, and waits for the answer."""
    for version in range(7, 19):
        ends = FetchRequest(max_wait_ms=500, session_id=1, session_epoch=-1, topics=[])
        answer = await cut_off.ask(fetch.handle, version, ends)
        assert (answer.error_code, answer.session_id, list(answer.responses)) == (0, 0, [])
    assert cut_off.holds == []


async def test_a_fetch_that_ends_a_session_and_asks_for_partitions_is_held(cut_off: World) -> None:
    asked = replace(a_fetch(max_wait_ms=500), session_id=1)
    await cut_off.ask(fetch.handle, 12, asked)
    await cut_off.ask(fetch.handle, 12, FetchRequest(max_wait_ms=500, session_epoch=-1))
    assert cut_off.holds == [0.5, 0.5]


# ---- produce


def a_produce(acks: int) -> ProduceRequest:
    parts = [PartitionProduceData(index=i, records=b"not even looked at") for i in (0, 3)]
    return ProduceRequest(
        acks=acks, timeout_ms=1_000, topic_data=[TopicProduceData(name="t", partition_data=parts)]
    )


async def test_a_produce_is_refused_for_each_partition(cut_off: World) -> None:
    for version in range(3, 14):
        answer = await cut_off.ask(produce.handle, version, a_produce(acks=-1))
        partitions = answer.responses[0].partition_responses
        assert [(p.index, p.error_code, p.base_offset) for p in partitions] == [
            (0, ErrorCode.POLICY_VIOLATION, -1),
            (3, ErrorCode.POLICY_VIOLATION, -1),
        ]
        assert bool(partitions[0].error_message) is (version >= 8)


async def test_a_produce_that_wants_no_reply_gets_none(cut_off: World) -> None:
    assert await cut_off.try_ask(produce.handle, 9, a_produce(acks=0)) is None


# ---- list offsets


async def listed(
    world: World, version: int, *asked: tuple[str, int, int]
) -> list[ListOffsetsPartitionResponse]:
    topics = [
        ListOffsetsTopic(
            name=name,
            partitions=[ListOffsetsPartition(partition_index=partition, timestamp=timestamp)],
        )
        for name, partition, timestamp in asked
    ]
    answer = await world.ask(
        list_offsets.handle, version, ListOffsetsRequest(replica_id=-1, topics=topics)
    )
    return [partition for topic in answer.topics for partition in topic.partitions]


async def test_a_partition_without_commits_begins_and_ends_at_zero(world: World) -> None:
    await world.catalogue.create("orders", 1)
    for version in range(1, 12):
        for timestamp, offset in ((LATEST, 0), (EARLIEST, 0), (12_345, -1)):
            (told,) = await listed(world, version, ("orders", 0, timestamp))
            assert (told.error_code, told.offset, told.timestamp) == (0, offset, -1)


async def test_a_partition_requested_twice_is_answered_once(world: World) -> None:
    await world.catalogue.create("orders", 2)
    asked = [("orders", 0, LATEST), ("orders", 1, LATEST), ("orders", 0, EARLIEST)]
    for version in (1, 8):
        offsets = await listed(world, version, *asked, ("absent", 0, LATEST), ("absent", 0, LATEST))
        assert [(p.partition_index, p.error_code) for p in offsets] == [
            (0, ErrorCode.INVALID_REQUEST),
            (1, 0),
            (0, ErrorCode.INVALID_REQUEST),
        ]


async def test_latest_is_the_greatest_commit_or_the_reported_end(world: World) -> None:
    await world.catalogue.create("orders", 4)
    for group, partition, offset in (("a", 0, 7), ("b", 0, 9), ("a", 1, 3), ("a", 3, -2)):
        await world.commit(group, "orders", partition, offset)
    assert world.connection is not None
    await world.connection.execute("UPDATE rollcall_topic SET end_offsets = '{5, 6}'")
    await world.catalogue.rung(("orders",))
    offsets = await listed(world, 7, *(("orders", i, LATEST) for i in range(4)))
    assert [(p.offset, p.leader_epoch) for p in offsets] == [(9, -1), (6, -1), (0, -1), (0, -1)]


async def test_special_times_need_their_versions(world: World) -> None:
    await world.catalogue.create("orders", 1)
    asked = (MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, PENDING)
    unsupported = (ErrorCode.UNSUPPORTED_VERSION, -1)
    for version, answers in (
        (7, [(0, -1), unsupported, unsupported, unsupported]),
        (8, [(0, -1), (0, 0), unsupported, unsupported]),
        (9, [(0, -1), (0, 0), (0, -1), unsupported]),
        (11, [(0, -1), (0, 0), (0, -1), (0, -1)]),
    ):
        offsets = [(await listed(world, version, ("orders", 0, t)))[0] for t in asked]
        assert [(p.error_code, p.offset) for p in offsets] == answers


async def test_an_unknown_special_time_is_refused_whatever_the_topic(world: World) -> None:
    """As there: what the request means is asked before what it is about."""
    offsets = await listed(world, 11, ("absent", 0, -7))
    assert [p.error_code for p in offsets] == [ErrorCode.UNSUPPORTED_VERSION]


async def test_unknown_partitions_get_an_error(world: World) -> None:
    await world.catalogue.create("orders", 1)
    asked = [("orders", 1, LATEST), ("orders", -1, LATEST), ("nothing", 0, EARLIEST)]
    for told in await listed(world, 7, *asked):
        assert told.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


async def test_without_a_database_latest_is_a_retriable_error(cut_off: World) -> None:
    offsets = await listed(cut_off, 7, ("orders", 0, LATEST))
    assert offsets[0].error_code == WireCode.LEADER_NOT_AVAILABLE
