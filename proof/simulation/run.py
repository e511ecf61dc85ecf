"""One seed, one life: a cluster, its groups and its faults, then a time without faults, then the
verdict."""

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final
from unittest.mock import patch

from groups.core.conversion import step
from proof.history import Checker, Violation
from proof.simulation.cluster import NOTES, TROUBLE_S, Run
from proof.simulation.faults import FAULTS
from proof.simulation.population import Population
from proof.simulation.repeated import DIES_AT_S, REPEATED, kill_some
from proof.simulation.seams import Seams
from proof.simulation.world import SECOND, Record


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a seed. ``events``: steps of the simulation."""

    seed: int
    faults: Sequence[str]
    violations: Sequence[Violation]
    digest: str
    events: int
    simulated_s: float
    records: Counter[str]
    history: Sequence[Record]


LONG_EVERY: Final = 4
"""In one life of so many every step runs in a thread beside the loop, as those of large groups do.
Not if there is a large group: its heartbeats alone would be more than sequential steps can
process."""


def _long_steps(seed: int, *, is_big: bool) -> AbstractContextManager[object]:
    from_on = step.LONG_STEP_MIN if seed % LONG_EVERY or is_big else 0
    return patch.object(step, "LONG_STEP_MIN", from_on)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Objects of a dead process must not be finalised in the middle of a life."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _live(run: Run) -> str:
    """Faults, the time without them, and the digest of all that happened."""
    world = run.world
    run.begin()
    world.run(int(TROUBLE_S * SECOND))
    run.begin_peace()
    world.run(int((TROUBLE_S + run.peace_s) * SECOND))
    run.end()
    digest = world.digest
    world.take = lambda _record: None
    for process in world.processes:
        process.bury()
    return digest


def simulate(
    seed: int,
    *,
    faults: Sequence[str] | None = None,
    population: Population | None = None,
    keeps_history: bool = False,
    stops_early: bool = False,
) -> Outcome:
    """Run one seed and judge it. The same seed always has the same outcome. ``stops_early``: at the
    first violation, for callers that only need to know whether there is one."""
    is_repeated = faults is not None and not REPEATED.keys().isdisjoint(faults)
    known = {**FAULTS, **REPEATED} if is_repeated else FAULTS
    run = Run(seed, known, faults, population)
    if is_repeated:
        run.world.at(int(DIES_AT_S * SECOND), kill_some, run)
    world, checker, counted = run.world, Checker(), Counter[str]()

    def take(record: Record) -> None:
        counted[f"{record['type']} {record.get('what') or record.get('table') or ''}".strip()] += 1
        if keeps_history:
            world.history.append(record)
        if record["type"] not in NOTES:
            checker.take(record)
            world.is_over = stops_early and bool(checker.violations)

    world.take = take
    with (
        _nothing_collected(),
        Seams(run.database, run.network).in_place(),
        _long_steps(seed, is_big=run.population.is_big),
    ):
        digest = _live(run)
    return Outcome(
        seed,
        run.faults,
        checker.violations,
        digest,
        world.events,
        world.now / SECOND,
        counted,
        world.history,
    )
