"""Plain commits are decided as they arrive: alike in all but the time it takes."""

import asyncio
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from benchmarks.wire import create_topic
from groups.core.errors import ErrorCode
from protocol.connection.connection import KafkaConnection
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.leave_group import LeaveGroupRequest
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest
from tests.server.client import Client, hello
from tests.server.serving import Serving, until

VERSIONS = range(OffsetCommitRequest.versions[0], OffsetCommitRequest.versions[1] + 1)
V = 7
TOPIC = "work"
PARTITIONS = 4
OFFSETS = (-1, 0, 7, 2**63 - 1, 5)


@pytest.fixture
async def member(served: Serving) -> tuple[Client, KafkaConnection, HeartbeatRequest]:
    """A settled member over a connection of its own, and a topic to commit to."""
    await create_topic(served.address, TOPIC, PARTITIONS)
    other = await Client.connect(served.address)
    beat = await other.settled("g")
    client, connection = await served.connect()
    return client, connection, beat


def commit(
    beat: HeartbeatRequest, topics: Sequence[OffsetCommitRequestTopic], **more: Any
) -> OffsetCommitRequest:
    values = {
        "group_id": beat.group_id,
        "generation_id_or_member_epoch": beat.generation_id,
        "member_id": beat.member_id,
        "topics": topics,
        **more,
    }
    return OffsetCommitRequest(**values)


def offsets(
    *partitions: int, name: str = TOPIC, metadata: str | None = "", offset: int = 5
) -> OffsetCommitRequestTopic:
    return OffsetCommitRequestTopic(
        name=name,
        partitions=[
            OffsetCommitRequestPartition(
                partition_index=index, committed_offset=offset, committed_metadata=metadata
            )
            for index in partitions
        ],
    )


async def test_a_plain_commit_is_stored_without_an_application_task(
    served: Serving, member: tuple[Client, KafkaConnection, HeartbeatRequest]
) -> None:
    client, connection, beat = member

    answer = await client.call(commit(beat, [offsets(0, 2, offset=9)]), V)

    assert [p.error_code for p in answer.topics[0].partitions] == [0, 0]
    assert served.application(connection) is None
    assert (connection.requests, connection.pending, len(served.server.pending_replies)) == (
        1,
        0,
        0,
    )
    stored = await client.call(OffsetFetchRequest(group_id="g", topics=None), V)
    found = {p.partition_index: p.committed_offset for p in stored.topics[0].partitions}
    assert found == {0: 9, 2: 9}


SHAPES: dict[str, tuple[list[OffsetCommitRequestTopic], dict[str, Any]]] = {
    "good": ([offsets(0, 1)], {}),
    "a partition twice": ([offsets(0, 0)], {}),
    "a topic twice": ([offsets(0), offsets(1)], {}),
    "metadata": ([offsets(1, metadata="note \0 \uf8ff")], {}),
    "no metadata": ([offsets(1, metadata=None)], {}),
    "metadata too long": ([offsets(0), offsets(1, metadata="x" * 5_000)], {}),
    "no such partition": ([offsets(0, PARTITIONS), offsets(-1)], {}),
    "no such topic": ([offsets(0), offsets(0, name="none")], {}),
    "no topics": ([], {}),
    "no partitions": ([offsets()], {}),
    "a stranger": ([offsets(0)], {"member_id": "stranger"}),
    "an instance": ([offsets(0)], {"group_instance_id": "i"}),
    "an older generation": ([offsets(0)], {"generation_id_or_member_epoch": 0}),
    "no member": ([offsets(0)], {"generation_id_or_member_epoch": -1, "member_id": ""}),
    "a group of nobody": ([offsets(0)], {"group_id": "new", "generation_id_or_member_epoch": 3}),
    "no group": ([offsets(0)], {"group_id": ""}),
    "an impossible group": ([offsets(0)], {"group_id": "a\0b"}),
    "a time to live": ([offsets(0)], {"retention_time_ms": 5_000}),
}


