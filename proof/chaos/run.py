"""One run of chaos: members, faults one after another, and the verdict.

A fault begins when every member has been served since the last one; now and then two run at once.
The seed decides which faults come when; it cannot decide how real processes react.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from proof.chaos import audit
from proof.chaos import verdict as account
from proof.chaos.faults import FAULTS, Fault, Scene
from proof.chaos.fleet import Fleet, Size
from proof.chaos.lateness import lateness
from proof.chaos.network import Network
from proof.chaos.probe import Prober, Served
from proof.chaos.record import Record, now
from proof.chaos.world import OWNERS, World
from proof.fact_tables import OF_ANY_CLOCK

SETTLE_S = 90.0
"""Longer than groups need to settle after any fault."""

SERVED_S, SERVED_MAX_S = 60.0, 240.0
"""Until all members must be served: without and with the time in which the run itself was
blocked."""

NAMED = 5
"""So many members does a finding name."""

REST_S = 0.5
TWO_AT_ONCE = 0.2
DEPLOYS = 0.4
"""The shares of faults that come two at once, and of those beside which members are replaced."""

FACTS = ("life", "owned")
"""Tables of a history with what was recorded of members."""

PEACE_MS = 10_000.0
"""After the last fault every member is served once more, then all groups settle: a request that is
older than most of this was forgotten."""


@dataclass(slots=True)
class Outcome:
    """The result of a run. ``injected``: each fault with the instant when it began; ``facts``: how
    many rows of facts were compared with the history; ``history``: the records around violations.
    """

    record: Record
    served: Served
    injected: list[tuple[Fault, float]] = field(default_factory=list)
    left_out: list[Fault] = field(default_factory=list)
    facts: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    history: list[Mapping[str, Any]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)


async def run(
    minutes: float,
    nodes: int,
    seed: int,
    faults: Sequence[Fault] = FAULTS,
    size: Size | None = None,
    most: int = 1_000_000,
) -> Outcome:
    """Chaos for so many minutes, or until ``most`` faults; then wait until groups settle, and
    judge."""
    rng = Random(seed)
    async with World(nodes) as world:
        network = Network(world.bootstraps, rng, world.through)
        fleet = Fleet(network, size or Size(), rng, drafts=await world.drafts())
        try:
            return await among(world, fleet, rng, minutes, faults, most)
        finally:
            await fleet.stop()


async def among(
    world: World, fleet: Fleet, rng: Random, minutes: float, faults: Sequence[Fault], most: int
) -> Outcome:
    """The same in a world that exists; the members are started and stopped."""
    await fleet.start()
    await fleet.settle(SETTLE_S)
    async with lateness(fleet.record), Prober(fleet.network, fleet.groups) as served:
        outcome = Outcome(fleet.record, served)
        scene, until = Scene(world, fleet, rng), now() + minutes * 60
        possible = [fault for fault in faults if fault.is_possible(world)]
        outcome.left_out = [fault for fault in faults if fault not in possible]
        for together in draws(possible, rng):
            if now() >= until or len(outcome.injected) >= most:
                break
            await _inject(scene, together, outcome)
            await world.witness.read(SETTLE_S)
        settled = await _rests(fleet)
    outcome.violations = await verdict(world, fleet, settled=settled, kept=outcome.history)
    outcome.facts = Counter(r["table"] for r in world.witness.rows if r["table"] in FACTS)
    if not all(map(outcome.facts.__getitem__, FACTS)):
        outcome.violations.append(f"facts are missing: {outcome.facts}")
    outcome.log = world.log()
    return outcome


def draws(faults: Sequence[Fault], rng: Random) -> Iterator[tuple[Fault, ...]]:
    """Every fault once in a random order, repeatedly; now and then two together."""
    waiting: list[Fault] = []
    while True:
        if len(waiting) < 2:
            waiting += rng.sample(faults, len(faults))
        together = waiting[: 2 if rng.random() < TWO_AT_ONCE else 1]
        if any(fault.is_alone for fault in together):
            del together[1:]
        del waiting[: len(together)]
        yield tuple(together)


async def _inject(scene: Scene, together: Sequence[Fault], outcome: Outcome) -> None:
    keeps_slots = all(fault.keeps_slots for fault in together)
    owners = await _owners_at_rest(scene) if keeps_slots else None
    begun, names = now(), " and ".join(fault.name for fault in together)
    outcome.injected += [(fault, begun) for fault in together]
    if scene.rng.random() < DEPLOYS:
        scene.fleet.replace_some()
    await asyncio.gather(*(fault.inject(scene) for fault in together))
    if late := await unserved(scene.fleet, now()):
        some = ", ".join(sorted(late)[:NAMED])
        outcome.record.defects.append(f"{len(late)} were not served after {names}: {some}")
    if owners is not None and await _owners_at_rest(scene) not in (None, owners):
        outcome.record.defects.append(f"slots moved for {names}")
    await asyncio.sleep(scene.rng.uniform(0.0, REST_S))


async def _owners_at_rest(scene: Scene) -> Mapping[int, int | None] | None:
    """Each slot's node when every one has its share; None, and a defect: that did not come."""
    world = scene.world
    try:
        await world.whole(SETTLE_S)
    except TimeoutError:
        shares = Counter((await world.owners()).values())
        alive = [node_id for node_id in world.ports if world.node(node_id) is not None]
        scene.fleet.record.defects.append(f"slots came to no rest: {shares}, alive {alive}")
        return None
    return dict(await world.rows_patiently(OWNERS, SETTLE_S))


async def everybody_served(fleet: Fleet, since: float) -> bool:
    """Whether all are, in the time of ``unserved``."""
    return not await unserved(fleet, since)


async def unserved(fleet: Fleet, since: float) -> Collection[str]:
    """Wait until every member had a success for a request that it sent after an instant; returns
    those that had none. Time in which the run itself was blocked does not count, up to a limit."""
    waiting = {member.name for member in fleet.members}
    record, seen = fleet.record, len(fleet.record.beats)
    begun, late_before = now(), record.late_s
    while waiting and now() - begun < min(SERVED_S + record.late_s - late_before, SERVED_MAX_S):
        fleet.check()
        new, seen = record.beats[seen:], len(record.beats)
        waiting -= {beat.member for beat in new if beat.sent_at > since}
        await asyncio.sleep(0.05)
    return waiting


async def _rests(fleet: Fleet) -> bool:
    try:
        await fleet.settle(SETTLE_S)
    except TimeoutError as error:
        fleet.record.defects.append(str(error))
        return False
    return True


async def verdict(
    world: World,
    fleet: Fleet,
    *,
    settled: bool = True,
    kept: list[Mapping[str, Any]] | None = None,
) -> list[str]:
    """Stop the members and judge what they observed, what was committed, and what processes logged.
    ``kept`` gets the records around violations."""
    groups = dict.fromkeys(fleet.groups, settled)
    fleet.record.note("end", healed_ms=PEACE_MS, groups=groups)
    await fleet.stop()
    await world.witness.read(SETTLE_S)
    records = fleet.record.calls, world.witness.rows
    found = account.judge(*records)
    if found and kept is not None:
        kept += account.around(found, account.merged(*records))
    tables = [f"facts: {row}" for wrong in OF_ANY_CLOCK for row in await world.rows(wrong)]
    return [*map(str, found), *tables, *audit.violations(fleet.record.defects, world.log())]
