"""Nodes that die, hang, stop or return: no member is evicted, nothing rebalances.

The short form of ``python -m proof failover`` and ``python -m proof zombies``, which have the
goals and the figures (docs/chaos.md). Times are printed here and judged loosely: this machine may
be doing much else.
"""

from random import Random

import pytest

from proof.chaos import failover, zombies
from proof.chaos.failover import Outcome
from proof.chaos.faults import Scene
from proof.chaos.fleet import Fleet
from proof.chaos.world import World
from tests.proof.conftest import SETTLE_S, generations

pytestmark = [
    pytest.mark.long,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(400),
    pytest.mark.xdist_group("chaos"),
]

UNTIL_SESSIONS_END_S = 6.0
"""The shortest session of the members: a longer pause may cost one its place."""


async def test_a_node_that_dies_hangs_or_stops_costs_no_member_its_partitions(
    world: World, fleet: Fleet
) -> None:
    """Each group is served again, under the generation that it had; so at SIGTERM of every node."""
    before, evicted = generations(fleet), len(fleet.record.evictions)
    outcome = Outcome(len(fleet.groups), len(fleet.members))
    await failover.measure(world, fleet, outcome)
    print("\n".join(failover.lines(outcome, 0)))
    assert max(outcome.pauses["hand-over"]) < UNTIL_SESSIONS_END_S
    assert generations(fleet) == before and len(fleet.record.evictions) == evicted


@pytest.mark.parametrize(
    "point", ["offsets:before", "offsets:inside", "membership:connected", "membership:after"]
)
async def test_a_zombie_in_a_write_is_fenced(world: World, fleet: Fleet, point: str) -> None:
    """Stopped at a fail point until others had all that it owned, then resumed: the server takes
    nothing that it still has to say. That no generation was acknowledged twice, and no member lost
    a place for it, is judged when all tests of the module are through."""
    zombie = await zombies.raise_one(Scene(world, fleet, Random(point)), point)
    print(f"replaced in {zombie.taken_over_s:.2f} s")
    assert zombie.late, "the late write was not turned away as it must be"
    await fleet.settle(SETTLE_S)
