"""A quiet fleet gets no advice, whatever its groups look like."""

from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest
from pyspark.sql import SparkSession

from pipeline.what_if.fleet import Description, group_of
from pipeline.what_if.recording import Recording
from proof.advised import advised

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),
]

AT = datetime(2026, 3, 1, tzinfo=UTC)
BEGIN = round(AT.timestamp() * 1_000) - 24 * 3_600_000 + 60_000

FLEETS, GROUPS = 20, 6


def quiet(seed: int) -> list[Recording]:
    """Groups of all sizes and both protocols: their members start within half a minute, and at most
    one of a group crashes, or pauses for too long."""
    chance = Random(seed)
    members = chance.choice([1, 2, 3, 5, 9])
    fleet = Description(
        members=members,
        partitions=members * chance.randrange(1, 5),
        hours=23.9,
        classic=0.6,
        static=chance.choice([0.0, 0.0, 0.5, 1.0]),
        crashes=0.3 / members,
        stalls=0.3 / members,
        deploys=0.0,
        session_ms=chance.choice([10_000, 30_000, 45_000]),
        assignor=chance.choice(["range", "roundrobin", "sticky", "cooperative-sticky"]),
    )
    made = (group_of(fleet, number, BEGIN, seed).recording for number in range(GROUPS))
    return [
        replace(one, group_id=f"{seed}/{one.group_id}")
        for one in made
        if len(one.lives) <= members + 1
    ]


def test_a_quiet_fleet_gets_no_advice(spark: SparkSession) -> None:
    fleet = [recording for seed in range(FLEETS) for recording in quiet(seed)]
    assert len(fleet) > FLEETS * GROUPS // 2
    assert sum(len(recording.rebalances) for recording in fleet) > len(fleet)
    rows = advised(spark, fleet, AT)
    assert [(row["group_id"], row["rule"], row["finding"]) for row in rows] == []
