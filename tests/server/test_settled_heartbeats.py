"""The empty heartbeat of a settled member of the consumer protocol, answered from memory: alike in
all but the time it takes."""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from benchmarks.wire import create_topic
from groups.core.configs.group import HEARTBEAT_INTERVAL
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode
from groups.core.events import ConsumerHeartbeat
from protocol.connection.connection import KafkaConnection
from protocol.handlers.support import long_poll
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tests.server.client import Client
from tests.server.serving import Serving, until

V = 1
TOPIC = "work"


def joining(member_id: str, group_id: str = "g") -> ConsumerGroupHeartbeatRequest:
    return ConsumerGroupHeartbeatRequest(
        group_id=group_id,
        member_id=member_id,
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=[TOPIC],
        topic_partitions=[],
    )


@pytest.fixture
async def member(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> tuple[Client, KafkaConnection, ConsumerGroupHeartbeatRequest, list[Any]]:
    """A settled member that memory answers, as its group counts as quiet, its empty heartbeat, and
    every event that is submitted from now on."""
    monkeypatch.setattr(long_poll, "QUIET_MS", 0)
    await create_topic(served.address, TOPIC, 2)
    client, connection = await served.connect()
    joined = await client.call(joining(str(uuid4())), V)
    owns = joined.assignment.topic_partitions
    empty = ConsumerGroupHeartbeatRequest(
        group_id="g", member_id=joined.member_id, member_epoch=joined.member_epoch
    )
    assert not (await client.call(replace(empty, topic_partitions=owns), V)).error_code
    usual_ms = served.node.coordinator.own.rules.group_consumer_heartbeat_interval_ms
    while (await client.call(empty, V)).heartbeat_interval_ms != usual_ms:
        await asyncio.sleep(0.002)
    submitted: list[Any] = []
    submit = served.node.coordinator.submit

    def noting(group_id: str, event: Any) -> None:
        submitted.append(event)
        submit(group_id, event)

    monkeypatch.setattr(served.node.coordinator, "submit", noting)
    return client, connection, empty, submitted


Member = tuple[Client, KafkaConnection, ConsumerGroupHeartbeatRequest, list[Any]]


async def test_memory_answers_as_a_step_would(served: Serving, member: Member) -> None:
    client, connection, empty, submitted = member
    beat = served.node.coordinator.entries["g"].group.live.beats[empty.member_id]
    counted = sum(served.server.served["ConsumerGroupHeartbeat"].durations.counts)
    beat.at -= 5_000
    before = beat.at

    from_memory = await client.call(empty, V)

    assert not submitted
    assert beat.at > before
    assert sum(served.server.served["ConsumerGroupHeartbeat"].durations.counts) == counted + 1
    connection._settled._settled = None
    stepped = await client.call(empty, V)
    assert [type(event) for event in submitted] == [ConsumerHeartbeat]
    assert from_memory == stepped


async def test_news_is_sent_at_once(served: Serving, member: Member) -> None:
    """Another member joins: a settled one is told at its next heartbeat."""
    client, _connection, empty, submitted = member
    newcomer = await Client.connect(served.address)
    await newcomer.call(joining(str(uuid4())), V)
    while (reply := await client.call(empty, V)).assignment is None:
        assert reply.error_code == ErrorCode.NONE
        await asyncio.sleep(0.002)
    assert [len(topic.partitions) for topic in reply.assignment.topic_partitions] == [1]
    assert submitted


async def test_a_removed_member_is_told_so(served: Serving, member: Member) -> None:
    client, _connection, empty, _submitted = member
    other = await Client.connect(served.address)
    gone = await other.call(replace(empty, member_epoch=-1), V)
    assert gone.error_code == ErrorCode.NONE

    assert (await client.call(empty, V)).error_code == ErrorCode.UNKNOWN_MEMBER_ID


CHANGES: dict[str, dict[str, Any]] = {
    "an older epoch": {"member_epoch": 1},
    "a name": {"subscribed_topic_names": [TOPIC]},
    "what it owns": {"topic_partitions": []},
    "a timeout": {"rebalance_timeout_ms": 60_000},
    "a rack": {"rack_id": "r"},
    "an assignor": {"server_assignor": "uniform"},
    "leaves": {"member_epoch": -1},
}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_heartbeat_with_content_takes_a_step(
    served: Serving, member: Member, change: str
) -> None:
    client, _connection, empty, submitted = member
    await client.call(replace(empty, **CHANGES[change]), V)
    assert len(submitted) == 1


async def test_changed_topics_are_news(served: Serving, member: Member) -> None:
    client, _connection, empty, _submitted = member
    await served.node.catalogue.grow(TOPIC, 3)
    while (reply := await client.call(empty, V)).assignment is None:
        assert reply.error_code == ErrorCode.NONE
        await asyncio.sleep(0.002)
    assert [len(topic.partitions) for topic in reply.assignment.topic_partitions] == [3]


async def test_without_a_lease_memory_does_not_answer(served: Serving, member: Member) -> None:
    _client, connection, _empty, _submitted = member
    settled = connection._settled
    known = settled._settled
    assert known is not None
    frame = known.head + b"\0\0\0\1" + known.tail
    now = connection._last_frame_at
    assert settled.answer(frame, now) is not None
    served.node.coordinator.lease_until = 0
    assert settled.answer(frame, now) is None


async def test_a_client_that_pauses_may_be_held(served: Serving, member: Member) -> None:
    """The queue holds heartbeats: one that may be held goes there."""
    _client, connection, _empty, _submitted = member
    settled = connection._settled
    known = settled._settled
    assert known is not None
    frame = known.head + b"\0\0\0\1" + known.tail
    assert settled.answer(frame, connection._last_frame_at) is not None
    assert settled.answer(frame, connection._last_frame_at + 1.0) is None


async def test_a_row_changed_by_another_connection_is_written_again(
    served: Serving, member: Member
) -> None:
    """The row says from where its member speaks: it goes by the connection that beats."""
    client, _connection, empty, submitted = member
    other = await Client.connect(served.address)
    other.client_id = b"another"
    await other.call(empty, V)
    submitted.clear()

    await client.call(empty, V)

    assert len(submitted) == 1


async def test_topics_that_change_during_the_decision_are_news(
    served: Serving, member: Member
) -> None:
    """The group was shown the topics of before: memory must not say so from then on."""
    client, connection, empty, submitted = member
    connection._settled._settled = None
    let_go = served.points.hold("membership:before")
    other = await Client.connect(served.address)
    other.send(joining(str(uuid4()), "h"), V)
    await served.points.reached["membership:before"].wait()
    submitted.clear()
    client.send(empty, V)
    await until(lambda: submitted)
    await served.node.catalogue.grow(TOPIC, 3)
    let_go()
    assert (await client.receive()).error_code == ErrorCode.NONE

    assert (await client.call(empty, V)).error_code == ErrorCode.NONE
    group = served.node.coordinator.group("g")
    assert isinstance(group, ConsumerGroup)
    assert group.topics[TOPIC][1] == 3


async def test_a_groups_own_interval_is_returned(served: Serving, member: Member) -> None:
    client, _connection, empty, _submitted = member
    usual_ms = (await client.call(empty, V)).heartbeat_interval_ms
    served.node.coordinator.configure("g", {HEARTBEAT_INTERVAL: str(usual_ms + 1_000)})
    assert (await client.call(empty, V)).heartbeat_interval_ms == usual_ms + 1_000
    served.node.coordinator.configure("g", {})
    assert (await client.call(empty, V)).heartbeat_interval_ms == usual_ms
