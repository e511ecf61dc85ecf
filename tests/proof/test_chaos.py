"""The short form of ``make chaos``: the same code, some faults of each sort, and the verdict.

Also the checks themselves: each must see what it is for.
"""

import asyncio
import signal
from collections.abc import Callable

import pytest

from proof.chaos import report
from proof.chaos.audit import CHECKS, Entry, Rows, violations
from proof.chaos.faults import BY_NAME
from proof.chaos.fleet import Fleet, Size
from proof.chaos.processes import send, stopped
from proof.chaos.record import Commit, Eviction, Fetch, Membership, Owned, Record, now
from proof.chaos.run import rows_of, run
from proof.chaos.world import World
from tests.proof.conftest import beats_of_all

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
    "pause-member",
    "kill-celery",
)
"""Twelve kinds; a run of the suite has time for some of them, by the seed."""

SECONDS = 35


@pytest.mark.timeout(300)
@pytest.mark.xdist_group("chaos")
def test_a_short_run_of_chaos_violates_nothing(random_seed: int) -> None:
    size = Size(classic_groups=3, consumer_groups=1, members=3)
    faults = [BY_NAME[name] for name in SHORT]
    outcome = asyncio.run(run(SECONDS / 60, 3, random_seed, faults, size))
    print("\n".join(report.lines(outcome, random_seed)))
    assert outcome.violations == []
    assert len(outcome.injected) >= 2 and len(outcome.record.beats) > 0


@pytest.fixture
def random_seed(request: pytest.FixtureRequest) -> int:
    """Another run each time, and the one that pytest prints can be had again."""
    return int(request.config.getoption("randomly_seed", default=1) or 1)


POINTS = ("offsets:before", "offsets:inside", "offsets:after", "membership:inside")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.timeout(200)
@pytest.mark.xdist_group("chaos")
@pytest.mark.parametrize("point", POINTS)
async def test_a_zombie_in_the_middle_of_a_write_is_fenced(
    world: World, fleet: Fleet, point: str
) -> None:
    """Stopped at a fail point past its lease, then resumed: whatever it still says is refused, and
    no generation is acknowledged twice."""
    node_id = (await world.owner_of(next(iter(fleet.groups)))) or 0
    node = world.node(node_id)
    file = world.arm(node_id, point, "stop")
    if point.startswith("membership"):
        for member in fleet.of(next(iter(fleet.groups))):
            member.rejoin()  # the leader among them: that is a rebalance
    assert node is not None and await stopped(node, 20)
    try:
        while node_id in (await world.owners()).values():
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.5)
    finally:
        send(node, signal.SIGCONT)
        file.unlink(missing_ok=True)
    await beats_of_all(fleet, now())
    await fleet.settle(30)
    assert fleet.record.evictions == []
    await fleet.stop()
    assert violations(fleet.record, await rows_of(world)) == []


def lost(record: Record) -> Rows:
    record.commits.append(Commit(1, 2, ("g", 0), 7, 0))
    return Rows(offsets={("g", 0): 6})


def old_read(record: Record) -> Rows:
    record.commits.append(Commit(1, 2, ("g", 0), 7, 0))
    record.fetches.append(Fetch(3, 4, ("g", 0), 6))
    return Rows(offsets={("g", 0): 7})


def two_owners(record: Record) -> Rows:
    record.owned += [Owned(1, "g", m, 3, frozenset({0})) for m in ("a", "b")]
    return Rows()


def two_memberships(record: Record) -> Rows:
    record.memberships += [Membership(1, "g", 3, frozenset(ms)) for ms in ("a", "b")]
    return Rows()


def reused_generation(_record: Record) -> Rows:
    return Rows([Entry("g", 1, "rebalance-completed", 2), Entry("g", 2, "rebalance-completed", 2)])


def lost_member(record: Record) -> Rows:
    record.evictions.append(Eviction(1, "g", "m", silent_s=2.0, session_s=6.0, api="Heartbeat"))
    return Rows()


def strange_answer(record: Record) -> Rows:
    record.defects.append("Heartbeat was answered -1")
    return Rows()


def unrest(_record: Record) -> Rows:
    return Rows(settled=False)


SEEN: dict[Callable[[Record], Rows], str] = {
    lost: "nothing_acknowledged_is_lost",
    old_read: "reads_are_current",
    two_owners: "one_owner",
    two_memberships: "one_membership",
    reused_generation: "generations_rise",
    lost_member: "nobody_who_beats_is_evicted",
    strange_answer: "answers_make_sense",
    unrest: "everybody_is_served",
}


@pytest.mark.parametrize(
    ("happens", "check"), SEEN.items(), ids=lambda of: getattr(of, "__name__", of)
)
def test_each_check_sees_what_it_is_for(happens: Callable[[Record], Rows], check: str) -> None:
    record = Record()
    rows = happens(record)
    assert {said.partition(":")[0] for said in violations(record, rows)} == {check}


def test_every_check_has_its_counterexample() -> None:
    assert {check.__name__ for check in CHECKS} == set(SEEN.values())


def test_an_offset_of_unknown_outcome_may_stand_or_not() -> None:
    """A commit whose answer never came may take effect, even late."""
    record = Record()
    record.commits += [Commit(1, 2, ("g", 0), 6, None), Commit(3, 4, ("g", 0), 7, 0)]
    assert violations(record, Rows(offsets={("g", 0): 6})) == []
    assert violations(record, Rows(offsets={("g", 0): 7})) == []
    assert violations(record, Rows(offsets={("g", 0): 5})) != []
