"""Nodes that sleep past their lease in the middle of a write, and wake up to finish it."""

from collections import Counter

from proof.simulation.run import simulate

ZOMBIES = 100
SEEDS_MAX = 200
POINTS = ("before", "connected", "inside", "after")


def test_what_a_hundred_zombies_write_late_is_fenced() -> None:
    """However far the write had come: before the guard, between guard and COMMIT, before the
    answer. No generation is acknowledged twice, and no row of a later owner is touched."""
    seen = Counter[str]()
    for seed in range(SEEDS_MAX):
        outcome = simulate(seed, faults=["node-zombie", "client-late"])
        assert not outcome.violations, f"seed {seed}: {outcome.violations[0]}"
        seen += outcome.records
        if sum(seen[f"seen zombie {point}"] for point in POINTS) >= ZOMBIES:
            break

    assert all(seen[f"seen zombie {point}"] >= ZOMBIES / 20 for point in POINTS)
    assert seen["seen fenced"] == seen["seen late write"] >= ZOMBIES / 10
    assert seen["fail"] > 0
