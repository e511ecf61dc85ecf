"""The short form of ``make chaos``: the same code, some faults of each sort, and the verdict."""

from random import Random

import pytest

from proof.chaos import report
from proof.chaos.audit import violations
from proof.chaos.faults import BY_NAME
from proof.chaos.fleet import Fleet, Size
from proof.chaos.network import Network
from proof.chaos.run import among
from proof.chaos.world import World
from tests.proof.conftest import SETTLE_S

SHORT = (
    "kill-node",
    "pause-node",
    "kill-postgres",
    "end-backends",
    "lost-replies",
    "double-frames",
    "isolate-node",
    "stop-at-offsets:inside",
    "kill-at-membership:inside",
    "force-rebalance",
    "drain-node",
    "pause-member",
    "kill-celery",
    "disk-full",
    "server-clock",
    "promote-async",
    "promote-sync",
)
"""Seventeen kinds; a run of the suite has time for some of them, by the seed."""

MINUTES = 0.4
MOST = 5


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.timeout(400)
@pytest.mark.xdist_group("chaos")
async def test_a_short_run_of_chaos_violates_nothing(world: World, random_seed: int) -> None:
    rng = Random(random_seed)
    size = Size(classic_groups=3, consumer_groups=1, members=3, beats_s=(0.3, 1.0))
    fleet = Fleet(Network(world.bootstraps, rng, world.through), size, rng, prefix="chaos")
    faults = [BY_NAME[name] for name in SHORT]
    try:
        await world.whole(SETTLE_S)
        outcome = await among(world, fleet, rng, MINUTES, faults, MOST)
    finally:
        await fleet.stop()
    print("\n".join(report.lines(outcome, random_seed)))
    assert outcome.violations == []
    assert len(outcome.injected) >= 1 and len(outcome.record.beats) > 0


@pytest.fixture
def random_seed(request: pytest.FixtureRequest) -> int:
    """Another run each time, and the one that pytest prints can be had again."""
    return int(request.config.getoption("randomly_seed", default=1) or 1)


def test_an_unexpected_error_code_is_a_violation() -> None:
    assert violations(["Heartbeat was answered -1"], []) == ["strange: Heartbeat was answered -1"]


def test_a_traceback_in_a_nodes_log_is_a_violation() -> None:
    """A traceback of the worker does not count: it runs again."""
    log = [f"{who} | ERROR Traceback (most recent call last)\n" for who in ("node 1", "worker")]
    [said] = violations([], log)
    assert said.startswith("a process said: node 1")


def test_a_node_that_starts_without_its_database_is_expected_to_end() -> None:
    """It says so in a sentence (``tests/docker``), and the supervisor starts it again; a traceback
    is always a surprise."""
    why = "node 1 | CRITICAL the node ended: pool initialization incomplete after 3 sec\n"
    trace = "node 1 | Traceback (most recent call last):\n"
    assert violations([], [why]) == []
    assert len(violations([], [why, trace])) == 1
    assert len(violations([], ["node 1 | CRITICAL the node ended: KeyError\n", trace])) == 1
