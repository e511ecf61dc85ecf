"""The simulator: seeds are clean, and each of them is the same life every time."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import pytest

from groups.cluster.slot_keeper import SlotKeeper
from proof.simulation import odd
from proof.simulation.cluster import Run
from proof.simulation.faults import FAULTS
from proof.simulation.locks import EXCLUSIVE, Locks
from proof.simulation.population import ALL, PLAIN, Population, Protocol
from proof.simulation.postgres import Session, Transaction
from proof.simulation.repeated import REPEATED
from proof.simulation.run import simulate
from proof.simulation.seams import Seams
from proof.simulation.world import SECOND, Process
from protocol.handlers.support import validation

PER_TEST = 10
SEEDS = int(os.environ.get("ROLLCALL_TEST_SEEDS", PER_TEST))
"""`make test-proof` has five hundred, from the same one on."""

FEW = 3
"""So many lives are not long."""

REPORTED = (
    88,
    364,
    672,
    689,
    834,
    961,
    3702,
    3946,
    4077,
    5119,
    6026,
    20646,
    21811,
    22191,
    22285,
    23260,
    23454,
    24199,
    40379,
)
"""Lives that had violations, by defects of the product (364, 3702, 4077, 6026, 21811, 24199) or of
the checks."""

EVERYBODY = Population(protocols=ALL, producers=2, is_odd=True)
"""Whom each fault alone strikes."""

SEED_OF_ALL = 3
"""Of three groups of two protocols, with producers of both versions."""

OFTEN = frozenset({"database-lost-replies"})
"""Strikes alone in ``make test``; there, the others strike only together."""

SEED_OF_TWO_NODES = 2
ROOT = Path(__file__).parents[2]


LIVES = [
    (0, FEW),
    *(pytest.param(start, PER_TEST, marks=pytest.mark.long) for start in range(0, SEEDS, PER_TEST)),
]


@pytest.mark.timeout(400)  # ten lives beside a load
@pytest.mark.parametrize(("start", "count"), LIVES)
def test_no_seed_violates_an_invariant(start: int, count: int) -> None:
    struck = Counter[str]()
    for seed in range(start, start + count):
        outcome = simulate(seed)
        assert not outcome.violations, f"seed {seed}: {outcome.violations[0]}"
        struck += outcome.records
    if (start, count) == (0, PER_TEST):
        assert not [fault for fault in FAULTS if not struck[f"struck {fault}"]]


@pytest.mark.long
@pytest.mark.parametrize("seed", REPORTED)
def test_a_recorded_failure_stays_fixed(seed: int) -> None:
    assert simulate(seed).violations == []


def test_a_seed_reproduces_its_run() -> None:
    once, again, other = simulate(4), simulate(4), simulate(1)

    assert once.digest == again.digest != other.digest
    assert once.events == again.events > 1_000


@pytest.mark.long
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_a_seed_does_not_depend_on_the_order_of_hashes(hash_seed: str) -> None:
    """The product's own sets and dicts are in the loop: none of them may decide anything."""
    command = [sys.executable, "-m", "proof", "simulate", "--seed", "24", "--digest"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    run = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )

    assert run.stdout.strip() == simulate(24).digest


def test_a_run_without_faults_is_quiet() -> None:
    """Groups settle once, no member is removed, and slots move only for the balance."""
    outcome = simulate(3, faults=(), population=PLAIN)

    assert not outcome.violations
    assert outcome.records["row removed"] == 0
    assert outcome.records["fail"] < outcome.records["ok"] / 20


