"""A node that ends again and again without handing its slots over takes none for a while, where
others serve."""

from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID, uuid4

import pytest

from groups.cluster import beats
from groups.core.backoff import Backoff
from groups.core.rows import SLOTS
from tests.node.running import running
from tests.node.test_slots import Other, owners, until
from tests.node.test_spread import come_to, shares

LEASE_MS = 1_000
HOUR_MS = 3_600_000

LEFT = """
INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at,
                           unclean_ends, steady_since)
VALUES (%s, %s, 7, '127.0.0.1', 1, now(), now(), %s, now() - %s * interval '1 millisecond')
"""
"""The row of a process that was killed: it had beaten steadily for this long."""

OWN = "UPDATE rollcall_slot SET node_id = %s, incarnation = %s, epoch = epoch + 1 WHERE slot < %s"
PATIENT = (
    b"UPDATE rollcall_node SET lease_ms = 600000, takes_slots = node_id = 7 WHERE node_id <> 8"
)
"""Others wait for this long, for a silent node and for the successor of an owner."""

ROW = "SELECT unclean_ends, takes_slots FROM rollcall_node WHERE node_id = %s"
NOTED = "SELECT node_id, details FROM rollcall_journal WHERE kind = 'node-waits'"


@pytest.fixture(autouse=True)
def _settings(_prepared: None, settings: Any) -> None:
    settings.NODE_LEASE_MS = LEASE_MS
    settings.NODE_RESTART_BACKOFF_MS = HOUR_MS
    settings.NODE_RESTART_BACKOFF_MAX_MS = 8 * HOUR_MS


async def killed(other: Other, node: int, *, ends: int = 0, lived_ms: int = 0) -> UUID:
    """A node that was killed before, as its row shows it."""
    incarnation = uuid4()
    await other.execute(LEFT.encode(), [node, incarnation, ends, lived_ms])
    return incarnation


async def row(other: Other, node: int) -> tuple[Any, ...]:
    """How often it ended, and whether it takes slots."""
    [found] = await (await other.execute(ROW.encode(), [node])).fetchall()
    return tuple(found)


async def test_a_node_that_was_killed_takes_no_slots_while_another_serves(other: Other) -> None:
    """Also not those that nobody has taken from it yet: the other one has them at once, not after a
    lease, during which the successor of an owner usually takes them."""
    dead = await killed(other, 7, ends=2)
    await killed(other, 9)
    await other.execute(PATIENT)
    await other.execute(OWN.encode(), [7, dead, 5])
    async with running(node_id=8):
        await come_to(other, {7: 5, 8: SLOTS - 5})
        epochs = {slot: epoch for slot, (_, epoch) in (await owners(other)).items()}
        async with running(node_id=7) as again:
            await again.node.keeper._look()
            assert not again.node.coordinator.epochs
            assert await row(other, 7) == (3, False)
            assert await owners(other) == {s: (8, e + (s < 5)) for s, e in epochs.items()}
            notes = await (await other.execute(NOTED.encode())).fetchall()
            assert [(node, d["unclean_ends"]) for node, d in notes] == [(7, 3)]
            assert 3 * HOUR_MS < notes[0][1]["wait_ms"] <= 4 * HOUR_MS


async def test_it_takes_its_share_when_it_has_waited(other: Other, settings: Any) -> None:
    settings.NODE_RESTART_BACKOFF_MS = 500
    async with running(node_id=8):
        await killed(other, 7)
        async with running(node_id=7) as again:
            assert not again.node.coordinator.epochs
            await come_to(other, {7: 32, 8: 32})
            assert await row(other, 7) == (1, True)


