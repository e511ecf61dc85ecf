"""Two requests, followed from file to file: what has to be read to understand them.

A bound holds what was won when files that are only read together became one
(docs/architecture.md, *Five requests, step by step*).
"""

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from groups.core.errors import ErrorCode
from rollcall.wire.codec import decode
from rollcall.wire.messages.heartbeat import HeartbeatResponse
from rollcall.wire.messages.join_group import JoinGroupResponse
from tests.journeys.tracing import Journey, traced
from tests.server.client import Client, join
from tests.server.serving import Serving

V = 3
TIMES = 20

IDLE_S = 1.5
"""Everything that the node does by the clock has happened once: its lease's beats, its timers, its
look for operations, its writing of heartbeat times."""

LENGTH_BYTES = 4
HEADER_BYTES = 4

JOIN_FILES_MAX = 29
"""Seven from the socket to the handler, five of the node's memory and its batches, fourteen of
rules and the values that they change, three that make rows of decisions. Three of them record facts
(docs/facts.md), and two explain the rebalance. ``groups/postgres/connections.py`` is left out: the
node's own work by the clock calls the same functions of it, so a trace cannot tell whose calls they
are."""

HEARTBEAT_FILES_MAX = 4


async def journey_of(client: Client, request: Callable[[], Any], response: type[Any]) -> Journey:
    """Of several times, once all modules are compiled. The client's own calls of the codec are left
    out: it encodes before the server has the frame, and decodes after the reply."""
    assert (await client.call(request(), V)).error_code == ErrorCode.NONE
    with traced() as idle:
        await asyncio.sleep(IDLE_S)
    journeys: list[Journey] = []
    for _ in range(TIMES):
        frame = client.packed(request(), V)
        with traced() as journey:
            client.writer.write(frame)
            size = await client.reader.readexactly(LENGTH_BYTES)
            raw = await client.reader.readexactly(int.from_bytes(size, "big"))
        client.sent.popleft()
        assert decode(response, V, raw, HEADER_BYTES).error_code == ErrorCode.NONE
        journeys.append(journey)
    return own_way([journey.without(idle) for journey in journeys])


def own_way(journeys: Sequence[Journey]) -> Journey:
    """The shortest, without files that are not in all of them: on a busy machine each has
    something else of what the node does by the clock."""
    own = set.intersection(*(set(journey.files) for journey in journeys))
    shortest = min(journeys, key=lambda journey: len(journey.files))
    return Journey([call for call in shortest.calls if call[0] in own])


async def test_a_join_crosses_few_files(served: Serving) -> None:
    client, _ = await served.connect()
    numbers = count()

    journey = await journey_of(client, lambda: join(f"g{next(numbers)}"), JoinGroupResponse)

    assert "groups/core/classic/join.py" in journey.files
    assert "groups/store/apply.py" in journey.files
    assert len(journey.files) <= JOIN_FILES_MAX, journey.listed()


async def test_a_heartbeat_is_answered_from_memory_alone(served: Serving) -> None:
    client, _ = await served.connect()
    beat = await client.settled("g")

    journey = await journey_of(client, lambda: beat, HeartbeatResponse)

    assert "protocol/fast_paths/heartbeat_fast_path.py" in journey.files
    assert len(journey.files) <= HEARTBEAT_FILES_MAX, journey.listed()
