"""What waits when the right to wait ends: rules are removed, users are deleted.

Everything that a client may leave open for seconds or minutes is here: heartbeats of both protocols
that are held, a join that is parked, polls and fetches that wait for something.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import pytest

from groups.clients import scram_credentials as scram
from groups.core.acls.bindings import AclOperation
from groups.core.errors import ErrorCode
from protocol.connection.connection import KafkaConnection
from protocol.connection.listeners import Listener, Security
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from rollcall.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from rollcall.wire.messages.delete_acls import DeleteAclsRequest
from rollcall.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from rollcall.wire.messages.poll_commands import PollCommandsRequest
from tests.in_process import Other
from tests.security.test_acls import create, everything, logged_in, reading
from tests.security.test_sasl import make_user
from tests.server.client import Client, consumer_join, join
from tests.server.serving import Serving, serving, until

PAUSE_S = 50.0
SOON_S = 5.0
"""Within which a right that was taken has ended everywhere."""

LONG_MS = 60_000


@pytest.fixture
async def served(_prepared: None, settings: Any, other: Other) -> AsyncIterator[Serving]:
    """Everything waits for longer than a test. Ann may do everything, Ben what she allows."""
    settings.AUTHORIZER, settings.SUPER_USERS = "on", "User:ann"
    settings.GROUP_HEARTBEAT_HOLD_MS = LONG_MS
    settings.GROUP_CONSUMER_HEARTBEAT_HOLD_PERCENT = 100
    settings.FETCH_HOLD_MIN_MS = settings.FETCH_HOLD_MAX_MS = LONG_MS
    await other.execute("DELETE FROM rollcall_credential")
    for name in ("ann", "ben"):
        await make_user(other, name, "SCRAM-SHA-256")
    async with serving((Listener("SASL", "127.0.0.1", 0, Security.SASL_PLAINTEXT),)) as started:
        yield started


async def create_topic_as(ann: Client) -> None:
    """The topic ``t``."""
    wanted = CreatableTopic(name="t", num_partitions=2, replication_factor=1)
    made = await ann.call(CreateTopicsRequest(topics=[wanted], timeout_ms=10_000), 5)
    assert not made.topics[0].error_code


def is_held(connection: KafkaConnection) -> bool:
    """Whether a request of this connection waits for news."""
    return connection._hold.correlation_id is not None or connection.pauses.held is not None


async def beats(served: Serving, ben: Client) -> None:
    """A classic heartbeat, on the fast path."""
    beat = await ben.settled("g", session_ms=120_000)
    assert (await ben.call(beat, 3)).error_code == 0  # the first is never held
    served.clock.ahead_s += PAUSE_S
    ben.send(beat, 3)


async def beats_as_a_consumer(served: Serving, ben: Client) -> None:
    """A heartbeat of the consumer protocol that says nothing."""
    joined = await ben.call(consumer_join("c"), 1)
    assert joined.error_code == 0, joined
    owned = [
        TopicPartitions(topic_id=each.topic_id, partitions=each.partitions)
        for each in joined.assignment.topic_partitions
    ]
    told: Mapping[str, Any] = {
        "group_id": "c",
        "member_id": joined.member_id,
        "member_epoch": joined.member_epoch,
    }
    await ben.call(ConsumerGroupHeartbeatRequest(**told, topic_partitions=owned), 1)
    served.clock.ahead_s += PAUSE_S
    ben.send(ConsumerGroupHeartbeatRequest(**told), 1)


async def joins(served: Serving, ben: Client) -> None:
    """A join that waits for Ann, who is a member and does not join again."""
    await (await logged_in(served, "ann")).settled("g", session_ms=120_000)
    ben.send(join("g", session_ms=120_000), 3)


async def polls(_served: Serving, ben: Client) -> None:
    """A member that waits for commands."""
    beat = await ben.settled("g", session_ms=120_000)
    request = PollCommandsRequest(group_id="g", member_id=beat.member_id, max_wait_ms=LONG_MS)
    ben.send(request, 0)


async def fetches(_served: Serving, ben: Client) -> None:
    """A consumer that waits for records."""
    part = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1)
    wanted = FetchTopic(topic="t", partitions=[part])
    ben.send(FetchRequest(max_wait_ms=LONG_MS, min_bytes=1, topics=[wanted]), 12)


Waits = Callable[[Serving, Client], Awaitable[None]]
WAITING = (beats, beats_as_a_consumer, joins, polls, fetches)


async def waiting(served: Serving, waits: Waits) -> tuple[Client, Client]:
    """Ann, and Ben, who has been allowed to wait, and does."""
    ann = await logged_in(served, "ann")
    await create_topic_as(ann)
    both = [reading("g"), reading("c"), reading("t", resource_type=2)]
    assert await create(ann, *both) == [0, 0, 0]
    known = set(served.connections)
    ben = await logged_in(served, "ben")
    (connection,) = set(served.connections) - known
    await waits(served, ben)
    await until(lambda: is_held(connection) or (waits is joins and connection.pending))
    return ann, ben


@pytest.mark.parametrize("waits", WAITING)
async def test_a_waiting_member_that_loses_its_right_stops_waiting(
    served: Serving, waits: Waits
) -> None:
    """It gets an error, or its connection ends; waiting clients with the right are not affected."""
    ann, ben = await waiting(served, waits)
    others, other = await waiting_too(served)

    gone = await ann.call(DeleteAclsRequest(filters=[everything(principal_filter="User:ben")]), 3)
    assert not gone.filter_results[0].error_code

    async with asyncio.timeout(SOON_S):
        if waits is beats:
            assert (await ben.receive()).error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED
        else:
            assert await ben.ended() == b""
    assert is_held(other) and not others.reader.at_eof()


async def waiting_too(served: Serving) -> tuple[Client, KafkaConnection]:
    """Ann herself waits for records as well."""
    known = set(served.connections)
    client = await logged_in(served, "ann")
    (connection,) = set(served.connections) - known
    await fetches(served, client)
    await until(lambda: is_held(connection))
    return client, connection


@pytest.mark.parametrize("waits", WAITING)
async def test_the_waiting_member_of_a_deleted_user_stops_waiting(
    served: Serving, waits: Waits, other: Other
) -> None:
    _ann, ben = await waiting(served, waits)

    named = {"name": "ben", "mechanism": "SCRAM-SHA-256"}
    await other.execute(scram.DROP.encode(), named)
    await other.execute(scram.RING.encode())

    async with asyncio.timeout(SOON_S):
        assert await ben.ended() == b""


async def test_removing_an_own_rule_is_answered_before_it_applies(served: Serving) -> None:
    """The request that does it was allowed, and is no longer; it is done."""
    ann, ben = await logged_in(served, "ann"), await logged_in(served, "ben")
    cluster: dict[str, Any] = {"resource_type": 4, "operation": AclOperation.ALTER}
    assert await create(ann, reading("kafka-cluster", **cluster)) == [0]
    mine = everything(principal_filter="User:ben")
    gone = await ben.call(DeleteAclsRequest(filters=[mine]), 3)
    assert len(gone.filter_results[0].matching_acls) == 1
    denied = await ben.call(DeleteAclsRequest(filters=[mine]), 3)
    assert denied.filter_results[0].error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
