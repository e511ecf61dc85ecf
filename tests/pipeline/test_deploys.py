"""Deploys are recognised, scaling and crashes are not, and each has its cost."""

import random
from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from pipeline.steps.deploys import deploys
from tests.pipeline.fleets import AT, Fleet

pytestmark = pytest.mark.timeout(300)

HOUR = 3_600.0


def rolled(fleet: Fleet, group_id: str, count: int = 4, at: float = HOUR) -> None:
    """One member after the other is replaced, ten seconds each."""
    for number in range(count):
        went = at + 10 * number
        fleet.life(group_id, f"c-{number}", 0, went, "left")
        fleet.life(group_id, f"c-{number}", went + 3, None)
        fleet.rebalance(group_id, went + 3, "member-joined", without_owner_ms=100 + number)


def grown(fleet: Fleet, group_id: str) -> None:
    """Three members come beside two."""
    for number in range(5):
        fleet.life(group_id, f"c-{number}", HOUR * (number > 1) + number, None)


def crashed(fleet: Fleet, group_id: str) -> None:
    """Three of five go, and nobody comes."""
    for number in range(5):
        lived = HOUR if number < 3 else None
        fleet.life(group_id, f"c-{number}", number, lived, "expired" if lived else None)


def restarted(fleet: Fleet, group_id: str) -> None:
    """One of five goes and comes back."""
    for number in range(5):
        fleet.life(group_id, f"c-{number}", number, HOUR if number == 0 else None, "left")
    fleet.life(group_id, "c-0", HOUR + 5, None)


NOT_DEPLOYED: tuple[Callable[[Fleet, str], None], ...] = (grown, crashed, restarted)


def test_only_deploys_are_found_and_each_has_the_cost_of_its_rebalances(
    spark: SparkSession,
) -> None:
    fleet = Fleet(random.Random(1))
    rolled(fleet, "rolled")
    rolled(fleet, "rolled-again", at=2 * HOUR)
    fleet.rebalance("rolled", 5 * HOUR, "operator", without_owner_ms=90_000)
    for plant in NOT_DEPLOYED:
        plant(fleet, plant.__name__)
    found = deploys(*fleet.frames(spark)[:2], AT).frame.filter("period = '24h'").orderBy("group_id")
    first, second = (row.asDict() for row in found.collect())
    assert (first["group_id"], second["group_id"]) == ("rolled", "rolled-again")
    assert {
        name: first[name] for name in ("members", "replaced", "begun", "took_ms", "at_once")
    } == {
        "members": 4,
        "replaced": 4,
        "begun": 4,
        "took_ms": 30_000,
        "at_once": 1,
    }
    assert (first["rebalances"], first["without_owner_ms"]) == (4, 406)
    assert first["software"] == "a client 1.0"
    dearest = [r["journal_id"] for r in fleet.rebalances if r["without_owner_ms"] == 103]
    assert [first["worst_journal_id"], second["worst_journal_id"]] == dearest
