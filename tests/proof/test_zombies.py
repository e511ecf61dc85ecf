"""Nodes that sleep past their lease in the middle of a write, and wake up to finish it."""

from collections import Counter
from typing import Final

import pytest

from proof.simulation.run import simulate

POINTS: Final = ("before", "connected", "inside", "after")
FEW: Final = 4
START_OF_FEW: Final = 7
"""Three lives from there have a zombie at every point."""

ZOMBIES: Final = 20
"""Of each test that is long; there are two. `make zombies` has a hundred, of real processes."""

SEEDS_MAX: Final = 40


@pytest.mark.parametrize(
    ("start", "wanted"),
    [
        (START_OF_FEW, FEW),
        *(pytest.param(n * SEEDS_MAX, ZOMBIES, marks=pytest.mark.long) for n in range(2)),
    ],
)
def test_late_writes_of_zombies_are_fenced(start: int, wanted: int) -> None:
    """However far the write had come: before the guard, between guard and COMMIT, before the
    answer. No generation is acknowledged twice, and no row of a later owner is touched."""
    seen, zombies = Counter[str](), [0]
    for seed in range(start, start + SEEDS_MAX):
        outcome = simulate(seed, faults=["node-zombie", "client-late"])
        assert not outcome.violations, f"seed {seed}: {outcome.violations[0]}"
        seen += outcome.records
        zombies = [seen[f"seen zombie {point}"] for point in POINTS]
        if sum(zombies) >= wanted and all(zombies):
            break

    assert sum(zombies) >= wanted
    assert all(zombies)
    assert seen["seen fenced"] == seen["seen late write"] > 0
