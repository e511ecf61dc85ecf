"""Faults that repeat, and what they cost the groups of nodes that they do not strike.

A single fault heals before the next one (``run.py``); here the next one comes while the cluster
deals with the last: nodes and PostgreSQL in crash loops, a network that comes and goes, slots that
move all the time, restarts of one node after another. A group whose coordinator was not struck is a
*bystander*: it has to keep its coordinator, but for the moment of a hand-over.
"""

import asyncio
import itertools
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Final

import psutil

from proof.chaos import faults
from proof.chaos.faults import Scene
from proof.chaos.fleet import Fleet, Size
from proof.chaos.lateness import lateness
from proof.chaos.network import Network
from proof.chaos.probe import EVERY_S, Prober, Served
from proof.chaos.processes import send
from proof.chaos.record import now
from proof.chaos.run import SETTLE_S, everybody_served, verdict
from proof.chaos.world import World

SIZE: Final = Size(classic_groups=18, consumer_groups=6, members=2, session_s=(8.0, 10.0))

BYSTANDER_S: Final = 1.0
"""A bystander must not be without a coordinator for this long, beside the time in which the run
itself was late. It is much more than a hand-over takes, and less than to find that a node died."""

OUTAGE_S: Final = 0.5
"""From here on it counts as an outage."""

CRASH_LOOP_OUTAGES: Final = 3
"""The most outages of a group while a node crashes every five seconds: at the first crash, and when
it was let serve once more, too early."""

PRODUCT: Final[Mapping[str, str]] = {
    "ROLLCALL_NODE_RESTART_BACKOFF_MS": "10000",
    "ROLLCALL_NODE_RESTART_BACKOFF_MAX_MS": "600000",
}
"""What other runs of chaos shorten, as they wait for every node to have its share."""

NEAR_S: Final = 2 * EVERY_S
"""A strike may come this long after the last probe that was answered, or before its answer was
noted."""


PEACE_S: Final = 1.5
"""Between the last hand-over and the next crash, so that each is seen for itself."""

AFTER_S: Final = 5.0
"""Longer than others need to take over what was a struck node's."""


@dataclass(frozen=True, slots=True)
class Strike:
    """What a fault strikes: a node, or all of them (None)."""

    node_id: int | None
    since: float
    until: float


@dataclass(slots=True)
class Strikes:
    """Every strike of a run."""

    found: list[Strike] = field(default_factory=list)

    @asynccontextmanager
    async def on(self, node_id: int | None) -> AsyncIterator[None]:
        """A strike while inside."""
        since = now()
        try:
            yield
        finally:
            self.found.append(Strike(node_id, since, now()))

    def are_near(self, since: float, until: float) -> bool:
        """Whether any node was struck in this span or a few seconds before."""
        return any(
            strike.since - NEAR_S <= until and strike.until + AFTER_S >= since
            for strike in self.found
        )

    def concern(self, node_id: int | None, since: float, until: float) -> bool:
        """Whether a node was struck in this span."""
        return any(
            strike.node_id in (None, node_id)
            and strike.since - NEAR_S <= until
            and strike.until + NEAR_S >= since
            for strike in self.found
        )


