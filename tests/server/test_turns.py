"""One loop for all connections: large requests use it one turn at a time."""

import asyncio
from collections import Counter

import pytest

from benchmarks.wire import create_topic
from groups import event_loop
from protocol.connection import connection as limits
from protocol.requests import turns
from protocol.requests.turns import TurnQueue, Turns
from rollcall.wire.codec import LARGE_ELEMENTS, encode, is_large
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.server.client import SMALL, hello
from tests.server.serving import Serving, until

WIDE = 3_000
"""Partitions of a topic whose Metadata is some hundred kilobytes."""


async def test_a_turn_with_time_left_delays_nobody() -> None:
    budget = Turns(asyncio.get_running_loop())
    assert not budget.is_over
    assert not budget.is_over


async def test_waiting_connections_are_served_in_order_and_before_later_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "TURN_S", 0.0)
    budget, served = Turns(asyncio.get_running_loop()), list[str]()

    async def work(name: str) -> None:
        await budget.next()
        served.append(name)

    waiting = [asyncio.create_task(work(name)) for name in "abc"]
    await asyncio.sleep(0)
    monkeypatch.setattr(turns, "TURN_S", 60.0)
    late = asyncio.create_task(work("d"))
    await asyncio.wait([*waiting, late])

    assert served == ["a", "b", "c", "d"]


async def test_the_place_in_the_queue_belongs_to_the_connection() -> None:
    budget = Turns(asyncio.get_running_loop())
    gone, stays = (asyncio.create_task(budget.next()) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    await stays
    assert gone.cancelled()
    assert not budget.is_over


async def test_of_many_items_some_are_handled_per_turn() -> None:
    turn, worked = 0, list[tuple[int, int]]()

    def work(item: int) -> None:
        worked.append((turn, item))
        if item == 4:
            raise ValueError(item)

    loop = asyncio.get_running_loop()
    queue = TurnQueue(loop, work, 3)
    loop.set_exception_handler(lambda _loop, _context: None)
    queue.extend(range(2))
    queue.add(2)
    queue.extend(range(3, 9))
    assert worked == [(0, 0), (0, 1), (0, 2)], "at once while the turn has room"
    while queue:
        turn += 1
        await asyncio.sleep(0)

    assert [item for _, item in worked] == list(range(9)), "in order; a failure ends nothing"
    assert max(Counter(turn for turn, _ in worked).values()) <= 3
    await asyncio.sleep(0)
    queue.add(9)
    assert worked[-1] == (turn, 9)


async def test_a_pipeline_does_not_delay_its_neighbour(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds of requests that need no I/O: the neighbour's one is served among the first."""
    monkeypatch.setattr(turns, "TURN_S", 0.0)
    greedy, connection = await served.connect()
    modest, _ = await served.connect()
    greedy.writer.write(b"".join(greedy.packed(hello(), 3) for _ in range(500)))
    await until(lambda: connection.requests > 0)
    before = connection.requests

    assert (await modest.call(hello(), 3)).api_keys

    assert connection.requests - before < 250
    for _ in range(500):
        assert (await greedy.receive()).api_keys


async def test_a_chunk_of_many_frames_is_parsed_a_few_at_a_time(served: Serving) -> None:
    """What is left over waits as bytes, and reading is paused until it has been served."""
    client, connection = await served.connect()
    beat = await client.settled("g")
    most = 0
    client.writer.write(b"".join(client.packed(beat, 3) for _ in range(4_000)))
    await until(lambda: connection._frames.has_frame or connection.requests)
    while client.sent:
        assert (await client.receive()).error_code == 0
        most = max(most, connection.pending)
    assert most <= limits.QUEUED_FRAMES_MAX + 1
    await until(lambda: connection._reading)


async def test_few_unread_replies_are_waited_for_no_longer_than_many(served: Serving) -> None:
    """Replies below the size at which writing pauses: the client that takes none of them for so
    long is closed; the one that takes some is slow, and stays."""
    await create_topic(served.address, "wide", WIDE)
    wide = MetadataRequest(
        topics=[MetadataRequestTopic(name="wide")], allow_auto_topic_creation=False
    )
    client, connection = await served.connect(receive_buffer=SMALL)
    transport = connection._transport
    assert transport is not None
    while not transport.get_write_buffer_size():
        before = len(client.sent)
        client.send(wide, 4)
        await until(lambda before=before: connection.requests > before)  # type: ignore[misc]
        await until(lambda: not connection.pending)
    assert connection._writable

    served.sweep()
    served.sweep(later_s=served.server.unread_s_max - 1)
    assert connection._transport is not None
    served.sweep(later_s=served.server.unread_s_max)
    await until(lambda: connection._transport is None)


@pytest.mark.long
async def test_a_client_that_reads_nothing_has_few_long_replies_encoded(served: Serving) -> None:
    """Whatever the system would hold of them: a quarter of a megabyte each, and no small window."""
    await create_topic(served.address, "widest", 10_000)
    client, connection = await served.connect()
    client.writer.transport.pause_reading()  # type: ignore[attr-defined]
    widest = MetadataRequest(topics=None, allow_auto_topic_creation=False)
    client.writer.write(b"".join(client.packed(widest, 9) for _ in range(100)))

    await until(lambda: not connection._writable)

    assert connection.requests <= 4
    client.writer.transport.resume_reading()  # type: ignore[attr-defined]
    while client.sent:
        assert len((await client.receive()).topics[0].partitions) == 10_000


def test_a_messages_size_counts_elements_at_any_depth() -> None:
    topics = [MetadataRequestTopic(name=str(i)) for i in range(LARGE_ELEMENTS)]
    assert not is_large(MetadataRequest(topics=topics))
    assert is_large(MetadataRequest(topics=[*topics, MetadataRequestTopic(name="x")]))
    assert not is_large(MetadataRequest(topics=None))
    assert encode(MetadataRequest(topics=topics), 9)


def test_durations_are_counted_in_the_buckets_that_dashboards_name() -> None:
    """Prometheus adds up the series of nodes of several versions by these labels."""
    assert " ".join(f"{bound:g}" for bound in event_loop.BOUNDS_S) == (
        "0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 30 60"
    )
