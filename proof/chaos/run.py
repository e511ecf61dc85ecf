"""One run of chaos: members, faults one after another, and the verdict.

A fault begins when every member has been served since the last one; now and then two come at once.
The seed decides which faults come when; what real processes make of them it cannot decide.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import LiteralString

from proof.chaos.audit import Entry, Rows, violations
from proof.chaos.faults import FAULTS, Fault, Scene
from proof.chaos.fleet import Fleet, Size
from proof.chaos.network import Network
from proof.chaos.probe import Prober, Served
from proof.chaos.record import Record, now
from proof.chaos.world import World

SETTLE_S = 90.0
"""Longer than groups need to come to rest after anything."""

SERVED_S = 60.0
REST_S = 1.0
TWO_AT_ONCE = 0.2

JOURNAL: LiteralString = (
    "SELECT group_id, revision, kind, generation_after"
    " FROM rollcall_journal WHERE group_id <> '' ORDER BY id"
)
OFFSETS: LiteralString = "SELECT group_id, partition, committed_offset FROM rollcall_offset"

UNEXPECTED = ("Traceback (most recent call last)", "a step failed", "cannot be loaded")
"""What a process says only when something happened that nobody thought of."""


@dataclass(slots=True)
class Outcome:
    """What a run showed. ``injected``: each fault with the instant when it began."""

    record: Record
    served: Served
    injected: list[tuple[Fault, float]] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)


async def run(
    minutes: float,
    nodes: int,
    seed: int,
    faults: Sequence[Fault] = FAULTS,
    size: Size | None = None,
    most: int = 1_000_000,
) -> Outcome:
    """Chaos for so many minutes, or until ``most`` faults; then rest, and the verdict."""
    rng = Random(seed)
    async with World(nodes) as world:
        network = Network(world.bootstraps, rng, world.through)
        fleet = Fleet(network, size or Size(), rng)
        try:
            return await _among(world, fleet, rng, minutes, faults, most)
        finally:
            await fleet.stop()


async def _among(
    world: World, fleet: Fleet, rng: Random, minutes: float, faults: Sequence[Fault], most: int
) -> Outcome:
    await fleet.start()
    await fleet.settle(SETTLE_S)
    async with Prober(fleet.network, fleet.groups) as served:
        outcome = Outcome(fleet.record, served)
        scene, until = Scene(world, fleet, rng), now() + minutes * 60
        for together in draws(faults, rng):
            if now() >= until or len(outcome.injected) >= most:
                break
            await _inject(scene, together, outcome)
        settled = await _rests(fleet)
    await fleet.stop()
    rows = await rows_of(world, settled)
    outcome.log = _log(world)
    outcome.violations = [*violations(fleet.record, rows), *_unexpected(outcome.log)]
    return outcome


def draws(faults: Sequence[Fault], rng: Random) -> Iterator[tuple[Fault, ...]]:
    """Every fault once in a random order, again and again; now and then two together."""
    waiting: list[Fault] = []
    while True:
        if len(waiting) < 2:
            waiting += rng.sample(faults, len(faults))
        count = 2 if rng.random() < TWO_AT_ONCE else 1
        yield tuple(waiting.pop(0) for _ in range(min(count, len(waiting))))


async def _inject(scene: Scene, together: Sequence[Fault], outcome: Outcome) -> None:
    begun = now()
    outcome.injected += [(fault, begun) for fault in together]
    await asyncio.gather(*(fault.inject(scene) for fault in together))
    if not await _everybody_served(scene.fleet, now()):
        outcome.record.defects.append(f"not everybody was served after {together[0].name}")
    await asyncio.sleep(scene.rng.uniform(0.0, REST_S))


async def _everybody_served(fleet: Fleet, since: float) -> bool:
    """Wait until every member had a good answer to what it asked after an instant."""
    waiting = {member.name for member in fleet.members}
    seen = len(fleet.record.beats)
    try:
        async with asyncio.timeout(SERVED_S):
            while waiting:
                fleet.check()
                new, seen = fleet.record.beats[seen:], len(fleet.record.beats)
                waiting -= {beat.member for beat in new if beat.asked > since}
                await asyncio.sleep(0.05)
    except TimeoutError:
        return False
    return True


async def _rests(fleet: Fleet) -> bool:
    try:
        await fleet.settle(SETTLE_S)
    except TimeoutError as error:
        fleet.record.defects.append(str(error))
        return False
    return True


async def rows_of(world: World, settled: bool = True) -> Rows:
    """What the database holds, as the checks want it."""
    journal = await world.rows_patiently(JOURNAL, SETTLE_S)
    offsets = await world.rows_patiently(OFFSETS, SETTLE_S)
    stored: Mapping[tuple[str, int], int] = {(g, p): offset for g, p, offset in offsets}
    return Rows([Entry(*row) for row in journal], stored, settled)


def _log(world: World) -> list[str]:
    said = [] if world.installation is None else list(world.installation.log)
    return [*said, *world.database_log().splitlines(keepends=True)]


def _unexpected(log: Sequence[str]) -> list[str]:
    return [
        "a process said: " + " / ".join(line.strip() for line in log[at : at + 3])
        for at, said in enumerate(log)
        if said.startswith("node ") and any(words in said for words in UNEXPECTED)
    ]
