"""Two hundred commanded consumers over a whole installation of two nodes, one of which is killed.

The consumers write down what they work on and when; whatever happens, no two stretches of a
partition may overlap.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from benchmarks.wire import create_topic
from launcher.installation import Installation
from tests.commanded.consumer import Consumer, Part, Record
from tests.nodes import all_nodes, coordinator_of, kill_node

TIMEOUT_S = 240
"""For a machine that does much else meanwhile; alone it takes some ten seconds."""

pytestmark = [pytest.mark.timeout(2 * TIMEOUT_S), pytest.mark.xdist_group("pair")]

CONSUMERS = 200
PARTITIONS = 400
PARTS: list[Part] = [("orders", number) for number in range(PARTITIONS)]


async def prepared(pair: Installation) -> list[str]:
    """The topic; the addresses of both nodes."""
    nodes = await all_nodes(pair, 2)
    await create_topic(pair.kafka, "orders", PARTITIONS)
    return list(nodes.values())


@asynccontextmanager
async def running(consumers: Sequence[Consumer]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(consumer.run()) for consumer in consumers]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


@pytest.mark.long
async def test_two_hundred_stop_move_and_start(
    pair: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    """One consumer more: all stop, half of all partitions move, all start."""
    record = Record()
    nodes = await prepared(pair)
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


@pytest.mark.long
async def test_a_coordinator_is_killed_during_a_rebalance(pair: Installation) -> None:
    """kill -9 while all are being stopped, and again while all work: the next
    coordinator continues from the rows, and no partition ever has two owners."""
    record = Record()
    nodes = await prepared(pair)
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
                async with record.changed:  # a consumer has stopped: the rebalance has begun
                    await record.changed.wait_for(lambda: len(record.owners()) < len(PARTS))
            else:
                await record.everybody_started([newcomer.name], generation + 1)
            kill_node(pair, await coordinator_of("killed", nodes))
            await record.everybody_started([*names, newcomer.name], generation + 1)
            await newcomer.leave()
            await asyncio.wait([task])
            await record.owned(PARTS, names)
    assert record.overlaps() == []
    assert not [c.name for c in consumers if 25 in c.refused], "a live consumer was put out"
