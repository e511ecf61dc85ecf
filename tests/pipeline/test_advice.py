"""Advice finds what was planted, names the evidence, and is silent about everything else."""

import random
from collections.abc import Sequence

import pytest
from pyspark.sql import Row, SparkSession

from pipeline.datasets.hours import SilentHours
from pipeline.steps.advice import RULES, advice
from pipeline.steps.stability import silence, stability
from tests.pipeline import often
from tests.pipeline.fleets import AT, BLAMELESS, PLANTED, Fleet

pytestmark = pytest.mark.timeout(300)


def found(spark: SparkSession, fleet: Fleet) -> set[tuple[str, str]]:
    """The group and the rule of each advice of the last day."""
    rows = advice(*fleet.frames(spark), AT).frame.filter("period = '24h'").collect()
    assert all(row["finding"] and row["change"] for row in rows)
    assert all(row["entries"] or row["lives"] for row in rows)  # none without evidence
    return {(row["group_id"], row["rule"]) for row in rows}


def test_every_rule_has_a_planted_cause() -> None:
    assert [rule.name for rule in RULES] == [*PLANTED]


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(n, marks=pytest.mark.long) for n in range(2, 2 + often.SEEDS))]
)
def test_what_was_planted_is_found_and_nothing_else(spark: SparkSession, seed: int) -> None:
    """Mixtures of causes in some groups, beside groups in which there is nothing to find."""
    chance = random.Random(seed)
    fleet = Fleet(chance)
    planted = set()
    for number in range(3):
        for name, plant in BLAMELESS.items():
            plant(fleet, f"{name}-{number}")
    for rule, plant in PLANTED.items():
        for number in range(chance.randrange(1, 3)):
            group_id = f"{rule}-{number}"
            plant(fleet, group_id)
            planted.add((group_id, rule))
    assert found(spark, fleet) == planted


@pytest.fixture(scope="module")
def told(spark: SparkSession) -> Sequence[Row]:
    """All advice of the last day about a group of which every figure is known (``g``), one of each
    rule, which has its name, and two in which members come and go."""
    fleet = Fleet(random.Random(2))
    for number in range(6):
        fleet.life("g", "slow", 900 * number, 600, "expired", back_s=4.2, silent_s=10)
        fleet.rebalance("g", 900 * number + 600, "session-expired", without_owner_ms=number * 100)
    fleet.rebalance("g", 80_000, "operator", without_owner_ms=90_000)
    for number in range(3):
        for client, how, silent_s in (("slow", "expired", 10), ("quick", "left", 0)):
            fleet.life(
                "new",
                client,
                900 * number,
                600,
                how,
                back_s=4.2,
                silent_s=silent_s,
                kind="consumer",
            )
    for rule, plant in PLANTED.items():
        plant(fleet, rule)
    for turn in range(4):  # by the same names, and by others: only the former can be replayed
        for name, back_s in (("again", 90.0), ("anew", None)):
            for member in range(3):
                client = f"w-{member}" if back_s else f"w-{turn}-{member}"
                begun = 7_000 * turn + member / 100
                fleet.life(name, client, begun, 6_910, "left", back_s=back_s)
    return advice(*fleet.frames(spark), AT).frame.filter("period = '24h'").collect()


def test_an_advice_names_its_evidence_its_cost_and_the_worst_entry(told: Sequence[Row]) -> None:
    assert [row.asDict() for row in told if row["group_id"] == "g"] == [
        {
            "period": "24h",
            "group_id": "g",
            "rule": "session-timeout",
            "subject": "slow at 10.0.0.1",
            "finding": "expired 6 times with a session timeout of 10.0 s and was back within"
            " another: it paused for at most 14.2 s",
            "change": "session.timeout.ms=22000",
            "evidence": 6,
            "confidence": "medium",
            "cost_ms": 1_500,
            "saves_partition_ms": 1_500,
            "worst_journal_id": 12,
            "entries": "12,10,8,6,4",
            "lives": "11,9,7,5,3",
            "what_if": "--session-timeout-ms 22000",
        }
    ]


def test_an_advice_has_the_what_if_that_can_answer_it(told: Sequence[Row]) -> None:
    by_group = {
        row["group_id"]: row["what_if"] for row in told if row["group_id"] not in ("g", "new")
    }
    (members,) = (row["evidence"] for row in told if row["rule"] == "idle-members")
    assert by_group.pop("session-timeout").startswith("--session-timeout-ms ")
    by_group.pop("deploy-at-once")
    assert {name: text for name, text in by_group.items() if text} == {
        "static-membership": "--static-ids",
        "slow-leader": "--protocol consumer",
        "eager-assignor": "--assignor cooperative-sticky",
        "again": "--deploy-at-once 1",
        "idle-members": f"--members -{members}",
    }
    assert "anew" in by_group


def test_members_of_a_consumer_group_have_no_session_timeout_of_their_own(
    told: Sequence[Row],
) -> None:
    """Java's client refuses the setting that was advised; 60 s is the most that a group may have,
    unless the coordinator's own setting is changed."""
    changes = {row["rule"]: row["change"] for row in told if row["group_id"] == "new"}
    assert changes["session-timeout"].startswith("consumer.session.timeout.ms=22000 for the group")
    assert "group.consumer.max.session.timeout.ms" in changes["session-timeout"]
    assert "the group's consumer.session.timeout.ms above 30000" in changes["static-membership"]


@pytest.mark.long
def test_who_comes_and_goes_is_counted_by_client(spark: SparkSession) -> None:
    fleet = Fleet(random.Random(1))
    fleet.life("g", "a", 0, 30, "left", back_s=10)
    fleet.life("g", "a", 40, 100, "expired", back_s=9, silent_s=10)
    fleet.life("g", "a", 149, None)
    fleet.life("g", "b", 0, 500, "replaced", back_s=0)
    lives, *_ = fleet.frames(spark)
    rows = stability(lives, AT).frame.filter("period = '24h'").orderBy("client_id").collect()
    assert [tuple(row)[2:] for row in rows] == [
        ("a", 3, 2, 1, 1, 0, 0, 2, 1, 30_000, 1),
        ("b", 1, 1, 0, 0, 0, 1, 1, 0, 500_000, 1),
    ]
    nobody = SilentHours(spark.createDataFrame([], SilentHours.ddl()))
    (row,) = silence(lives, nobody, AT).frame.filter("period = '24h'").collect()
    heard, ended = (0, None, None, 0), (3, 1, 1, 19_000, 19_000, 19_000)
    assert tuple(row)[1:] == ("g", 10_000, "a client 1.0", *heard, *ended)
