"""Zombies: nodes that are stopped in the middle of a write until others have taken over.

Each is stopped at a fail point (``groups.runtime.fail_points``), is replaced while it is
stopped, and continues there: its write comes late. The server's log shows its outcome. The history
checks that no generation was acknowledged twice.
"""

import asyncio
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from proof.chaos.faults import Scene
from proof.chaos.fleet import Fleet, Size
from proof.chaos.network import Network
from proof.chaos.processes import send, stopped
from proof.chaos.record import now
from proof.chaos.run import everybody_served, verdict
from proof.chaos.world import World

REACH_S: Final = 30.0
"""Longer than a member ever takes to write again."""

TAKEN_OVER_S: Final = 60.0
SETTLE_S: Final = 60.0

FENCED: Final = "a slot of this batch has another owner"
ENDED: Final = "terminating connection due to idle-in-transaction timeout"
COMMITTED: Final = ""

POINTS: Final[Mapping[str, str]] = {
    "offsets:before": FENCED,
    "membership:before": FENCED,
    "offsets:connected": FENCED,
    "membership:connected": FENCED,
    "offsets:inside": ENDED,
    "membership:inside": ENDED,
    "offsets:after": COMMITTED,
    "membership:after": COMMITTED,
}
"""Where a node may stop, and what the server logs about a write that continues there: the guard
rejects it; its transaction was ended, so that others could take over; or it had committed already,
and only its responses are late."""

MEMBERSHIP: Final = "membership:"

MEANINGS: Final[Mapping[str, str]] = {
    FENCED: "refused by the guard",
    ENDED: "rolled back before the takeover",
    COMMITTED: "committed before the takeover, answered late",
}


@dataclass(frozen=True, slots=True)
class Zombie:
    """A node that continued. ``late`` says whether its write ended as in ``POINTS``."""

    point: str
    taken_over_s: float
    late: bool


@dataclass(slots=True)
class Outcome:
    """The result of a run."""

    zombies: list[Zombie] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)


async def run(count: int, nodes: int, seed: int, size: Size, points: Sequence[str] = ()) -> Outcome:
    """So many zombies, one after the other, and the verdict."""
    rng, outcome = Random(seed), Outcome()
    async with World(nodes) as world:
        fleet = Fleet(Network(world.bootstraps, rng, world.through), size, rng)
        try:
            await fleet.start()
            await fleet.settle(SETTLE_S)
            scene = Scene(world, fleet, rng)
            for number in range(count):
                point = (points or tuple(POINTS))[number % len(points or POINTS)]
                outcome.zombies.append(await raise_one(scene, point))
            outcome.violations = await judge(scene, outcome.zombies)
        finally:
            await fleet.stop()
    return outcome


async def judge(scene: Scene, zombies: Sequence[Zombie]) -> list[str]:
    """The verdict of the history, and every late write with a wrong outcome."""
    await scene.fleet.settle(SETTLE_S)
    strays = [f"a late write at {z.point} was not as it must be" for z in zombies if not z.late]
    return [*strays, *await verdict(scene.world, scene.fleet)]


async def raise_one(scene: Scene, point: str) -> Zombie:
    """Stop a node at a fail point until others own all its slots; then let it continue."""
    world, fleet = scene.world, scene.fleet
    group_id = scene.rng.choice(_that_write(fleet, point))
    node_id = await _owner(world, group_id)
    node, before = world.node(node_id), _times_logged(world, point)
    file = world.arm(node_id, point, "stop")
    if point.startswith(MEMBERSHIP):
        for member in fleet.of(group_id):
            member.rejoin()  # the leader is among them: that is a rebalance
    assert node is not None
    if not await stopped(node, REACH_S):
        raise TimeoutError(f"node {node_id} never came to {point}")
    since = now()
    try:
        await _replaced(world, node_id)
    finally:
        send(node, signal.SIGCONT)
        file.unlink(missing_ok=True)
    taken_over_s = now() - since
    if not await everybody_served(fleet, now()):
        fleet.record.defects.append(f"not everybody was served after a zombie at {point}")
    return Zombie(point, taken_over_s, await _came(world, point, before))


def _that_write(fleet: Fleet, point: str) -> Sequence[str]:
    """Groups that can be made to reach a fail point."""
    rebalances = point.startswith(MEMBERSHIP)
    return sorted(g for g, kind in fleet.groups.items() if not rebalances or kind == "classic")


async def _owner(world: World, group_id: str) -> int:
    async with asyncio.timeout(TAKEN_OVER_S):
        while (node_id := await world.owner_of(group_id)) is None:
            await asyncio.sleep(0.05)
    return node_id


async def _replaced(world: World, node_id: int) -> None:
    async with asyncio.timeout(TAKEN_OVER_S):
        while node_id in (await world.owners()).values():
            await asyncio.sleep(0.05)


def _times_logged(world: World, point: str) -> int:
    """How often the server's log has the message for a late write from there."""
    return world.database_log().count(POINTS[point]) if POINTS[point] else 0


async def _came(world: World, point: str, before: int) -> bool:
    """Whether the server soon logs the message once more; True at once if there is none."""
    if not POINTS[point]:
        return True
    try:
        async with asyncio.timeout(REACH_S):
            while _times_logged(world, point) <= before:
                await asyncio.sleep(0.05)
    except TimeoutError:
        return False
    return True


def lines(outcome: Outcome, seed: int) -> list[str]:
    """The report, the verdict last."""
    lines = []
    for point, meaning in POINTS.items():
        those = [zombie for zombie in outcome.zombies if zombie.point == point]
        if those:
            slowest = max(zombie.taken_over_s for zombie in those)
            lines.append(
                f"{len(those):4} x {point:22} {MEANINGS[meaning]} in"
                f" {sum(zombie.late for zombie in those)}; replaced in {slowest:.2f} s at most"
            )
    return [
        *lines,
        *(f"VIOLATION {violation}" for violation in outcome.violations),
        f"{len(outcome.zombies)} zombies, seed {seed}: {len(outcome.violations)} violations",
    ]