Act = Callable[[Scene, Strikes, int], Awaitable[None]]
"""One round; the number counts them from 0."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """One row. A round begins ``every_s`` after the one before began, or when it has ended."""

    name: str
    meaning: str
    every_s: float
    act: Act
    outages_max: int | None = None
    """The most outages of any group, if that is limited."""


def in_turn(scene: Scene, number: int) -> int:
    """The node of a round."""
    nodes = sorted(scene.world.ports)
    return nodes[number % len(nodes)]


async def crash_one(scene: Scene, strikes: Strikes, number: int) -> None:
    """The first node."""
    await _crash(scene, strikes, in_turn(scene, 0))


async def crash_in_turn(scene: Scene, strikes: Strikes, number: int) -> None:
    """Each node."""
    await _crash(scene, strikes, in_turn(scene, number))


async def crash_when_whole(scene: Scene, strikes: Strikes, number: int) -> None:
    """Each node, when all have had their share again, and for a while."""
    await scene.world.whole(SETTLE_S)
    await asyncio.sleep(PEACE_S)
    await crash_in_turn(scene, strikes, number)
    await everybody_served(scene.fleet, now())


async def _process(scene: Scene, node_id: int) -> psutil.Process | None:
    """A node's process. Searching all processes of a busy machine takes longer than a probe may be
    late, so it is done beside the probes."""
    return await asyncio.to_thread(scene.world.node, node_id)


async def _crash(scene: Scene, strikes: Strikes, node_id: int) -> None:
    node = await _process(scene, node_id)
    async with strikes.on(node_id):
        send(node, signal.SIGKILL)


async def crash_postgres(scene: Scene, strikes: Strikes, number: int) -> None:
    """The postmaster and its backends."""
    async with strikes.on(None):
        await faults.kill_postgres(scene)
        await _postgres_serves(scene)


async def restart_postgres(scene: Scene, strikes: Strikes, number: int) -> None:
    """A fast restart."""
    async with strikes.on(None):
        await faults.restart_postgres(scene)
        await _postgres_serves(scene)


async def crash_both(scene: Scene, strikes: Strikes, number: int) -> None:
    """PostgreSQL and a node at the same time."""
    node = await _process(scene, in_turn(scene, number))
    async with strikes.on(None):
        send(node, signal.SIGKILL)
        await faults.kill_postgres(scene)
        await _postgres_serves(scene)


async def _postgres_serves(scene: Scene) -> None:
    """Nodes connect again, and look at what they have, within this time after PostgreSQL."""
    await scene.world.rows_patiently("SELECT 1", SETTLE_S)
    await everybody_served(scene.fleet, now())


async def cut_one_off(scene: Scene, strikes: Strikes, number: int) -> None:
    """The first node, past its lease."""
    node_id = in_turn(scene, 0)
    async with strikes.on(node_id):
        await faults.cut_off(scene, node_id)


async def cut_all_off(scene: Scene, strikes: Strikes, number: int) -> None:
    """All nodes, for a second."""
    async with strikes.on(None):
        await faults.cut_the_database(scene)
        await everybody_served(scene.fleet, now())


async def suspend_one(scene: Scene, strikes: Strikes, number: int) -> None:
    """The first node, past its lease."""
    node_id = in_turn(scene, 0)
    node = await _process(scene, node_id)
    async with strikes.on(node_id):
        await faults.stand_still(node, 1.3 * faults.LEASE_S)


async def trade_slots(scene: Scene, strikes: Strikes, number: int) -> None:
    """Each node is drained, and the drain withdrawn: nobody is struck."""
    await faults.drain(scene, in_turn(scene, number))


async def restart_in_turn(scene: Scene, strikes: Strikes, number: int) -> None:
    """SIGTERM of each node, when all have had their share again: nobody is struck but the one."""
    await scene.world.whole(SETTLE_S)
    node_id = in_turn(scene, number)
    before = await _process(scene, node_id)
    async with strikes.on(node_id), asyncio.timeout(SETTLE_S):
        send(before, signal.SIGTERM)
        while (new := await _process(scene, node_id)) is None or new == before:
            await asyncio.sleep(EVERY_S)


REPEATS: Final[Sequence[Repeat]] = (
    Repeat(
        "crash-loop", "kill -9 of one node, again and again", 5.0, crash_one, CRASH_LOOP_OUTAGES
    ),
    Repeat("crashes", "kill -9 of each node in turn", 10.0, crash_in_turn),
    Repeat("kills", "kill -9 of each node in turn, when all serve", 0.0, crash_when_whole),
    Repeat("postgres-crashes", "kill -9 of PostgreSQL", 6.0, crash_postgres),
    Repeat("postgres-restarts", "fast restarts of PostgreSQL", 4.0, restart_postgres),
    Repeat("both-crash", "kill -9 of PostgreSQL and a node", 10.0, crash_both),
    Repeat("flapping-node", "one node cut off past its lease", 8.0, cut_one_off),
    Repeat("flapping-network", "all nodes cut off for a second", 4.0, cut_all_off),
    Repeat("suspensions", "SIGSTOP of one node past its lease", 8.0, suspend_one),
    Repeat("drains", "a drain of each node in turn", 5.0, trade_slots),
    Repeat("rolling-restarts", "SIGTERM of each node in turn", 0.0, restart_in_turn),
)

BY_NAME: Final = {repeat.name: repeat for repeat in REPEATS}
assert len(BY_NAME) == len(REPEATS), "two of one name"


@dataclass(slots=True)
class Outcome:
    """Seconds without service, one for each time that a group had none for longer than between two
    probes: of groups whose coordinator was struck, of bystanders while others were, and of groups
    that were handed over later. ``outages``: how many each group had; ``away``: the largest share
    of the time that one had none."""

    struck: list[float] = field(default_factory=list)
    bystanders: list[float] = field(default_factory=list)
    handed: list[float] = field(default_factory=list)
    outages: dict[str, int] = field(default_factory=dict)
    away: float = 0.0
    rounds: int = 0
    violations: list[str] = field(default_factory=list)


async def run(
    repeat: Repeat,
    nodes: int,
    seed: int,
    seconds: float,
    rounds: int = 1_000_000,
    settings: Mapping[str, str] = PRODUCT,
    size: Size = SIZE,
) -> Outcome:
    """The fault again and again for so long, or so often, and the verdict."""
    rng = Random(seed)
    async with World(nodes, settings) as world:
        fleet = Fleet(Network(world.bootstraps, rng, world.through), size, rng)
        try:
            await fleet.start()
            await fleet.settle(SETTLE_S)
            await world.whole(SETTLE_S)
            return await _among(Scene(world, fleet, rng), repeat, seconds, rounds)
        finally:
            await fleet.stop()


async def _among(scene: Scene, repeat: Repeat, seconds: float, rounds: int) -> Outcome:
    strikes, outcome = Strikes(), Outcome()
    record = scene.fleet.record
    async with lateness(record), Prober(scene.fleet.network, scene.fleet.groups) as served:
        await _are_probed(served)
        begun = now()
        while now() - begun < seconds and outcome.rounds < rounds:
            at = now()
            await repeat.act(scene, strikes, outcome.rounds)
            outcome.rounds += 1
            await scene.world.witness.read(SETTLE_S)
            await asyncio.sleep(max(0.0, at + repeat.every_s - now()))
        if not await everybody_served(scene.fleet, now()):
            outcome.violations.append(f"not everybody was served after {repeat.name}")
        await scene.fleet.settle(SETTLE_S)
        account(outcome, served, strikes, scene.world.nodes_by_address, begun)
    outcome.violations += judged(outcome, repeat, record.late_s)
    outcome.violations += await verdict(scene.world, scene.fleet)
    return outcome


async def _are_probed(served: Served) -> None:
    async with asyncio.timeout(SETTLE_S):
        while not all(served.at.values()):
            await asyncio.sleep(EVERY_S)


def account(
    outcome: Outcome, served: Served, strikes: Strikes, nodes: Mapping[str, int], begun: float
) -> None:
    """Fill in the times without service since an instant. ``nodes``: by the address of a probe.

    While no probe of any group is answered, a bystander's is not either: then the run itself was
    blocked, as by a search through all processes of a busy machine."""
    silences = _silences(served)
    for group_id, times in served.at.items():
        seen = list(zip(times, served.by[group_id], strict=True))
        gaps = [(a, b, by) for (a, by), (b, _) in itertools.pairwise(seen) if b > begun]
        away = [(b - a - EVERY_S, nodes.get(by), a, b) for a, b, by in gaps if b - a > 2 * EVERY_S]
        for gap, node_id, a, b in away:
            if strikes.concern(node_id, a, b):
                outcome.struck.append(gap)
            else:
                own = gap - sum(max(0.0, min(b, y) - max(a, x)) for x, y in silences)
                is_near = strikes.are_near(a, b)
                (outcome.bystanders if is_near else outcome.handed).append(max(0.0, own))
        lost = sum(gap for gap, *_ in away)
        outcome.away = max(outcome.away, lost / (times[-1] - begun))
        outcome.outages[group_id] = sum(gap > OUTAGE_S for gap, *_ in away)


def _silences(served: Served) -> Sequence[tuple[float, float]]:
    """The times in which no probe was answered, beside the one between two probes."""
    times = sorted(itertools.chain.from_iterable(served.at.values()))
    return [(a, b - EVERY_S) for a, b in itertools.pairwise(times) if b - a > 2 * EVERY_S]


def judged(outcome: Outcome, repeat: Repeat, late_s: float) -> list[str]:
    """What did not hold. The run itself was late for so long."""
    found = []
    worst = max((*outcome.bystanders, *outcome.handed), default=0.0)
    if worst > BYSTANDER_S + late_s:
        found.append(f"a group was without its coordinator for {worst:.2f} s, which was not struck")
    most = max(outcome.outages.values(), default=0)
    if repeat.outages_max is not None and most > repeat.outages_max:
        found.append(f"a group lost its coordinator {most} times in {repeat.name}")
    return found