def test_slots_not_claimed_by_their_node_stay_with_their_owner() -> None:
    """Node 1 beats, but never reads the slots. Those that it should have node 0 takes when they
    have been free for a lease, and does not offer them again at once."""
    run = Run(SEED_OF_TWO_NODES, FAULTS, faults=(), population=PLAIN)
    looks = SlotKeeper._looks

    async def looks_unless_blind(keeper: SlotKeeper) -> None:
        if keeper.me.node_id == 0:
            await looks(keeper)

    moves = Counter[int]()
    run.world.take = lambda record: moves.update(
        [record["slot"]] if record.get("table") == "slot" else []
    )
    assert run.node_ids == [0, 1]
    with (
        Seams(run.database, run.network).in_place(),
        patch.object(SlotKeeper, "_looks", looks_unless_blind),
    ):
        run.begin()
        run.world.run(20 * SECOND)
        for process in run.world.processes:
            process.bury()

    assert set(moves.values()) == {1}
    assert {row.node_id for row in run.database.slots.values()} == {0}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=() if fault in OFTEN else pytest.mark.long)
        for fault in sorted(FAULTS)
    ],
)
def test_each_fault_alone_takes_effect_and_breaks_nothing(fault: str) -> None:
    """The table has no dead line: every fault happens."""
    outcome = simulate(SEED_OF_ALL, faults=[fault], population=EVERYBODY)

    assert outcome.records[f"struck {fault}"] > 0
    assert outcome.violations == []


REPEATS = [
    pytest.param(fault, protocol, marks=() if number % len(ALL) == turn else pytest.mark.long)
    for number, fault in enumerate(sorted(REPEATED))
    for turn, protocol in enumerate(ALL)
]
"""In ``make test`` each fault with one protocol."""


@pytest.mark.parametrize(("fault", "protocol"), REPEATS)
def test_a_dead_member_is_removed_whatever_is_repeated(fault: str, protocol: Protocol) -> None:
    """And no other one: neither faults nor takeovers add up."""
    outcome = simulate(
        SEED_OF_TWO_NODES, faults=[fault], population=Population(protocols=(protocol,))
    )

    assert outcome.violations == []
    assert outcome.records[f"struck {fault}"] > 3
    assert outcome.records["dead"] > 0


@pytest.mark.parametrize("protocol", ALL, ids=lambda protocol: protocol.__name__)
def test_groups_of_each_protocol_settle_and_continue(protocol: Protocol) -> None:
    """Without faults: every member joins once, works, and commits."""
    outcome = simulate(1, faults=(), population=Population(protocols=(protocol,)))

    assert outcome.violations == []
    assert outcome.records["row removed"] == 0
    assert outcome.records["row offset"] > 100


def test_random_values_include_the_limits_of_the_wire() -> None:
    assert odd.ESCAPE == validation.ESCAPE
    assert odd.INSTANCE_ID_CHARS_MAX == validation.INSTANCE_ID_CHARS_MAX


def test_producers_of_both_versions_commit_and_abort() -> None:
    """The offsets of a transaction are rows when it has ended, and never where it was aborted."""
    population = Population(protocols=ALL, producers=3)
    outcome = simulate(SEED_OF_ALL, faults=(), population=population, keeps_history=True)
    ends = [r for r in outcome.history if r["type"] == "invoke" and r["api"] == "EndTxn"]
    adds = [r for r in outcome.history if r.get("api") == "AddOffsetsToTxn"]

    assert outcome.violations == []
    assert {record["commit"] for record in ends} == {True, False}
    assert adds
    assert {r["producer"] for r in ends} > {r["producer"] for r in adds}


@pytest.mark.long
@pytest.mark.parametrize("protocol", ALL, ids=lambda protocol: protocol.__name__)
def test_a_group_of_hundreds_with_a_thousand_partitions_runs_like_any_other(
    protocol: Protocol,
) -> None:
    outcome = simulate(1, population=Population(protocols=(protocol,), is_big=True))

    assert outcome.violations == []


def test_who_waits_for_a_lock_when_its_backend_hangs_does_not_hang_for_ever() -> None:
    """It is granted the lock, and would keep it."""
    run = Run(SEED_OF_TWO_NODES, FAULTS, faults=(), population=PLAIN)
    first, second, other = (
        Transaction(Session(Process(run.world, name), 0)) for name in ("a", "b", "c")
    )
    locks = Locks(run.world)
    for transaction in (first, second):
        locks.take(("slot", 1), transaction, EXCLUSIVE, lambda _is_held: None)

    assert locks.concern(first.session) and locks.concern(second.session)
    assert not locks.concern(other.session)
    locks.release(first)
    assert locks.concern(second.session) and not locks.concern(first.session)
