"""Every mistake made on purpose is caught, and the same lives without it are clean."""

from collections.abc import Sequence
from functools import cache

import pytest

from proof.history import Violation
from proof.saboteurs import SABOTEURS, at_work
from proof.simulation.population import Population
from proof.simulation.run import simulate

SEEDS_MAX = 30
"""Within so many lives each must be caught; most are within the first two."""


LATE = frozenset(
    {
        "copies-lose-changes",
        "lease-without-look",
        "memory-without-lease",
        "no-revision-check",
        "timers-after-sleep",
        "timers-not-rearmed",
        "waiting-forgotten",
    }
)
"""Caught in the tenth life or later, or in one of hundreds of members."""


LONG = LATE | (SABOTEURS.keys() - set(sorted(SABOTEURS)[1::10]))
"""A tenth of them is enough to see that what is looked at is looked at."""

FIRST = {
    "commits-not-flushed": 2,
    "view-before-commit": 2,
    "impatient": 2,
    "key-share": 6,
    "member-id-reuse": 2,
    "no-static-fencing": 2,
    "old-generation-beats": 2,
    "superseded-forgotten": 5,
}
"""Where not every life shows a mistake, the first of those that are looked at."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.long if n in LONG else ()) for n in sorted(SABOTEURS)],
)
def test_a_saboteur_is_caught(name: str) -> None:
    faults, population = SABOTEURS[name].faults, SABOTEURS[name].population
    first = FIRST.get(name, 0)
    for seed in range(first, first + SEEDS_MAX):
        with at_work(name):
            caught = simulate(seed, faults=faults, population=population, stops_early=True)
        if caught.violations:
            break
    else:
        pytest.fail(f"{name} was not caught in {SEEDS_MAX} lives")

    assert not violations(seed, faults, population)


@cache
def violations(seed: int, faults: Sequence[str], population: Population) -> Sequence[Violation]:
    """Of a life without a saboteur, which several of them are compared with."""
    return simulate(seed, faults=faults, population=population).violations


@pytest.mark.parametrize("name", sorted(SABOTEURS))
def test_the_code_that_a_saboteur_replaces_exists(name: str) -> None:
    """Most of them are long tests, and a name that moved is to be seen before those run."""
    with at_work(name):
        pass


def test_there_are_at_least_forty() -> None:
    assert len(SABOTEURS) >= 40