async def test_it_is_answered_like_a_queued_one(
    served: Serving, member: tuple[Client, KafkaConnection, HeartbeatRequest]
) -> None:
    """The same request by itself, and behind another one, which leads it past the fast path. Each
    shape has a connection of its own."""
    client, _, beat = member
    metadata = MetadataRequest(topics=[MetadataRequestTopic(name=TOPIC)])
    topic_id = (await client.call(metadata, 12)).topics[0].topic_id
    for (shape, (topics, more)), version in product(SHAPES.items(), VERSIONS):
        if version == VERSIONS[0]:
            client, connection = await served.connect()
        for topic in topics:
            topic.topic_id = topic_id
        request = commit(beat, topics, **more)

        by_itself = await client.call(request, version)
        client.writer.write(client.packed(hello(), 3) + client.packed(request, version))
        await client.receive()
        in_turn = await client.receive()

        assert by_itself == in_turn, (shape, version)
        assert connection.pending == 0


async def test_nothing_overtakes_a_commit(
    served: Serving, member: tuple[Client, KafkaConnection, HeartbeatRequest]
) -> None:
    """What comes behind it waits, be it in one read or in several, and is answered in order."""
    client, connection, beat = member
    let_go = served.points.hold("offsets:before")
    client.send(commit(beat, [offsets(0)]), V)
    await served.points.reached["offsets:before"].wait()
    client.send(beat, 3)
    client.send(hello(), 3)
    await until(lambda: connection._frames.held)
    client.send(commit(beat, [offsets(1)]), V)
    client.send(OffsetFetchRequest(group_id="g", topics=None), V)
    bystander = await Client.connect(served.address)
    assert (await bystander.call(beat, 3)).error_code == ErrorCode.NONE
    assert (connection.pending, connection.requests) == (1, 1)
    let_go()

    assert (await client.receive()).topics[0].partitions[0].error_code == ErrorCode.NONE
    assert (await client.receive()).error_code == ErrorCode.NONE
    assert (await client.receive()).api_keys
    assert (await client.receive()).topics[0].partitions[0].error_code == ErrorCode.NONE
    assert len((await client.receive()).topics[0].partitions) == 2


async def test_a_commit_whose_client_disconnected_leaves_nothing_behind(
    served: Serving, member: tuple[Client, KafkaConnection, HeartbeatRequest]
) -> None:
    client, connection, beat = member
    let_go = served.points.hold("offsets:before")
    client.send(commit(beat, [offsets(3, offset=7)]), V)
    await served.points.reached["offsets:before"].wait()
    assert len(served.server.pending_replies) == 1
    client.abort()
    await until(lambda: len(served.server.pending_replies) == 0)
    let_go()

    reader = await Client.connect(served.address)
    while not (await reader.call(OffsetFetchRequest(group_id="g", topics=None), V)).topics:
        await asyncio.sleep(0.002)
    assert connection not in served.server.connections or served.application(connection) is None


