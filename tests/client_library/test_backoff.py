"""Waits between attempts: doubling up to a bound, each 20 % either way."""

from random import Random

import pytest

from rollcall.client.core.backoff import JITTER, Backoff

FIRST, MOST = 100, 1_000


class Least(Random):
    """Draws the lower bound, always."""

    def uniform(self, a: float, b: float) -> float:
        """The lower of the two."""
        return min(a, b)


class Greatest(Random):
    """Draws the upper bound, always."""

    def uniform(self, a: float, b: float) -> float:
        """The greater of the two."""
        return max(a, b)


@pytest.mark.parametrize(
    ("rng", "waits"),
    [(Least(), [80, 160, 320, 640, 800, 800]), (Greatest(), [120, 240, 480, 960, 1_200, 1_200])],
    ids=["shortest", "longest"],
)
def test_each_wait_is_twice_the_last_up_to_a_bound(rng: Random, waits: list[int]) -> None:
    backoff = Backoff(FIRST, MOST, rng)
    assert [backoff.next() for _ in waits] == waits


def test_waits_of_many_members_are_spread_over_the_whole_jitter() -> None:
    """Members that lost their coordinator in one moment do not come back in one moment."""
    waits = [Backoff(MOST, MOST, Random(seed)).next() for seed in range(500)]
    assert MOST * (1 - JITTER) <= min(waits) < MOST * (1 - JITTER / 2)
    assert MOST * (1 + JITTER / 2) < max(waits) <= MOST * (1 + JITTER)


def test_after_a_success_backoff_starts_again() -> None:
    backoff = Backoff(FIRST, MOST, Least())
    assert [backoff.next(), backoff.next()] == [80, 160]
    backoff.reset()
    assert backoff.next() == 80


def test_a_thousand_failures_do_not_overflow() -> None:
    backoff = Backoff(FIRST, MOST, Least())
    assert {backoff.next() for _ in range(1_000)} == {80, 160, 320, 640, 800}