async def test_a_lone_node_serves_at_once_however_often_it_was_killed(
    other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also beside the row of one that does not come back, which looks alive for a lease; and it
    keeps its slots when another node starts."""
    monkeypatch.setattr(beats, "STAY_LEASES", 1)  # what it took for the dead one is offered again
    dead = await killed(other, 7, ends=99)
    await killed(other, 9)
    await other.execute(OWN.encode(), [7, dead, SLOTS])
    async with running(node_id=7) as one:
        await one.node.keeper._look()
        assert len(one.node.coordinator.epochs) == SLOTS
        assert await row(other, 7) == (100, True)
        async with running(node_id=8):
            await come_to(other, {7: 32, 8: 32})


async def test_nodes_that_were_killed_together_serve_at_once(other: Other) -> None:
    """None of them is healthy: the first serves."""
    for node in (7, 8, 9):
        dead = await killed(other, node)
        await other.execute(OWN.encode(), [node, dead, SLOTS - 20 * (node - 7)])
    async with running(node_id=7), running(node_id=8), running(node_id=9):
        await come_to(other, {7: SLOTS})


async def test_it_serves_at_once_when_the_other_node_leaves(other: Other) -> None:
    async with AsyncExitStack() as healthy, AsyncExitStack() as again:
        await healthy.enter_async_context(running(node_id=8))
        await killed(other, 7)
        await again.enter_async_context(running(node_id=7))
        assert await shares(other) == {8: SLOTS}
        await healthy.aclose()
        await come_to(other, {7: SLOTS})


@pytest.mark.parametrize(("lived_ms", "ends"), [(0, 6), (15 * HOUR_MS, 6), (17 * HOUR_MS, 1)])
async def test_a_node_that_lived_for_long_counts_anew(
    other: Other, lived_ms: int, ends: int
) -> None:
    """Longer than the longest wait and as long again: or one that ends as soon as it serves would
    begin with the shortest wait each time."""
    await killed(other, 7, ends=5, lived_ms=lived_ms)
    async with running(node_id=7):
        assert (await row(other, 7))[0] == ends
    assert not await (await other.execute(ROW.encode(), [7])).fetchall(), "it has stopped properly"


async def test_a_node_that_lost_its_slots_waits_as_one_that_was_killed(other: Other) -> None:
    """Its lease was over, perhaps in a network that comes and goes, and others serve its groups."""
    async with running(node_id=8) as healthy, running(node_id=7) as cut_off:
        await come_to(other, {7: 32, 8: 32})
        await until(lambda: len(cut_off.node.coordinator.epochs) == 32)
        async with healthy.node.keeper._looking, cut_off.node.keeper._looking:
            await other.execute(
                b"UPDATE rollcall_slot SET node_id = 8, epoch = epoch + 1, incarnation ="
                b" (SELECT incarnation FROM rollcall_node WHERE node_id = 8) WHERE node_id = 7"
            )
            await cut_off.node.keeper._look_alone()
        assert await row(other, 7) == (1, False)
        assert await shares(other) == {8: SLOTS} and not cut_off.node.coordinator.epochs


def test_waits_double_up_to_the_longest() -> None:
    waits = []
    for failures in (0, 1, 2, 3, 4, 5, 1_000_000):
        backoff = Backoff(10, 100)
        backoff.resume(failures, now=1_000)
        waits.append(backoff.left(1_000))
        assert backoff.failures == failures
        assert not backoff.waits(1_000 + waits[-1])
    assert waits == [0, 10, 20, 40, 80, 100, 100]


async def test_a_node_that_was_forgotten_registers_again(other: Other) -> None:
    """It was cut off for longer than the clean-up waits, so that others had its slots."""
    async with running(node_id=8), running(node_id=7) as one:
        await come_to(other, {7: 32, 8: 32})
        async with one.node.keeper._looking:
            await other.execute(
                b"UPDATE rollcall_slot SET node_id = NULL, incarnation = NULL, epoch = epoch + 1"
                b" WHERE node_id = 7"
            )
            await other.execute(b"DELETE FROM rollcall_node WHERE node_id = 7")
        await come_to(other, {7: 32, 8: 32})
        assert await row(other, 7) == (0, True) and not one.stopped
