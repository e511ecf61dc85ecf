"""Failover under members with stock timing: how soon is each group served, and do members notice?

One run: kill -9 of a node, a node that hangs, SIGTERM of every node in turn. Members heartbeat
every three seconds in sessions of 45, as stock clients do, so they must not notice; a probe of each
group every 100 ms measures what they do not see.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from proof.chaos import report
from proof.chaos.fleet import Fleet, Size
from proof.chaos.network import Network
from proof.chaos.probe import Prober, Served
from proof.chaos.processes import send
from proof.chaos.record import now
from proof.chaos.run import verdict
from proof.chaos.world import World

STOCK: Final = Size(
    classic_groups=20,
    consumer_groups=0,
    members=10,
    partitions=20,
    session_s=(45.0, 45.0),
    beats_s=(3.0, 3.0),
)
"""200 members in 20 groups: session.timeout.ms and heartbeat.interval.ms are the defaults of Java's
consumer."""

SETTLE_S: Final = 90.0
HANGS_ON_S: Final = 1.0
"""How much longer a node hangs than its replacement takes."""

GOALS_S: Final[Mapping[str, float]] = {"crash": 2.0, "hang": 5.0, "hand-over": 0.5}


@dataclass(slots=True)
class Outcome:
    """``pauses`` are seconds without service: one for each group and each failure of a kind."""

    groups: int
    members: int
    pauses: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in GOALS_S})
    rebalances: int = 0
    evictions: int = 0
    violations: list[str] = field(default_factory=list)


async def run(nodes: int, seed: int, size: Size = STOCK, rounds: int = 1) -> Outcome:
    """All three kinds of failures, so many times, and the verdict."""
    rng = Random(seed)
    async with World(nodes) as world:
        fleet = Fleet(Network(world.bootstraps, rng), size, rng)
        outcome = Outcome(len(fleet.groups), len(fleet.groups) * size.members)
        try:
            await fleet.start()
            await fleet.settle(SETTLE_S)
            await measure(world, fleet, outcome, rounds)
            outcome.violations = await verdict(world, fleet)
        finally:
            await fleet.stop()
    return outcome


async def measure(world: World, fleet: Fleet, outcome: Outcome, rounds: int = 1) -> None:
    """Cause the failures, and fill in the outcome's pauses, rebalances and evictions."""
    before = generations(fleet)
    async with Prober(fleet.network, fleet.groups) as served:
        for number in range(rounds):
            victims = sorted(world.ports)
            await _pause(world, served, outcome.pauses["crash"], crash, victims[number % 3])
            await _pause(world, served, outcome.pauses["hang"], hang, victims[(number + 1) % 3])
            for node_id in victims:
                await _pause(world, served, outcome.pauses["hand-over"], hand_over, node_id)
    after = generations(fleet)
    outcome.rebalances = sum(after[name] != known for name, known in before.items())
    outcome.evictions = len(fleet.record.evictions)


def generations(fleet: Fleet) -> Mapping[str, tuple[str, int]]:
    """Each member's id and generation."""
    return {member.name: (member.member_id, member.generation) for member in fleet.members}


Trouble = Callable[[World, int], Awaitable[None]]


async def crash(world: World, node_id: int) -> None:
    """kill -9; the supervisor restarts it."""
    assert send(world.node(node_id), signal.SIGKILL)


async def hang(world: World, node_id: int) -> None:
    """SIGSTOP until others have all its slots, and a while longer."""
    node = world.node(node_id)
    assert send(node, signal.SIGSTOP)
    try:
        async with asyncio.timeout(SETTLE_S):
            while node_id in (await world.owners()).values():
                await asyncio.sleep(0.1)
        await asyncio.sleep(HANGS_ON_S)
    finally:
        send(node, signal.SIGCONT)


async def hand_over(world: World, node_id: int) -> None:
    """SIGTERM; the supervisor restarts it."""
    node = world.node(node_id)
    assert node is not None and send(node, signal.SIGTERM)
    async with asyncio.timeout(SETTLE_S):
        while (new := world.node(node_id)) is None or new.pid == node.pid:
            await asyncio.sleep(0.05)


async def _pause(
    world: World, served: Served, pauses: list[float], trouble: Trouble, node_id: int
) -> None:
    await world.whole(SETTLE_S)
    begun = now()
    await _all_served(served, begun)
    begun = now()
    await trouble(world, node_id)
    await world.whole(SETTLE_S)
    await _all_served(served, now())
    pauses += served.longest(begun).values()


async def _all_served(served: Served, since: float) -> None:
    async with asyncio.timeout(SETTLE_S):
        while not all(times and times[-1] > since for times in served.at.values()):
            await asyncio.sleep(0.05)


def lines(outcome: Outcome, seed: int) -> list[str]:
    """The report, the verdict last."""
    return [
        f"{outcome.members} members in {outcome.groups} groups, seed {seed}",
        *(
            f"{kind:10} longest pause of a group: {_figures(outcome.pauses[kind], goal)}"
            for kind, goal in GOALS_S.items()
        ),
        *(f"VIOLATION {violation}" for violation in outcome.violations),
        f"members with another generation {outcome.rebalances}, evicted {outcome.evictions},"
        f" violations {len(outcome.violations)}",
    ]


def _figures(pauses: Sequence[float], goal_s: float) -> str:
    late = sum(pause > goal_s for pause in pauses)
    return f"{report.pauses(pauses)}; {late} above the goal of {goal_s} s"
