"""PostgreSQL away, restarted, read-only or hung, under members: nothing acknowledged is lost,
nobody is evicted, no slot moves, and service returns by itself."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random

import psycopg
import pytest

from groups.core.errors import ErrorCode
from proof.chaos.audit import violations
from proof.chaos.faults import Scene, end_backends, kill_postgres, restart_postgres
from proof.chaos.fleet import Fleet, Size
from proof.chaos.network import FIND_VERSION, Network, call
from proof.chaos.processes import send
from proof.chaos.record import now
from proof.chaos.run import rows_of
from proof.chaos.world import World
from protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.proof.conftest import SETTLE_S, beats_of_all, generations, until

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(300),
    pytest.mark.xdist_group("chaos"),
]

AWAY_S = 5.0
"""Longer than the lease (3 s), shorter than any session of these members (6 to 10 s)."""

KILLS = 5

Outage = Callable[[World], Awaitable[None]]


async def away(world: World) -> None:
    """The server stops, and whoever would start it again is held back."""
    supervisor = world.supervisor()
    assert send(supervisor, signal.SIGSTOP)
    try:
        assert send(world.postmaster(), signal.SIGINT)
        await asyncio.sleep(AWAY_S)
    finally:
        send(supervisor, signal.SIGCONT)


async def hung(world: World) -> None:
    """Every process of the server stands still."""
    postmaster = world.postmaster()
    assert postmaster is not None
    everybody = [postmaster, *postmaster.children()]
    for process in everybody:
        send(process, signal.SIGSTOP)
    try:
        await asyncio.sleep(AWAY_S)
    finally:
        for process in everybody:
            send(process, signal.SIGCONT)


async def read_only(world: World) -> None:
    """default_transaction_read_only, as an administrator or a full disk's guard would set it."""
    await world.rows("ALTER SYSTEM SET default_transaction_read_only = on")
    await world.rows("SELECT pg_reload_conf()")
    try:
        await asyncio.sleep(AWAY_S)
    finally:
        async with await world.connect() as connection:
            await connection.execute("SET default_transaction_read_only = off")
            await connection.execute("ALTER SYSTEM RESET default_transaction_read_only")
            await connection.execute("SELECT pg_reload_conf()")


@pytest.mark.parametrize("outage", [away, hung, read_only], ids=lambda outage: outage.__name__)
async def test_an_outage_shorter_than_the_sessions_costs_nobody_anything(
    world: World, fleet: Fleet, outage: Outage
) -> None:
    """Writes hear COORDINATOR_NOT_AVAILABLE meanwhile; then all goes on as it was."""
    before, owners = generations(fleet), await world.owners()
    begun = now()
    await outage(world)
    healed = now()
    await beats_of_all(fleet, healed)
    print(f"everybody served {now() - healed:.1f} s after the outage ({outage.__name__})")

    told = [c for c in fleet.record.commits if begun + 1 < c.asked and c.told < healed]
    meanwhile = [commit.error for commit in told]
    assert ErrorCode.NONE not in meanwhile
    assert {error for error in meanwhile if error is not None} <= {
        ErrorCode.COORDINATOR_NOT_AVAILABLE
    }
    assert generations(fleet) == before and fleet.record.evictions == []
    assert await world.owners() == owners
    await fleet.stop()
    assert violations(fleet.record, await rows_of(world)) == []


@pytest.mark.parametrize(
    "inject", [end_backends, restart_postgres, kill_postgres], ids=lambda inject: inject.__name__
)
async def test_a_restart_or_terminated_connections_move_no_slot(
    world: World, fleet: Fleet, inject: Callable[[Scene], Awaitable[None]]
) -> None:
    """A free lock and a beat that came late are no death."""
    before, owners = generations(fleet), await world.owners()
    await inject(Scene(world, fleet, Random(1)))
    await beats_of_all(fleet, now())
    await until(lambda: _answers(world))
    assert await world.owners() == owners
    assert generations(fleet) == before and fleet.record.evictions == []


async def test_nodes_name_no_coordinator_while_the_database_is_away(
    world: World, fleet: Fleet
) -> None:
    """Their leases have run out: what they remember of the slots may be old."""
    group_id = next(iter(fleet.groups))
    asked = FindCoordinatorRequest(coordinator_keys=[group_id])
    pausing = asyncio.create_task(away(world))

    async def nobody_knows() -> bool:
        codes = set()
        for address in world.bootstraps:
            peer = await fleet.network.connect(address)
            codes.add((await call(peer, asked, FIND_VERSION)).coordinators[0].error_code)
            peer.close()
        return codes == {ErrorCode.COORDINATOR_NOT_AVAILABLE}

    await until(nobody_knows)
    await pausing
    await beats_of_all(fleet, now())


async def test_kills_of_postgres_under_load_lose_no_acknowledged_commit(world: World) -> None:
    """kill -9 of every process of it, again and again, while members commit as fast as they can."""
    async with _committers(world) as fleet:
        for _ in range(KILLS):
            acknowledged = len(_acknowledged(fleet))

            async def went_on(before: int = acknowledged) -> bool:
                return len(_acknowledged(fleet)) > before + 500

            await until(went_on)
            await kill_postgres(Scene(world, fleet, Random(1)))
        await beats_of_all(fleet, now())
    unsure = sum(commit.error != 0 for commit in fleet.record.commits)
    print(f"{len(_acknowledged(fleet))} commits acknowledged over {KILLS} kills, {unsure} in doubt")
    assert unsure > 0, "no kill met a commit under way"
    assert fleet.record.evictions == []
    assert violations(fleet.record, await rows_of(world)) == []


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


async def _answers(world: World) -> bool:
    try:
        return bool(await world.owners())
    except (psycopg.Error, OSError):
        return False
