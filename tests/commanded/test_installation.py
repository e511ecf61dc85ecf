"""Two hundred commanded consumers over a whole installation of two nodes, one of which is killed.

The consumers write down what they work on and when; whatever happens, no two stretches of a
partition may overlap.
"""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.metadata import MetadataRequest
from rollcall.client.connection import Connection
from rollcall.client.dialects.kafka import KAFKA
from rollcall.installation import Installation
from tests.commanded.consumer import Consumer, Part, Record

pytestmark = pytest.mark.timeout(300)

TIMEOUT_S = 240
"""For a machine that does much else meanwhile; alone it takes some ten seconds."""

pytestmark = pytest.mark.timeout(2 * TIMEOUT_S)

CONSUMERS = 200
PARTITIONS = 400
PARTS: list[Part] = [("orders", number) for number in range(PARTITIONS)]


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    settings = {
        "ROLLCALL_NODES": "2",
        # What is shown is who is told what and when, not who gives up on a machine under load.
        "ROLLCALL_REBALANCE_BACKOFF_MS": "60000",
    }
    with Installation(settings) as running:
        yield running


async def connected(address: str) -> Connection:
    host, _, port = address.rpartition(":")
    return await Connection.open(host, int(port), "test", None, KAFKA)


async def prepared(installation: Installation) -> list[str]:
    """The topic; the addresses of both nodes."""
    connection = await connected(installation.kafka)
    topic = CreatableTopic(name="orders", num_partitions=PARTITIONS, replication_factor=1)
    await connection.call(CreateTopicsRequest(topics=[topic], timeout_ms=10_000), 30)
    brokers = (await connection.call(MetadataRequest(topics=[]), 30)).brokers
    connection.close()
    return [f"{broker.host}:{broker.port}" for broker in brokers]


async def owner_of(group: str, nodes: Sequence[str]) -> int:
    """The node id of the group's coordinator."""
    connection = await connected(nodes[0])
    answer = await connection.call(FindCoordinatorRequest(coordinator_keys=[group]), 30)
    connection.close()
    return int(answer.coordinators[0].node_id)


def kill_node(installation: Installation, node_id: int) -> None:
    """No word of farewell; the launcher starts it anew."""
    wanted = f"--node-id={node_id}".encode()
    for pid in installation.pids():
        if wanted in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
            os.kill(pid, signal.SIGKILL)
            return
    raise AssertionError(f"node {node_id} does not run")


@asynccontextmanager
async def running(consumers: Sequence[Consumer]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(consumer.run()) for consumer in consumers]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def test_two_hundred_stop_move_and_start(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    """One consumer more: everybody stops, half of all partitions move, everybody starts."""
    record = Record()
    nodes = await prepared(installation)
    names = [f"c{number:03}" for number in range(CONSUMERS)]
    consumers = [Consumer(nodes, "many", name, record) for name in names]
    async with asyncio.timeout(TIMEOUT_S), running(consumers):
        await record.owned(PARTS, names)
        await record.everybody_started(names, 1)
        newcomer = Consumer(nodes, "many", "b-first-of-all", record)
        before, generation = len(record.stretches), max(record.started.values())
        began = time.monotonic()
        async with running([newcomer]):
            await record.everybody_started([*names, newcomer.name], generation + 1)
            took = time.monotonic() - began
            moved = len(record.stretches) - before
    with capsys.disabled():
        print(f"\n{CONSUMERS + 1} consumers stopped and started in {took * 1000:.0f} ms", end=" ")
        print(f"({moved} partitions dealt)")
    assert record.overlaps() == []


async def test_a_coordinator_is_killed_in_the_middle_of_it(installation: Installation) -> None:
    """kill -9 while everybody is being stopped, and again while everybody works: the next
    coordinator goes on from the rows, and nobody ever works on what another works on."""
    record = Record()
    nodes = await prepared(installation)
    names = [f"c{number:02}" for number in range(40)]
    consumers = [Consumer(nodes, "killed", name, record) for name in names]
    async with asyncio.timeout(TIMEOUT_S), running(consumers):
        await record.owned(PARTS, names)
        await record.everybody_started(names, 1)
        for number in range(2):
            generation = max(record.started.values())
            newcomer = Consumer(nodes, "killed", f"b{number}", record)
            task = asyncio.create_task(newcomer.run())
            if number == 0:
                async with record.changed:  # somebody has stopped: the rebalance has begun
                    await record.changed.wait_for(lambda: len(record.owners()) < len(PARTS))
            else:
                await record.everybody_started([newcomer.name], generation + 1)
            kill_node(installation, await owner_of("killed", nodes))
            await record.everybody_started([*names, newcomer.name], generation + 1)
            await newcomer.leave()
            await asyncio.wait([task])
            await record.owned(PARTS, names)
    assert record.overlaps() == []
    assert not [c.name for c in consumers if 25 in c.refused], "a live consumer was put out"
