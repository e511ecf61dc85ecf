"""What a crowd of clients may have of a node together: connections, requests and replies."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from benchmarks.wire import create_topic
from groups.core.errors import ErrorCode
from protocol.connection.connection_limits import LONG_BYTES, PATIENCE_MAX, PRESSED_S
from protocol.limits.budgets import Admission, ReplyBytes, RequestBytes
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.server.client import SMALL, Client, consumer_join, hello
from tests.server.serving import Serving, until

FAR = "203.0.113.7"
LENGTH = 300_000


@dataclass(eq=False)
class Visitor:
    """A connection as the limit on connections sees it."""

    peer: str = "127.0.0.1"
    has_spoken: bool = False
    ended: list[int] = field(default_factory=list)

    def abort(self) -> None:
        """Note it."""
        self.ended.append(1)


def test_an_address_is_limited_to_its_share_except_for_loopback() -> None:
    door = Admission(10, per_address=2, per_second=100, now=0)
    far = [Visitor(FAR) for _ in range(3)]
    assert [door.enter(each, 0) for each in far] == [0, 0, None]
    assert [door.enter(Visitor("::1"), 0) for _ in range(3)] == [0, 0, 0]
    door.leave(far[0])
    assert door.enter(far[2], 0) == 0


def test_in_a_full_node_a_silent_connection_is_closed_for_a_new_one() -> None:
    door = Admission(3, per_address=10, per_second=100, now=0)
    speaks, first, second, late = (Visitor() for _ in range(4))
    for each in (speaks, first, second):
        door.enter(each, 0)
    speaks.has_spoken = True

    assert door.enter(late, 0) == 0
    assert (speaks.ended, first.ended, second.ended) == ([], [1], [])


def test_in_a_full_node_of_active_connections_a_new_one_is_refused() -> None:
    door = Admission(2, per_address=10, per_second=100, now=0)
    both = [Visitor(), Visitor()]
    for each in both:
        door.enter(each, 0)
        each.has_spoken = True
    assert door.enter(Visitor(), 0) is None
    door.leave(both[0])
    assert door.enter(Visitor(), 0) == 0


def test_connections_beyond_the_rate_are_accepted_later() -> None:
    door = Admission(1_000, per_address=1_000, per_second=10, now=0)
    assert [door.enter(Visitor(), 0) for _ in range(12)] == [0] * 10 + [100, 200]
    assert door.enter(Visitor(), 5_000) == 0


def test_long_requests_wait_in_order() -> None:
    budget, given = RequestBytes(100), list[str]()
    assert budget.take("a", 60, 0, lambda: None)
    assert not budget.take("b", 60, 0, lambda: given.append("b"))
    assert not budget.take("c", 10, 0, lambda: given.append("c")), "it would overtake"
    assert budget.is_short
    budget.give(60)
    assert (given, budget.taken, budget.is_short) == (["b", "c"], 70, False)


def test_a_connection_that_ends_while_waiting_gives_up_its_place() -> None:
    budget, given = RequestBytes(100), list[str]()
    budget.take("a", 100, 0, lambda: None)
    budget.take("b", 100, 0, lambda: None)
    budget.take("c", 100, 0, lambda: given.append("c"))
    budget.leave("b")
    budget.give(100)
    assert given == ["c"]


def test_waiting_for_a_second_frame_keeps_the_place_of_the_first() -> None:
    budget, given = RequestBytes(100), list[str]()
    budget.take("a", 80, 0, lambda: None)
    budget.take("a", 80, 0, lambda: given.append("a"))
    budget.give(80)
    assert given == ["a"]


def test_bytes_of_waiting_connections_are_counted() -> None:
    budget = RequestBytes(100)
    budget.take("a", 100, 0, lambda: None)
    budget.take("b", 90, 60, lambda: None)
    assert (budget.held, budget.is_crowded) == (60, False)
    budget.take("c", 90, 60, lambda: None)
    assert (budget.held, budget.is_crowded) == (120, True)
    budget.leave("b")
    assert budget.held == 60
    budget.give(100)
    assert (budget.held, budget.is_crowded) == (0, False)


async def test_a_long_reply_waits_until_others_are_read() -> None:
    budget = ReplyBytes(100, asyncio.get_running_loop())
    budget.note("a", 150)
    waiting = asyncio.create_task(budget.room())
    await asyncio.sleep(0)
    assert budget.is_short
    budget.note("a", 100)
    await waiting
    assert not budget.is_short


@pytest.fixture
def tight(settings: Any) -> None:
    """Room for one long request, and for one connection's unread replies."""
    settings.QUEUED_MAX_REQUEST_BYTES = LENGTH + 100
    settings.SOCKET_REQUEST_MAX_BYTES = LENGTH


def part_of_a_long_frame(client: Client) -> None:
    """All but the end of it."""
    client.writer.write(LENGTH.to_bytes(4, "big") + bytes(LONG_BYTES))


async def one_reads_and_one_waits(served: Serving) -> list[tuple[Client, Any]]:
    """Three connections: a long frame of the first is being read, one of the second waits."""
    (first, one), (second, two), (third, three) = [await served.connect() for _ in range(3)]
    for each in (first, second, third):
        await each.call(hello(), 3)
    part_of_a_long_frame(first)
    await until(lambda: one._long.reserved)
    part_of_a_long_frame(second)
    await until(lambda: two._long.awaits_room)
    return [(first, one), (second, two), (third, three)]


