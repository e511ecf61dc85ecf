"""A node's spans: a queued request, the step that decided it, the transaction that wrote it."""

import asyncio

from benchmarks.wire import create_topic
from groups.core.errors import ErrorCode
from groups.core.rows import slot_of
from groups.postgres.connections import Connection
from protocol.connection.traced import UNTRACED
from rollcall.wire.messages.leave_group import LeaveGroupRequest
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.server.client import Client, join
from tests.server.serving import Serving, until
from tests.tracing.receiver import Received, Receiver

V = 3
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"

ASK = """
INSERT INTO rollcall_operation (group_id, slot, verb, member_id, reason, actor, traceparent, state,
                                detail, created_at)
VALUES ('g', %(slot)s, %(verb)s, '', 'a test', 'olga', %(traceparent)s, 'pending', '', now())
RETURNING id
"""
STATE = "SELECT state FROM rollcall_operation WHERE id = %(id)s"


async def flushed(traced: Serving) -> None:
    """What has ended is at the receiver."""
    spans = traced.node.spans
    assert spans is not None
    assert await asyncio.to_thread(spans.provider.force_flush)


async def ended_operation(
    traced: Serving, other: Connection, verb: str, traceparent: str | None
) -> int:
    """A requested operation, once it has ended."""
    wish = {"slot": slot_of("g"), "verb": verb, "traceparent": traceparent}
    found = await (await other.execute(ASK.encode(), wish)).fetchone()
    assert found is not None
    state = ""
    while state not in ("succeeded", "failed"):
        await traced.node.operator.look()
        row = await (await other.execute(STATE.encode(), {"id": found[0]})).fetchone()
        assert row is not None
        state = row[0]
        await asyncio.sleep(0.005)
    spans = traced.node.spans
    assert spans is not None
    await until(lambda: not spans._operations)  # its row may be seen before its trace ends
    number: int = found[0]
    return number


def times(span: Received) -> tuple[int, int]:
    return span.span.start_time_unix_nano, span.span.end_time_unix_nano


async def test_a_join_is_a_request_with_its_step_and_the_transaction(
    traced: Serving, receiver: Receiver
) -> None:
    client, _ = await traced.connect()
    joined = await client.call(join("g"), V)
    assert joined.error_code == ErrorCode.NONE
    await flushed(traced)

    request = receiver.awaited("JoinGroup")
    assert receiver.paths == {"/v1/traces"}
    assert request.process["service.name"] == "rollcall-node"
    assert request.process["service.instance.id"] == "node-0"
    assert request.said["rollcall.group"] == "g"
    assert request.said["kafka.api.version"] == V
    assert request.span.parent_span_id == b""
    (step,) = receiver.below(request, "step")
    assert step.said["rollcall.answers"] is True
    assert step.said["rollcall.generation"] == 1
    (commit,) = receiver.below(step, "commit")
    assert commit.said["db.system.name"] == "postgresql"
    assert commit.said["rollcall.groups"] == 1
    decided, written = times(step), times(commit)
    assert times(request)[0] < decided[0] <= decided[1] <= written[0] < written[1]
    assert written[1] < times(request)[1]


async def test_a_parked_join_has_the_step_that_parked_it_and_the_one_that_answered(
    traced: Serving, receiver: Receiver
) -> None:
    first, _ = await traced.connect()
    member = (await first.call(join("g"), V)).member_id
    second, _ = await traced.connect()
    second.send(join("g"), V)
    while traced.node.coordinator.entries["g"].group.durable.group.state != "PreparingRebalance":
        await asyncio.sleep(0)
    await first.call(join("g", member), V)
    assert (await second.receive()).error_code == ErrorCode.NONE
    await flushed(traced)

    steps = [receiver.below(request, "step") for request in receiver.spans("JoinGroup")]
    ((asks, answers),) = (each for each in steps if len(each) > 1)
    assert [asks.said["rollcall.answers"], answers.said["rollcall.answers"]] == [False, True]
    assert [asks.said["rollcall.generation"], answers.said["rollcall.generation"]] == [1, 2]
    assert all(len(receiver.below(step, "commit")) == 1 for step in (asks, answers))


