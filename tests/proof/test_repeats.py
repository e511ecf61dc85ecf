"""What faults that repeat cost the groups of nodes that they do not strike: the account of a run,
and a short run of two kinds."""

from collections.abc import Sequence

import pytest

from proof.chaos import repeats
from proof.chaos.fleet import Size
from proof.chaos.probe import EVERY_S, Served
from proof.chaos.repeats import BY_NAME, Outcome, Strike, Strikes

NODES = {"a": 0, "b": 1}


def served(*spans: tuple[str, float, float], others: bool = True) -> Served:
    """A group that each of these nodes served in a span of time; ``others``: another group was
    always served."""
    times: list[float] = []
    by: list[str] = []
    for address, since, until in spans:
        count = round((until - since) / EVERY_S)
        times += [since + n * EVERY_S for n in range(count + 1)]
        by += [address] * (count + 1)
    if not others:
        return Served({"g": times}, {"g": by})
    always = [n * EVERY_S for n in range(round(times[-1] / EVERY_S) + 1)]
    return Served({"g": times, "h": always}, {"g": by, "h": ["b"] * len(always)})


def accounted(seen: Served, *strikes: Strike) -> Outcome:
    outcome = Outcome()
    repeats.account(outcome, seen, Strikes(list(strikes)), NODES, 0.0)
    return outcome


def rounded(gaps: Sequence[float]) -> list[float]:
    return [round(gap, 3) for gap in gaps]


def test_a_group_of_a_struck_node_is_no_bystander() -> None:
    outcome = accounted(served(("a", 0, 5), ("b", 6.5, 9)), Strike(0, 5.05, 5.05))
    assert (rounded(outcome.struck), outcome.bystanders, outcome.handed) == ([1.4], [], [])
    assert outcome.outages == {"g": 1, "h": 0} and round(outcome.away, 2) == 0.16


@pytest.mark.parametrize("struck", [1, 0])
def test_a_group_that_its_living_node_gave_away_is_one(struck: int) -> None:
    """Also one of a node that was struck long before."""
    at = 4.9 if struck == 1 else -3.0
    outcome = accounted(served(("a", 0, 5), ("a", 6.7, 9)), Strike(struck, at, at))
    gaps = outcome.bystanders if struck == 1 else outcome.handed
    assert rounded(gaps) == [1.6] and not outcome.struck
    [said] = repeats.judged(outcome, BY_NAME["crashes"], 0.0)
    assert "1.60 s, which was not struck" in said
    assert repeats.judged(outcome, BY_NAME["crashes"], 0.7) == [], "the run itself was late"


def test_a_strike_on_all_nodes_excuses_each_until_it_ends() -> None:
    outcome = accounted(served(("a", 0, 5), ("b", 8, 9)), Strike(None, 5.0, 7.9))
    assert rounded(outcome.struck) == [2.9] and not outcome.bystanders


def test_a_group_that_is_probed_a_little_late_was_served() -> None:
    outcome = accounted(served(("a", 0, 5), ("a", 5.19, 9)))
    assert outcome == Outcome(outages={"g": 0, "h": 0})


def test_time_in_which_the_run_itself_was_blocked_is_nobodys_outage() -> None:
    outcome = accounted(served(("a", 0, 5), ("a", 6.7, 9), others=False), Strike(1, 4.9, 4.9))
    assert rounded(outcome.bystanders) == [0.0]


def test_a_node_that_gets_its_slots_back_at_each_crash_is_found() -> None:
    spans = [("a", 5 * n, 5 * n + 3) for n in range(6)]
    outcome = accounted(served(*spans), *(Strike(0, at + 3, at + 3) for _, at, _ in spans))
    [said] = repeats.judged(outcome, BY_NAME["crash-loop"], 0.0)
    assert "lost its coordinator 5 times in crash-loop" in said


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.timeout(400)
@pytest.mark.xdist_group("chaos")
@pytest.mark.parametrize(("name", "rounds"), [("crash-loop", 6), ("suspensions", 2)])
async def test_faults_that_repeat_take_no_coordinator_from_bystanders(
    name: str, rounds: int
) -> None:
    size = Size(classic_groups=6, consumer_groups=2, members=2, beats_s=(0.3, 1.0))
    outcome = await repeats.run(BY_NAME[name], 3, 1, 120.0, rounds, size=size)
    assert outcome.violations == []
    assert outcome.rounds == rounds and outcome.struck