async def test_partial_long_frames_of_waiting_connections_are_not_kept(
    tight: None, served: Serving
) -> None:
    """What each has sent before its reading paused is in memory."""
    (_, _), (_, two), (third, three) = await one_reads_and_one_waits(served)
    budget = served.server.request_bytes
    assert 0 < budget.held <= LONG_BYTES + 4
    budget.most = budget.held

    part_of_a_long_frame(third)

    await until(lambda: three._transport is None)
    assert two._transport is not None
    two.abort()
    await until(lambda: budget.held == 0)


async def test_a_second_long_frame_is_not_read_before_there_is_room(
    tight: None, served: Serving
) -> None:
    """And who holds the room without using it has little time."""
    (first, one), (second, two), (third, _) = await one_reads_and_one_waits(served)
    assert not two._reading and one._reading
    assert (await third.call(hello(), 3)).api_keys, "short requests wait for nobody"

    served.sweep(later_s=PRESSED_S * PATIENCE_MAX + 1)

    assert await first.ended() == b""
    await until(lambda: two._reading)
    assert served.server.request_bytes.taken == LENGTH
    second.close()
    await until(lambda: served.server.request_bytes.taken == 0)


async def test_a_long_request_releases_its_memory(served: Serving) -> None:
    client, _ = await served.connect()
    names = [MetadataRequestTopic(name=f"t{i}") for i in range(9_000)]
    request = MetadataRequest(topics=names, allow_auto_topic_creation=False)
    assert len((await client.call(request, 9)).topics) == len(names)
    assert served.server.request_bytes.taken == 0


async def test_connections_that_read_nothing_are_closed_when_others_need_the_memory(
    served: Serving,
) -> None:
    await create_topic(served.address, "wide", 3_000)
    wide = MetadataRequest(
        topics=[MetadataRequestTopic(name="wide")], allow_auto_topic_creation=False
    )
    deaf, connection = await served.connect(receive_buffer=SMALL)
    while not served.server.reply_bytes.unread:
        before = connection.requests
        deaf.send(wide, 4)
        await until(lambda before=before: connection.requests > before)  # type: ignore[misc]
        await until(lambda: not connection.pending)
    served.server.reply_bytes.most = 0
    good, _ = await served.connect()
    good.send(wide, 4)
    await until(lambda: served.server.reply_bytes.is_short)
    served.sweep()

    served.sweep(later_s=PRESSED_S * PATIENCE_MAX + 1)

    assert len((await good.receive()).topics) == 1
    await until(lambda: connection._transport is None)


async def test_a_full_node_serves_a_new_connection_that_speaks(
    settings: Any, served: Serving
) -> None:
    served.server.admission.most = 5
    crowd = [await served.connect() for _ in range(20)]
    await until(lambda: sum(c._transport is not None for _, c in crowd) <= 5)
    for _ in range(5):
        client, _ = await served.connect()
        assert (await client.call(hello(), 3)).api_keys
    client, _ = await served.connect()
    assert await client.ended() == b"", "all who have a place have spoken"


async def test_memory_held_by_a_connection_is_freed_with_it(served: Serving) -> None:
    """At once, and not at the next garbage collection: the next one takes its place."""
    client, connection = await served.connect()
    await client.call(hello(), 3)
    part_of_a_long_frame(client)
    await until(lambda: connection._long.reserved)
    client.close()
    await until(lambda: connection._transport is None)
    assert not connection._frames.held


async def test_a_heartbeat_in_a_large_chunk_keeps_no_memory(served: Serving) -> None:
    """Bytes behind a request are ignored; as long as they were, they are neither kept nor counted
    once it is answered."""
    client, connection = await served.connect()
    beat = await client.settled("g")
    for version in HeartbeatRequest.versions:
        packed = client.packed(beat, version)[4:] + bytes(LENGTH)
        client.writer.write(len(packed).to_bytes(4, "big") + packed[:-1])
        await until(lambda: connection._long.reserved)
        client.writer.write(packed[-1:])
        assert (await client.receive()).error_code == ErrorCode.NONE
        await until(lambda: not connection.pending)
        assert (served.server.request_bytes.taken, connection._long.reserved) == (0, 0)
        assert len(connection._fast._tail) < LONG_BYTES


async def test_a_settled_heartbeat_in_a_large_chunk_is_not_kept(served: Serving) -> None:
    await create_topic(served.address, "t", 1)
    client, connection = await served.connect()
    joined = await client.call(consumer_join("g"), 1)
    empty = ConsumerGroupHeartbeatRequest(
        group_id="g", member_id=joined.member_id, member_epoch=joined.member_epoch
    )
    while connection._settled._settled is None:
        assert not (await client.call(empty, 1)).error_code
    packed = client.packed(empty, 1)[4:] + bytes(LENGTH)
    client.writer.write(len(packed).to_bytes(4, "big") + packed)
    assert not (await client.receive()).error_code
    assert connection._settled._settled is None
