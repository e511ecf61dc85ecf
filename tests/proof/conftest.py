"""A world for all tests of chaos: three nodes, PostgreSQL behind a proxy; and members for a module.

One installation for all: its start costs more than most tests. Each test waits until it is whole.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from random import Random
from typing import Final

import pytest
import pytest_asyncio

from proof.chaos.fleet import Fleet, Size
from proof.chaos.network import Network
from proof.chaos.record import now
from proof.chaos.run import verdict
from proof.chaos.world import World

SETTLE_S = 60
"""Longer than groups ever need, on a machine that does much else."""

LOOP: Final = "session"

SIZE: Final = Size(beats_s=(0.3, 1.0))
"""Beats that are close together: most tests wait until all_heartbeat has been heard of."""


@pytest_asyncio.fixture(loop_scope=LOOP, scope="session")
async def world() -> AsyncIterator[World]:
    """Three nodes, with everything that belongs to an installation."""
    async with World(3) as running:
        yield running


@pytest_asyncio.fixture(loop_scope=LOOP, scope="module")
async def members(world: World, request: pytest.FixtureRequest) -> AsyncIterator[Fleet]:
    """Groups of both protocols that live through all tests of the module. What they saw, and what
    the database committed meanwhile, is judged at the end."""
    await world.whole(SETTLE_S)
    rng = Random(request.module.__name__)
    prefix = request.module.__name__.rpartition(".")[2]
    living = Fleet(Network(world.bootstraps, rng, world.through), SIZE, rng, prefix)
    try:
        await living.start()
        await living.settle(SETTLE_S)
        yield living
        await living.settle(SETTLE_S)
        assert await verdict(world, living) == []
    finally:
        await living.stop()
    living.check()


@pytest_asyncio.fixture(loop_scope=LOOP)
async def fleet(world: World, members: Fleet) -> Fleet:
    """The members, when nothing moves any more and all_heartbeat is served."""
    await world.whole(SETTLE_S)
    await beats_of_all(members, now())
    await members.settle(SETTLE_S)
    return members


async def until(claim: Callable[[], Awaitable[object]], limit_s: float = SETTLE_S) -> None:
    """Await a coroutine function again and again until it gives something true."""
    async with asyncio.timeout(limit_s):
        while not await claim():
            await asyncio.sleep(0.05)


def generations(fleet: Fleet) -> Mapping[str, tuple[str, int]]:
    """Each member's id and generation."""
    return {member.name: (member.member_id, member.generation) for member in fleet.members}


async def beats_of_all(fleet: Fleet, since: float) -> None:
    """Wait until every member has had a good response to a request sent after an instant."""

    async def all_heartbeat() -> bool:
        fleet.check()
        heard = {beat.member for beat in fleet.record.beats if beat.sent_at > since}
        return heard == {member.name for member in fleet.members}

    await until(all_heartbeat)