async def test_a_refused_request_is_marked_and_has_no_transaction(
    traced: Serving, receiver: Receiver
) -> None:
    client, _ = await traced.connect()
    refused = await client.call(LeaveGroupRequest(group_id="g", member_id="nobody"), 1)
    assert refused.error_code == ErrorCode.UNKNOWN_MEMBER_ID
    await flushed(traced)
    request = receiver.awaited("LeaveGroup")
    assert request.said["rollcall.error"] == "UNKNOWN_MEMBER_ID"
    (step,) = receiver.below(request, "step")
    assert receiver.below(step, "commit") == []


async def test_a_request_whose_connection_ends_is_marked_as_closed(
    traced: Serving, receiver: Receiver
) -> None:
    """It waits for the other member, who does not join again."""
    first, _ = await traced.connect()
    await first.call(join("g"), V)
    second, _ = await traced.connect()
    second.send(join("g"), V)
    spans = traced.node.spans
    assert spans is not None
    await until(lambda: spans._requests)
    second.abort()
    await until(lambda: not spans._requests)
    await flushed(traced)
    receiver.awaited("JoinGroup", rollcall_error="closed")


async def test_heartbeats_and_plain_commits_have_no_spans(
    traced: Serving, receiver: Receiver
) -> None:
    client, _ = await traced.connect()
    await create_topic(traced.address, "orders", 1)
    beat = await client.settled("g")
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=5)
    topic = OffsetCommitRequestTopic(name="orders", partitions=(partition,))
    commit = OffsetCommitRequest(
        group_id="g",
        generation_id_or_member_epoch=beat.generation_id,
        member_id=beat.member_id,
        topics=(topic,),
    )
    for _ in range(3):
        assert (await client.call(beat, V)).error_code == ErrorCode.NONE
        answer = await client.call(commit, V)
        assert answer.topics[0].partitions[0].error_code == ErrorCode.NONE
    await flushed(traced)
    assert "Heartbeat" in UNTRACED
    assert {each.name for each in receiver.spans()}.isdisjoint({"Heartbeat", "OffsetCommit"})
    below = {each.name for each in receiver.spans() if each.span.parent_span_id}
    above = {each.name for each in receiver.spans() if each.name not in below}
    assert (above, below) == ({"CreateTopics", "JoinGroup", "SyncGroup"}, {"step", "commit"})


async def test_an_operation_continues_the_trace_of_its_request(
    traced: Serving, other: Connection, receiver: Receiver
) -> None:
    client, _ = await traced.connect()
    await client.call(join("g"), V)
    number = await ended_operation(traced, other, "evict", PARENT)
    await flushed(traced)
    operation = receiver.awaited("operation evict", rollcall_operation_id=number)
    assert operation.trace == TRACE
    assert operation.span.parent_span_id.hex() == PARENT.split("-")[2]
    (step,) = receiver.below(operation, "step")
    assert len(receiver.below(step, "commit")) == 1
    assert operation.said["rollcall.error"] == "INVALID_REQUEST"
    assert operation.span.status.message == "the group has no such member"


async def test_a_pause_and_a_freeze_are_steps_like_any_other(
    traced: Serving, other: Connection, receiver: Receiver
) -> None:
    client, _ = await traced.connect()
    await client.call(join("g"), V)
    numbers = [await ended_operation(traced, other, verb, None) for verb in ("pause", "freeze")]
    await flushed(traced)
    for verb, number in zip(("pause", "freeze"), numbers, strict=True):
        operation = receiver.awaited(f"operation {verb}", rollcall_operation_id=number)
        assert operation.span.parent_span_id == b""
        (step,) = receiver.below(operation, "step")
        assert len(receiver.below(step, "commit")) == 1


async def test_an_invalid_traceparent_begins_a_trace(
    traced: Serving, other: Connection, receiver: Receiver
) -> None:
    number = await ended_operation(traced, other, "rebalance", "nonsense")
    await flushed(traced)
    operation = receiver.awaited("operation rebalance", rollcall_operation_id=number)
    assert operation.span.parent_span_id == b""


async def test_an_unavailable_receiver_delays_nothing(traced: Serving, receiver: Receiver) -> None:
    receiver.shutdown()
    receiver.server_close()
    client: Client = (await traced.connect())[0]
    assert (await client.call(join("g"), V)).error_code == ErrorCode.NONE
