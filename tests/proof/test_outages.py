"""PostgreSQL away, restarted, read-only, hung, full or wrong about the hour, under members: nothing
acknowledged is lost, no member is evicted, no slot moves, and service returns by itself."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random

import psycopg
import pytest

from groups.core.errors import ErrorCode
from proof.chaos.faults import (
    HOUR_S,
    Inject,
    Scene,
    end_backends,
    fill_the_disk,
    kill_postgres,
    read_only,
    restart_postgres,
)
from proof.chaos.fleet import Fleet, Size
from proof.chaos.network import FIND_VERSION, Network, call
from proof.chaos.processes import send
from proof.chaos.record import now
from proof.chaos.run import verdict
from proof.chaos.world import World
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from tests.proof.conftest import SETTLE_S, beats_of_all, generations, until

pytestmark = [
    pytest.mark.long,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(400),
    pytest.mark.xdist_group("chaos"),
]

AWAY_S = 4.0
"""Longer than the lease (3 s), shorter than any session of these members (6 to 10 s)."""

KILLS = 2

Outage = Callable[[World], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def away(world: World) -> AsyncIterator[None]:
    """The server stops, and its supervisor is suspended."""
    supervisor = world.supervisor()
    assert send(supervisor, signal.SIGSTOP)
    try:
        assert send(world.postmaster(), signal.SIGINT)
        yield
    finally:
        send(supervisor, signal.SIGCONT)


@asynccontextmanager
async def hung(world: World) -> AsyncIterator[None]:
    """Every process of the server is suspended."""
    postmaster = world.postmaster()
    assert postmaster is not None
    everybody = [postmaster, *postmaster.children()]
    for process in everybody:
        send(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in everybody:
            send(process, signal.SIGCONT)


@pytest.mark.parametrize("outage", [away, hung, read_only], ids=lambda outage: outage.__name__)
async def test_an_outage_costs_no_member_its_partitions(
    world: World, fleet: Fleet, outage: Outage
) -> None:
    """Writes are sent away meanwhile, and no node names a coordinator once its lease has run out:
    what it remembers of the slots may be old. Then all continues as it was."""
    before, owners = generations(fleet), await world.owners()
    evicted, begun = len(fleet.record.evictions), now()
    async with outage(world):
        await asyncio.sleep(AWAY_S)
        await until(lambda: _nobody_knows(world, fleet))
        during = [c for c in fleet.record.commits if begun + 1 < c.sent_at]
    healed = now()
    await beats_of_all(fleet, healed)
    print(f"everybody served {now() - healed:.1f} s after the outage ({outage.__name__})")
    meanwhile = {commit.error for commit in during}
    elsewhere = {ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR}
    assert meanwhile <= {None, *elsewhere}, "a write was acknowledged, or refused for good"
    assert generations(fleet) == before and len(fleet.record.evictions) == evicted
    assert await world.owners() == owners


@pytest.mark.parametrize(
    "inject",
    [end_backends, restart_postgres, fill_the_disk],
    ids=lambda inject: inject.__name__,
)
async def test_a_server_shutdown_moves_no_slot(world: World, fleet: Fleet, inject: Inject) -> None:
    """A free lock and a beat that came late are no death."""
    if inject is fill_the_disk and not world.server.is_possible:
        pytest.skip("a full disk takes a C compiler and Linux")
    before, owners = generations(fleet), await world.owners()
    evicted = len(fleet.record.evictions)
    await inject(Scene(world, fleet, Random(1)))
    await beats_of_all(fleet, now())
    await until(lambda: _answers(world))
    assert await world.owners() == owners
    assert generations(fleet) == before and len(fleet.record.evictions) == evicted


async def test_clocks_that_jump_by_an_hour_move_nothing(world: World, fleet: Fleet) -> None:
    """The server's and all others', at once: no session or lease uses a wall clock,
    though the session sweep, which reads one, sees members that seem long overdue."""
    if not world.server.is_possible:
        pytest.skip("a clock that jumps takes a C compiler and Linux")
    before, owners = generations(fleet), await world.owners()
    evicted, ((known,),) = len(fleet.record.evictions), await world.rows(WALL)
    try:
        for whose in (world.server, world.clock):
            whose.jump(HOUR_S)
        ((jumped,),) = await world.rows(WALL)
        assert abs(jumped - known - HOUR_S) < HOUR_S / 2
        await asyncio.sleep(AWAY_S)  # time for a sweep, and for whole leases
        await beats_of_all(fleet, now())
    finally:
        for whose in (world.server, world.clock):
            whose.jump(0)
    await beats_of_all(fleet, now())
    assert await world.owners() == owners
    assert generations(fleet) == before and len(fleet.record.evictions) == evicted


WALL = "SELECT extract(epoch FROM clock_timestamp())::float"


async def test_kills_of_postgres_under_load_lose_no_acknowledged_commit(world: World) -> None:
    """kill -9 of every process of it, again and again, while members commit as fast as they can."""
    async with _committers(world) as fleet:
        for _ in range(KILLS):
            acknowledged = len(_acknowledged(fleet))

            async def went_on(before: int = acknowledged) -> bool:
                return len(_acknowledged(fleet)) > before + 200

            await until(went_on)
            await kill_postgres(Scene(world, fleet, Random(1)))
        await beats_of_all(fleet, now())
        assert await verdict(world, fleet) == []
    unsure = sum(commit.error != 0 for commit in fleet.record.commits)
    print(f"{len(_acknowledged(fleet))} commits acknowledged over {KILLS} kills, {unsure} in doubt")
    assert fleet.record.evictions == []


@asynccontextmanager
async def _committers(world: World) -> AsyncIterator[Fleet]:
    await world.whole(SETTLE_S)
    rng = Random(5)
    size = Size(classic_groups=4, consumer_groups=0, members=4, beats_s=(0.02, 0.03))
    fleet = Fleet(Network(world.bootstraps, rng, world.through), size, rng, prefix="load")
    try:
        await fleet.start()
        await fleet.settle(SETTLE_S)
        for member in fleet.members:
            member.commits_every = 1
        yield fleet
    finally:
        await fleet.stop()
    fleet.check()


def _acknowledged(fleet: Fleet) -> list[object]:
    return [commit for commit in fleet.record.commits if commit.error == 0]


async def _nobody_knows(world: World, fleet: Fleet) -> bool:
    request = FindCoordinatorRequest(coordinator_keys=[next(iter(fleet.groups))])
    codes = set()
    for address in world.bootstraps:
        peer = await fleet.network.connect(address)
        codes.add((await call(peer, request, FIND_VERSION)).coordinators[0].error_code)
        peer.close()
    return codes == {ErrorCode.COORDINATOR_NOT_AVAILABLE}


async def _answers(world: World) -> bool:
    try:
        return bool(await world.owners())
    except (psycopg.Error, OSError):
        return False
