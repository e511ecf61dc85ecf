"""The three private APIs against a server of this process, with consumers that obey."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from groups.core.assignment import partitions_of
from groups.core.commands import START, STOP
from groups.core.errors import ErrorCode
from groups.postgres import connections
from rollcall.wire.messages.acknowledge_command import AcknowledgeCommandRequest
from rollcall.wire.messages.describe_groups import DescribeGroupsRequest
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from rollcall.wire.messages.list_groups import ListGroupsRequest
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.poll_commands import PollCommandsRequest
from rollcall.wire.messages.register_consumer import RegisterConsumerRequest, TopicThreads
from tests import rows
from tests.commanded.consumer import Consumer, Record
from tests.server.client import Client
from tests.server.conftest import _prepared as _prepared
from tests.server.conftest import other as other
from tests.server.serving import Serving, serving

ORDERS = [("orders", number) for number in range(4)]


@pytest.fixture
async def served(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    settings.REBALANCE_BACKOFF_MS = 200
    async with serving() as started:
        await started.node.catalogue.create_many({"orders": 4, "logs-1": 1, "logs-2": 2})
        yield started


@pytest.fixture
async def client(served: Serving) -> AsyncIterator[Client]:
    made = await Client.connect(served.address)
    yield made
    made.close()


@asynccontextmanager
async def running(
    served: Serving, record: Record, names: Sequence[str], **options: Any
) -> AsyncIterator[list[Consumer]]:
    """Consumers that run until the end of the block."""
    consumers = [Consumer([served.address], "g", name, record, **options) for name in names]
    tasks = [asyncio.create_task(consumer.run()) for consumer in consumers]
    try:
        yield consumers
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def registration(consumer_id: str = "a", **said: Any) -> RegisterConsumerRequest:
    plain = {"topics": [TopicThreads(name="orders", threads=2)], "session_timeout_ms": 10_000}
    return RegisterConsumerRequest(group_id="g", consumer_id=consumer_id, **{**plain, **said})


def poll(consumer_id: str = "a", last: int = 0, wait_ms: int = 5_000) -> PollCommandsRequest:
    return PollCommandsRequest(
        group_id="g", member_id=consumer_id, last_command_id=last, max_wait_ms=wait_ms
    )


def done(consumer_id: str, command_id: int) -> AcknowledgeCommandRequest:
    return AcknowledgeCommandRequest(group_id="g", member_id=consumer_id, command_id=command_id)


def commit(consumer_id: str, generation: int) -> OffsetCommitRequest:
    partition = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=7, committed_metadata=""
    )
    return OffsetCommitRequest(
        group_id="g",
        generation_id_or_member_epoch=generation,
        member_id=consumer_id,
        topics=[OffsetCommitRequestTopic(name="orders", partitions=[partition])],
    )


async def started(client: Client, consumer_id: str = "a") -> int:
    """Register one consumer and obey until it works; its generation."""
    last = (await client.call(registration(consumer_id), 0)).last_command_id
    while True:
        for command in (await client.call(poll(consumer_id, last), 0)).commands:
            last = command.command_id
            assert (await client.call(done(consumer_id, last), 0)).error_code == 0
            if command.option == START:
                return int(command.generation_id)


async def test_a_consumer_is_stopped_then_started(client: Client) -> None:
    """Every command, as it goes over the wire."""
    registered = await client.call(registration(""), 0)
    assert registered.error_code == 0 and registered.consumer_id.startswith("g-")
    me = registered.consumer_id

    first = await client.call(poll(me, registered.last_command_id), 0)
    (stop,) = first.commands
    assert (first.generation_id, stop.option, stop.ownership) == (0, STOP, None)
    assert (await client.call(done(me, stop.command_id), 0)).error_code == 0

    second = await client.call(poll(me, stop.command_id), 0)
    (start,) = second.commands
    assert (start.option, start.generation_id) == (START, 1)
    assert start.command_id > stop.command_id
    (orders,) = start.ownership
    assert [(p.partition, p.consumer_thread) for p in orders.partitions] == [
        (0, f"{me}-0"),
        (1, f"{me}-0"),
        (2, f"{me}-1"),
        (3, f"{me}-1"),
    ]
    # Until it is acknowledged it is sent to every poll that starts from the beginning.
    assert [c.command_id for c in (await client.call(poll(me), 0)).commands] == [start.command_id]
    assert (await client.call(done(me, start.command_id), 0)).error_code == 0
    assert (await client.call(done(me, start.command_id), 0)).error_code == 0
    assert (await client.call(poll(me, 0, wait_ms=0), 0)).commands == []


async def test_a_held_poll_is_answered_when_a_command_arrives(
    served: Serving, client: Client
) -> None:
    generation = await started(client)
    client.send(poll("a", 1_000), 0)
    client.send(poll("a", 2, wait_ms=5_000), 0)  # whatever comes next ends a hold
    assert (await client.receive()).commands == []
    other = await Client.connect(served.address)
    assert (await other.call(registration("b"), 0)).error_code == 0
    (command,) = (await client.receive()).commands
    assert (command.option, generation) == (STOP, 1)


UNREGISTERED: Sequence[tuple[dict[str, Any], ErrorCode]] = (
    ({"topics": []}, ErrorCode.INVALID_REQUEST),
    ({"topics": [TopicThreads(name="orders", threads=0)]}, ErrorCode.INVALID_REQUEST),
    ({"topics": [TopicThreads(name="orders")] * 2}, ErrorCode.INVALID_REQUEST),
    ({"filter_type": 3, "pattern": "x"}, ErrorCode.INVALID_REQUEST),
    ({"filter_type": 1, "pattern": None}, ErrorCode.INVALID_REQUEST),
    ({"filter_type": 1, "pattern": "x"}, ErrorCode.INVALID_REQUEST),
    ({"topics": [], "filter_type": 1, "pattern": "("}, ErrorCode.INVALID_REGULAR_EXPRESSION),
    ({"session_timeout_ms": 1}, ErrorCode.INVALID_SESSION_TIMEOUT),
    ({"generation_id": 5}, ErrorCode.UNKNOWN_MEMBER_ID),
)


async def test_an_invalid_registration_is_refused(client: Client) -> None:
    for said, code in UNREGISTERED:
        answer = await client.call(registration(**said), 0)
        assert (answer.error_code, answer.generation_id) == (code, -1), said


async def test_an_unknown_consumer_gets_an_error(client: Client) -> None:
    assert (await client.call(poll("nobody"), 0)).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert (await client.call(done("nobody", 1), 0)).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    await started(client)
    assert (await client.call(poll("nobody"), 0)).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert (await client.call(done("a", 99), 0)).error_code == ErrorCode.INVALID_REQUEST


async def test_a_commit_is_fenced_by_the_generation(client: Client) -> None:
    generation = await started(client)
    answer = await client.call(commit("a", generation), 9)
    assert answer.topics[0].partitions[0].error_code == ErrorCode.NONE
    answer = await client.call(commit("a", generation - 1), 9)
    assert answer.topics[0].partitions[0].error_code == ErrorCode.ILLEGAL_GENERATION
    answer = await client.call(commit("b", generation), 9)
    assert answer.topics[0].partitions[0].error_code == ErrorCode.UNKNOWN_MEMBER_ID


async def test_describe_and_list_return_the_commanded_type(client: Client) -> None:
    await started(client)
    (listed,) = (await client.call(ListGroupsRequest(types_filter=["commanded"]), 5)).groups
    assert (listed.group_id, listed.group_type, listed.group_state) == ("g", "commanded", "Stable")
    (described,) = (await client.call(DescribeGroupsRequest(groups=["g"]), 5)).groups
    assert (described.error_code, described.protocol_type) == (0, "consumer")
    (member,) = described.members
    assert (member.member_id, member.client_id) == ("a", "bench")
    assert partitions_of(member.member_assignment) == frozenset(ORDERS)


async def test_a_classic_member_cannot_join_it(client: Client) -> None:
    await started(client)
    protocols = [JoinGroupRequestProtocol(name="range", metadata=b"")]
    request = JoinGroupRequest(
        group_id="g", session_timeout_ms=10_000, rebalance_timeout_ms=10_000,
        protocol_type="consumer", protocols=protocols,
    )  # fmt: skip
    answer = await client.call(request, 3)
    assert answer.error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL


async def test_consumers_join_and_leave(served: Serving) -> None:
    """Three, then two; every partition has an owner in the end, and never two."""
    record = Record()
    async with asyncio.timeout(60), running(served, record, ["a", "b", "c"]) as (a, b, _):
        await record.owned(ORDERS, "abc")
        await record.everybody_started("abc", 1)
        await b.leave()
        await record.owned(ORDERS, "ac")
        assert a.generation > 1
    assert record.overlaps() == []


async def test_a_new_topic_that_a_filter_matches_is_assigned(
    served: Serving, client: Client
) -> None:
    said = {"topics": [], "filter_type": 1, "pattern": "logs-.*", "pattern_threads": 1}
    last = (await client.call(registration("a", **said), 0)).last_command_id
    seen: list[str] = []
    await served.node.catalogue.create_many({"logs-3": 1, "other": 1})
    async with asyncio.timeout(30):
        while seen != ["logs-1", "logs-2", "logs-3"]:
            await asyncio.sleep(0.002)
            for command in (await client.call(poll("a", last), 0)).commands:
                last = command.command_id
                await client.call(done("a", last), 0)
                if command.ownership is not None:
                    seen = [topic.name for topic in command.ownership]


async def test_a_consumer_that_never_acknowledges_is_expelled_and_the_journal_says_why(
    served: Serving, other: connections.Connection
) -> None:
    record = Record()
    async with asyncio.timeout(60), running(served, record, ["a", "b"], session_ms=1_000) as (_, b):
        await record.owned(ORDERS, "ab")
        await record.everybody_started("ab", 1)
        b.deaf.add(STOP)
        late = Consumer([served.address], "g", "c", record, session_ms=1_000)
        task = asyncio.create_task(late.run())
        await record.everybody_started("c", 1)
        while ErrorCode.UNKNOWN_MEMBER_ID not in b.refused:
            await asyncio.sleep(0.02)
        task.cancel()
    assert record.overlaps() == []
    query = "SELECT trigger, reason, member_id FROM rollcall_journal WHERE kind = %s"
    cursor = await other.execute(query, ["consumer-rebalance-failed"])
    (trigger, reason, member_id), *_ = await cursor.fetchall()
    assert (trigger, member_id) == ("not-acknowledged", "b")
    assert reason == "a consumer did not acknowledge stop-fetcher after 4 retries"


async def test_commands_are_rows_until_they_are_acknowledged(
    client: Client, other: connections.Connection
) -> None:
    """Their ids are read, not counted: one that waits for long is sent again under another."""
    await client.call(registration(), 0)
    query = "SELECT command_id, option, ownership FROM rollcall_command WHERE group_id = 'g'"
    threads = {"orders": {"0": "a-0", "1": "a-0", "2": "a-1", "3": "a-1"}}
    for wanted in ((STOP, None), (START, threads)):
        ((command_id, *command),) = await (await other.execute(query)).fetchall()
        assert tuple(command) == wanted
        await client.call(done("a", command_id), 0)
    assert await (await other.execute(query)).fetchall() == []
    assert (await rows.groups(other))["g"][:2] == ("Stable", 1)
