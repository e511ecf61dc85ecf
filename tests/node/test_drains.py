"""A drained node gives its slots to the others, takes none, and no member notices."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from groups.cluster.slot_keeper import DRAINED_PATIENCE_LEASES, HAND_OVER_SLOTS_MAX, SlotKeeper
from groups.cluster.slot_loader import SlotLoader
from groups.core import placement
from groups.core.replies import Committed
from groups.core.rows import SLOTS, slot_of
from tests.node.running import Running, running
from tests.node.test_slots import END_NODES, Other, child, owners, until
from tests.node.test_spread import come_to, shares

LEASE_MS = 1_000
NOTED = "SELECT kind, node_id, reason, details -> 'author' ->> 'user' FROM rollcall_journal"
SAID = "SELECT takes_slots FROM rollcall_node WHERE node_id = %s"


@pytest.fixture(autouse=True)
def _short_lease(_prepared: None, settings: Any) -> None:
    settings.NODE_LEASE_MS = LEASE_MS


async def drain(other: Other, node: int, *, function: str = "drain") -> bool:
    """As the web does, but for its checks."""
    call = f"SELECT rollcall_{function}_node(%s, 'a new disk', '{{\"user\": \"olga\"}}')"
    row = await (await other.execute(call.encode(), [node])).fetchone()
    return bool(row and row[0])


async def takes(other: Other, node: int) -> bool:
    """What its row says to the others."""
    row = await (await other.execute(SAID, [node])).fetchone()
    return bool(row and row[0])


async def look_twice(*nodes: Running) -> None:
    """Nothing else comes of the next looks."""
    for _ in range(2):
        for one in nodes:
            await one.node.keeper._look()


async def test_a_drained_node_gives_all_its_slots_away_and_takes_some_back(other: Other) -> None:
    """The members of its groups stay, commits succeed, and the journal names the author."""
    async with running(node_id=3) as one, running(node_id=4) as two:
        await come_to(other, {3: 32, 4: 32})
        await until(lambda: len(two.node.coordinator.epochs) == SLOTS // 2)
        names = [f"g-{n}" for n in range(8)]
        homes = {n: one if slot_of(n) in one.node.coordinator.epochs else two for n in names}
        joined = {name: await home.settled(name) for name, home in homes.items()}

        assert await drain(other, 3)
        assert not await drain(other, 3), "it was drained already"
        await come_to(other, {4: 64})
        await until(lambda: len(two.node.coordinator.epochs) == SLOTS)

        for name in names:
            assert await two.commit(name, 1, joined[name]) == Committed()
            view, now = two.node.coordinator.heartbeat_views[name], two.node.coordinator.clock()
            member, generation = joined[name].member_id, joined[name].generation_id
            assert view.heartbeat(member, None, generation, now) == 0
        await look_twice(one, two)
        assert await shares(other) == {4: 64} and not await takes(other, 3)
        assert one.node.keeper.is_drained and not two.node.keeper.is_drained

        assert await drain(other, 3, function="undrain")
        assert not await drain(other, 3, function="undrain")
        await come_to(other, {3: 32, 4: 32})
        entries = await (
            await other.execute(f"{NOTED} WHERE kind LIKE 'node-%' ORDER BY id")
        ).fetchall()
        assert entries == [
            ("node-drained", 3, "a new disk", "olga"),
            ("node-undrained", 3, "a new disk", "olga"),
        ]


async def test_a_drain_survives_the_process_and_its_node_gets_no_slots_at_the_start(
    other: Other,
) -> None:
    async with running(node_id=4) as two:
        async with running(node_id=3):
            await come_to(other, {3: 32, 4: 32})
            await drain(other, 3)
            await come_to(other, {4: 64})
        epochs = {slot: epoch for slot, (_, epoch) in (await owners(other)).items()}
        async with running(node_id=3) as one:
            await look_twice(one, two)
            assert not await takes(other, 3)
            assert await owners(other) == {slot: (4, epoch) for slot, epoch in epochs.items()}


async def test_a_drain_survives_a_restart_of_the_cluster(other: Other) -> None:
    """The drained node is back first: it serves alone until the other one is there."""
    async with running(node_id=3), running(node_id=4):
        await drain(other, 3)
        await come_to(other, {4: 64})
    async with running(node_id=3) as one:
        await come_to(other, {3: 64})
        async with running(node_id=4) as two:
            await come_to(other, {4: 64})
            await look_twice(one, two)
            assert await shares(other) == {4: 64} and not await takes(other, 3)


async def test_a_drained_node_takes_the_slots_of_the_last_other_node(other: Other) -> None:
    """Groups without a node are worse than a drain that waits; it continues with the next node."""
    async with running(node_id=3) as one:
        async with running(node_id=4):
            await drain(other, 3)
            await come_to(other, {4: 64})
        await come_to(other, {3: 64})
        await until(lambda: len(one.node.coordinator.epochs) == SLOTS)
        assert one.node.keeper.is_drained
        async with running(node_id=4):
            await come_to(other, {4: 64})
        await come_to(other, {3: 64})


async def test_a_cluster_of_drained_nodes_keeps_serving(other: Other) -> None:
    """The web refuses the last one; rows may come from anywhere."""
    async with running(node_id=3) as one, running(node_id=4) as two:
        await come_to(other, {3: 32, 4: 32})
        await drain(other, 3)
        await drain(other, 4)
        while not (await takes(other, 3) and await takes(other, 4)):
            await asyncio.sleep(0.01)
        await come_to(other, {3: 32, 4: 32})
        await look_twice(one, two)
        assert await shares(other) == {3: 32, 4: 32}


async def test_an_older_node_sees_from_the_row_that_a_drained_one_takes_no_slots(
    other: Other,
) -> None:
    """Its program plans by ``takes_slots`` alone."""

    def planned(keeper: SlotKeeper, nodes: Any, slots: Any, dead: Any) -> Any:
        live = {node.node_id for node in nodes} - set(dead)
        taking = {node.node_id for node in nodes if node.takes_slots} & live
        return placement.plan(keeper._owners(slots, live), taking)

    async with running(node_id=3) as one, running(node_id=4) as older:
        keeper = older.node.keeper
        with patch.object(keeper, "_plan", lambda *rows: planned(keeper, *rows)):
            await come_to(other, {3: 32, 4: 32})
            await drain(other, 3)
            await come_to(other, {4: 64})
            epochs = await owners(other)
            await look_twice(one, older)
            assert await owners(other) == epochs


async def test_a_drained_node_keeps_slots_that_nobody_takes(other: Other) -> None:
    """No more slots than of one look are without a node, and these for two leases."""

    async def claims_nothing(*_: Any) -> None:
        return None

    async with running(node_id=3) as one, running(node_id=4) as two:
        await come_to(other, {3: 32, 4: 32})
        with patch.object(two.node.keeper, "_claim", claims_nothing):
            await drain(other, 3)
            while (await shares(other)).get(None, 0) != HAND_OVER_SLOTS_MAX:
                await asyncio.sleep(0.01)
            await look_twice(one)
            assert await shares(other) == {3: 32 - HAND_OVER_SLOTS_MAX, 4: 32, None: 8}
            observer, clock = one.node.keeper._observer, one.node.coordinator.monotonic
            slot = next(s for s, (node, _) in (await owners(other)).items() if node is None)
            patience = DRAINED_PATIENCE_LEASES * LEASE_MS
            while (await shares(other)).get(None, 0):
                assert observer.free_for(slot, clock()) < patience + 10 * LEASE_MS
                await asyncio.sleep(0.01)
            assert await shares(other) == {3: 32, 4: 32}


async def test_a_node_that_loads_gives_its_slots_away_once_they_are_loaded(other: Other) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    healthy = SlotLoader._adopt

    async def adopts(loader: SlotLoader, *given: Any) -> int:
        if loader.node_id == 4:
            begun.set()
            await go_on.wait()
        return await healthy(loader, *given)

    async with running(node_id=3) as one:
        await one.settled("g")
        with patch.object(SlotLoader, "_adopt", adopts):
            second = asyncio.create_task(_held(4))
            await begun.wait()
            await drain(other, 4)
            go_on.set()
            await until(lambda: len(one.node.coordinator.epochs) == SLOTS)
            await come_to(other, {3: 64})
        second.cancel()
        await asyncio.wait([second])


async def _held(node_id: int) -> None:
    async with running(node_id=node_id):
        await asyncio.Event().wait()


async def test_a_drain_continues_after_postgresql_ended_every_session(other: Other) -> None:
    async with running(node_id=3) as one, running(node_id=4) as two:
        await come_to(other, {3: 32, 4: 32})
        name = next(n for n in map(str, range(99)) if slot_of(n) in one.node.coordinator.epochs)
        joined = await one.settled(name)
        await drain(other, 3)
        while (await shares(other)).get(3) == 32:
            await asyncio.sleep(0)
        await other.execute(END_NODES)
        await come_to(other, {4: 64})
        await until(lambda: len(two.node.coordinator.epochs) == SLOTS)
        while await two.commit(name, 1, joined) != Committed():
            await asyncio.sleep(0.01)


async def test_a_node_that_dies_while_it_is_drained_is_taken_over(
    database_url: str, tmp_path: Path, other: Other
) -> None:
    """And what it was comes back with it."""
    async with child(database_url, tmp_path, 7) as dead:
        await dead.serves()
        async with running(node_id=8) as two:
            await come_to(other, {7: 32, 8: 32})
            await drain(other, 7)
            os.kill(dead.process.pid, signal.SIGKILL)
            await dead.process.wait()
            await come_to(other, {8: 64})
            async with running(node_id=7) as again:
                await look_twice(again, two)
                assert await shares(other) == {8: 64}