async def test_a_connection_that_closes_as_its_batch_commits_fails_nobody(
    served: Serving,
    member: tuple[Client, KafkaConnection, HeartbeatRequest],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The socket is closed, and the loop has not come to say so."""
    client, connection, beat = member
    other = await Client.connect(served.address)
    let_go = served.points.hold("offsets:before")
    client.send(commit(beat, [offsets(0)]), V)
    await served.points.reached["offsets:before"].wait()
    other.send(commit(beat, [offsets(1)]), V)
    await until(lambda: len(served.server.pending_replies) == 2)

    def closed(_self: object, _data: bytes) -> None:
        raise RuntimeError("the handler is closed")

    transport = connection._transport
    stands_in = type("Closed", (), {"is_closing": lambda _self: True, "write": closed})()
    monkeypatch.setattr(connection, "_transport", stands_in)
    let_go()

    assert (await other.receive()).topics[0].partitions[0].error_code == ErrorCode.NONE
    assert "a round failed" not in caplog.text
    monkeypatch.setattr(connection, "_transport", transport)


async def test_an_expired_lease_gets_the_error_of_the_queue(
    served: Serving, member: tuple[Client, KafkaConnection, HeartbeatRequest]
) -> None:
    client, _, beat = member
    served.node.coordinator.drop(list(served.node.coordinator.epochs), ErrorCode.NOT_COORDINATOR)

    answer = await client.call(commit(beat, [offsets(0)]), V)

    assert answer.topics[0].partitions[0].error_code == ErrorCode.NOT_COORDINATOR


# -- a commit that repeats the last one


async def answered(client: Client, request: OffsetCommitRequest, version: int = V) -> list[int]:
    answer = await client.call(request, version)
    return [p.error_code for topic in answer.topics for p in topic.partitions]


async def stored(client: Client) -> dict[int, tuple[int, str]]:
    answer = await client.call(OffsetFetchRequest(group_id="g", topics=None), V)
    return {
        p.partition_index: (p.committed_offset, p.metadata)
        for topic in answer.topics
        for p in topic.partitions
    }


async def test_a_repeated_commit_stores_its_own_offsets(
    served: Serving, member: tuple[Client, KafkaConnection, HeartbeatRequest]
) -> None:
    """Of every version, over a connection of its own."""
    client, _, beat = member
    metadata = MetadataRequest(topics=[MetadataRequestTopic(name=TOPIC)])
    topic_id = (await client.call(metadata, 12)).topics[0].topic_id
    for version, offset in product(VERSIONS, OFFSETS):
        if offset == OFFSETS[0]:
            client, connection = await served.connect()
        topic = offsets(2, 0, metadata="note", offset=offset)
        topic.topic_id = topic_id
        assert await answered(client, commit(beat, [topic]), version) == [0, 0]
        assert connection._commit._learnt is not None
        if offset >= 0:
            assert await stored(client) == {0: (offset, "note"), 2: (offset, "note")}


async def test_a_different_request_is_not_taken_for_a_repetition(
    served: Serving, member: tuple[Client, KafkaConnection, HeartbeatRequest]
) -> None:
    """Each differs from the one before in one thing, and is as long."""
    client, _connection, beat = member
    assert await answered(client, commit(beat, [offsets(0, metadata="a")])) == [0]
    assert await answered(client, commit(beat, [offsets(1, metadata="a")])) == [0]
    assert await answered(client, commit(beat, [offsets(1, metadata="b", offset=6)])) == [0]
    assert await stored(client) == {0: (5, "a"), 1: (6, "b")}
    wrong = commit(beat, [offsets(1, metadata="b")], generation_id_or_member_epoch=0)
    assert await answered(client, wrong) == [ErrorCode.ILLEGAL_GENERATION]
    other = commit(beat, [offsets(1, metadata="b")], group_id="h")
    assert await answered(client, other) == [ErrorCode.ILLEGAL_GENERATION]


async def test_a_repeated_commit_is_told_that_its_generation_has_ended(
    served: Serving, member: tuple[Client, KafkaConnection, HeartbeatRequest]
) -> None:
    client, connection, beat = member
    assert await answered(client, commit(beat, [offsets(0, 1)])) == [0, 0]
    other = await Client.connect(served.address)
    leave = LeaveGroupRequest(group_id="g", member_id=beat.member_id)
    assert (await other.call(leave, 1)).error_code == ErrorCode.NONE

    codes = await answered(client, commit(beat, [offsets(0, 1, offset=8)]))

    assert codes == [ErrorCode.UNKNOWN_MEMBER_ID] * 2
    assert served.application(connection) is None
    assert await stored(client) == {0: (5, ""), 1: (5, "")}


async def test_a_repeated_commit_is_told_that_its_topic_was_deleted(
    served: Serving, member: tuple[Client, KafkaConnection, HeartbeatRequest]
) -> None:
    client, _connection, beat = member
    assert await answered(client, commit(beat, [offsets(0)])) == [0]
    await served.node.catalogue.delete(TOPIC)
    again = commit(beat, [offsets(0, offset=6)])
    assert await answered(client, again) == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]


async def test_a_full_or_limited_group_is_checked_again(
    served: Serving, member: tuple[Client, KafkaConnection, HeartbeatRequest]
) -> None:
    client, connection, beat = member
    assert await answered(client, commit(beat, [offsets(0)])) == [0]
    served.node.coordinator.full = frozenset({"g"})

    assert await answered(client, commit(beat, [offsets(0, offset=6)])) == [0]
    assert served.application(connection) is not None


async def test_a_client_that_never_repeats_itself_is_no_longer_learnt(
    served: Serving, member: tuple[Client, KafkaConnection, HeartbeatRequest]
) -> None:
    client, connection, beat = member
    for number in range(5):
        noted = commit(beat, [offsets(0, metadata=f"note {number}")])
        assert await answered(client, noted) == [0]
    assert connection._commit._learnt is None
    assert await stored(client) == {0: (5, "note 4")}
