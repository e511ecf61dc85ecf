"""The benchmarks at small size: what they check must hold; how fast it was is not asserted."""

import pytest

from benchmarks import commits, consumers, heartbeats


@pytest.mark.timeout(300)
def test_every_heartbeat_of_the_load_gets_its_right_answer() -> None:
    ours, ceilings = heartbeats.measure(rounds=1, seconds=1.0, groups=4, size=5)

    for done in (*ours, *ceilings):
        assert done.replies > 1_000 and done.bad == 0


@pytest.mark.timeout(300)
@pytest.mark.parametrize("groups", [1, 4])
def test_no_acknowledged_commit_is_lost_by_a_kill_of_everything(groups: int) -> None:
    result = commits.measure(groups, members=20, seconds=1.5)

    assert result.commits > 100 and result.lost == 0


@pytest.mark.timeout(300)
def test_an_idle_consumer_sends_two_fetches_a_second_at_most() -> None:
    seconds = 5.0
    _cores, fetches = consumers.measure("confluent-kafka", seconds)

    assert 0 < fetches <= consumers.GOAL_FETCHES + 1 / seconds  # one may straddle the edge
