"""A process that ended without giving its slots away is an outage in the journal: one entry,
however many nodes took its slots over."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

from console.queries.journal_text import sentence
from groups.core.rows import SLOTS
from groups.models import Journal
from groups.postgres import connections
from tests.node.running import Running, running

Other = connections.Connection

NODE = """
INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at, clock_ms)
VALUES (7, %s, 1, 'h', 1, now(), now(), 1000) RETURNING beat_at
"""
OWNS = "UPDATE rollcall_slot SET node_id = 7, incarnation = %s, epoch = epoch + 1, shift_ms = 0"
OUTAGES = """
SELECT id, node_id, kind, trigger, reason, details FROM rollcall_journal
WHERE kind = 'node-outage' ORDER BY id
"""


async def dies(other: Other) -> str:
    """Node 7 owns and serves every slot, and has beaten for the last time."""
    incarnation = uuid4()
    row = await (await other.execute(NODE.encode(), [incarnation])).fetchone()
    assert row is not None
    await other.execute(OWNS.encode(), [incarnation])
    return str(row[0].isoformat())


async def outages(other: Other) -> list[Any]:
    """The entries, once there is one."""
    while not (found := await (await other.execute(OUTAGES.encode())).fetchall()):
        await asyncio.sleep(0.02)
    return found


async def have_told(*nodes: Running) -> None:
    """No node has anything left to write."""
    while any(each.node.outages.has_to_tell for each in nodes):
        await asyncio.sleep(0.02)


async def both(stack: AsyncExitStack) -> list[Running]:
    enter = stack.enter_async_context
    return list(await asyncio.gather(enter(running(3)), enter(running(4))))


async def test_survivors_tell_of_a_lost_node_once(other: Other) -> None:
    async with running(7) as one:
        await one.settled("g")
    since = await dies(other)
    async with AsyncExitStack() as stack:
        nodes = await both(stack)
        await outages(other)
        await have_told(*nodes)
        ((pk, node_id, kind, trigger, reason, details),) = await outages(other)
    assert (node_id, trigger, details["taken_by"]) == (7, "node-lost", [3, 4])
    assert (details["slots"], details["groups"]) == (SLOTS, 1)
    assert details["since"] == since and details["until"] > since and details["ms"] >= 3_000
    entry = Journal(
        pk=pk, node_id=node_id, kind=kind, trigger=trigger, reason=reason, details=details
    )
    assert "nodes 3 and 4 took its 64 slots with 1 group; members were given" in sentence(entry)


async def test_a_node_that_starts_again_tells_of_its_own_loss(other: Other) -> None:
    since = await dies(other)
    async with running(7) as again:
        await outages(other)
        await have_told(again)
        ((_, node_id, _, trigger, _, details),) = await outages(other)
    assert (node_id, trigger, details["taken_by"]) == (7, "node-lost", [7])
    assert details["since"] == since and details["slots"] == SLOTS


async def test_slots_that_were_given_back_are_no_outage(other: Other) -> None:
    async with running(3):
        pass
    async with running(4) as two:
        assert not two.node.outages.has_to_tell
    assert await (await other.execute(OUTAGES.encode())).fetchall() == []
