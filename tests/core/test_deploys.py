"""Deploys are recognised in lives; scaling, crashes and single restarts are not."""

from random import Random

import pytest

from groups.core.deploys import Deploy, Life, deploys

HOUR = 3_600_000
START = 10 * HOUR


def member(n: int, joined: int = 0, left: int | None = None, how: str | None = None,
           software: str = "java 1") -> Life:  # fmt: skip
    return Life(joined + n, left, how if left is not None else None, "worker", software)


def rolling(size: int, every: int, how: str = "left", back: int = 5_000) -> list[Life]:
    """One member after another is stopped, and started again."""
    lives = []
    for n in range(size):
        at = START + n * every
        lives += [member(n, 0, at, how), member(n, at + back, software="java 2")]
    return lives


@pytest.mark.parametrize("size", [3, 50, 5_000])
@pytest.mark.parametrize("every", [0, 30, 6_000])
def test_members_replaced_one_after_another_or_together_are_a_deploy(size: int, every: int) -> None:
    (found,) = deploys(rolling(size, every))
    assert found.started_at == START and found.replaced == found.members == size
    assert found.changed == size


def test_the_successors_may_come_first() -> None:
    (found,) = deploys(rolling(4, 60_000, back=-20_000))
    assert (found.replaced, found.members) == (4, 4)


def test_static_members_that_come_back_are_a_deploy() -> None:
    (found,) = deploys(rolling(4, 60_000, how="replaced", back=0))
    assert found.replaced == 4


def test_two_deploys_are_two() -> None:
    first = rolling(4, 60_000)
    again = [life._replace(joined_at=life.joined_at) for life in first if life.left_at is not None]
    second = []
    for life in (life for life in first if life.left_at is None):
        at = life.joined_at + 5 * HOUR
        second += [life._replace(left_at=at, departure="left"), member(0, at + 5_000)]
    assert len(deploys(again + second)) == 2


def test_growing_and_shrinking_are_no_deploys() -> None:
    grown = [member(n) for n in range(10)] + [member(n, START) for n in range(10)]
    shrunk = [member(n, 0, START if n else None, "left") for n in range(10)]
    assert deploys(grown) == [] and deploys(shrunk) == []


@pytest.mark.parametrize("how", ["expired", "evicted", "not-acknowledged", "unknown"])
def test_members_that_crash_and_come_back_are_no_deploy(how: str) -> None:
    assert deploys(rolling(10, 1_000, how=how)) == []


def test_a_few_of_many_are_no_deploy() -> None:
    assert deploys(rolling(5, 1_000) + [member(n) for n in range(5)]) == []
    assert len(deploys(rolling(6, 1_000) + [member(n) for n in range(5)])) == 1


def test_restarts_spread_over_a_day_are_no_deploy() -> None:
    assert deploys(rolling(10, HOUR)) == []


def test_one_member_that_restarts_again_and_again_is_no_deploy() -> None:
    lives, at = [member(n) for n in range(9)], START
    for _ in range(50):
        lives.append(Life(at, at + 20_000, "left", "bad", "java 1"))
        at += 25_000
    assert deploys(lives) == []


def test_no_lives_are_no_deploy_and_the_order_does_not_matter() -> None:
    assert deploys([]) == []
    lives = rolling(20, 10_000)
    found = deploys(lives)
    for seed in range(10):
        Random(seed).shuffle(lives)
        assert deploys(lives) == found
    assert isinstance(found[0], Deploy)
