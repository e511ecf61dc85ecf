"""Slots are spread over the nodes evenly, and as few as possible move."""

import asyncio
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from groups.core.errors import ErrorCode
from groups.core.placement import plan
from groups.core.replies import Committed
from groups.core.rows import SLOTS, slot_of
from tests.node.running import running
from tests.node.test_slots import Other, owners, until

NODES = st.sets(st.integers(0, 9), max_size=6)
OWNERS = st.lists(st.none() | st.integers(0, 9), min_size=SLOTS, max_size=SLOTS).map(
    lambda found: dict(enumerate(found))
)


@given(OWNERS, NODES)
def test_every_live_node_has_a_fair_share(found: dict[int, int | None], live: set[int]) -> None:
    wanted = plan(found, live)
    shares = Counter(wanted.values())

    assert set(wanted) == (set(range(SLOTS)) if live else set())
    assert set(shares) == live
    assert not live or max(shares.values()) - min(shares.values()) <= 1


@given(OWNERS, NODES)
def test_slots_move_only_from_nodes_above_their_share(
    found: dict[int, int | None], live: set[int]
) -> None:
    wanted = plan(found, live)
    for node in live:
        held = {slot for slot, owner in found.items() if owner == node}
        shall = {slot for slot, owner in wanted.items() if owner == node}
        assert held <= shall or shall <= held


@given(OWNERS, NODES)
def test_a_balanced_spread_does_not_change(found: dict[int, int | None], live: set[int]) -> None:
    once = plan(found, live)
    assert plan(dict(once), live) == once


async def shares(other: Other) -> dict[int | None, int]:
    """How many slots each node owns, by the rows."""
    return Counter(node for node, _ in (await owners(other)).values())


async def come_to(other: Other, wanted: dict[int | None, int]) -> None:
    """Look again until they are spread like this."""
    while await shares(other) != wanted:
        await asyncio.sleep(0.01)


async def test_a_second_node_gets_half_of_the_slots(other: Other) -> None:
    """Groups that stay notice nothing; those that move continue at the other node as they were."""
    async with running(node_id=3) as one:
        names = [f"g-{n}" for n in range(8)]
        joined = {name: await one.settled(name, session_timeout_ms=300_000) for name in names}
        async with running(node_id=4) as two:
            await come_to(other, {3: 32, 4: 32})
            await until(lambda: len(two.node.coordinator.epochs) == SLOTS // 2)

            for name in names:
                here = slot_of(name) in one.node.coordinator.epochs
                home, away = (one, two) if here else (two, one)
                assert await home.commit(name, 1, joined[name]) == Committed()
                elsewhere = await away.commit(name, 2, joined[name])
                assert elsewhere.error is ErrorCode.NOT_COORDINATOR
                view = home.node.coordinator.heartbeat_views[name]
                now = home.node.coordinator.clock()
                member = joined[name].member_id
                assert view.heartbeat(member, None, joined[name].generation_id, now) == 0


PATIENT = b"UPDATE rollcall_node SET lease_ms = 600000"
"""Each waits for so long for the other one, if it is silent."""


async def test_a_node_that_stops_cleanly_is_replaced_at_once(other: Other) -> None:
    """Nobody waits for its lease."""
    async with running(node_id=3) as one:
        async with running(node_id=4):
            await come_to(other, {3: 32, 4: 32})
            await other.execute(PATIENT)
        await come_to(other, {3: 64})
        await until(lambda: len(one.node.coordinator.epochs) == SLOTS)


async def test_three_nodes_share_and_a_fourth_gets_a_quarter(other: Other) -> None:
    async with running(node_id=1), running(node_id=2), running(node_id=3):
        while sorted((await shares(other)).values()) != [21, 21, 22]:
            await asyncio.sleep(0.01)
        async with running(node_id=4):
            await come_to(other, dict.fromkeys((1, 2, 3, 4), 16))
