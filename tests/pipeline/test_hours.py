"""Reports on silence, progress and software, from what hours and lives were like."""

import random
from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

from pipeline.datasets.facts import ProgressHours, SilenceHours
from pipeline.datasets.lives import Lives
from pipeline.steps.cost import software
from pipeline.steps.hours import partition_hours, silences
from pipeline.steps.progress import progress
from pipeline.steps.stability import silence
from tests.pipeline.fleets import AT, Fleet
from tests.pipeline.test_lives import frame

pytestmark = pytest.mark.timeout(300)


def hour(back: int, number: int, **over: Any) -> dict[str, Any]:
    """A summary of the hour so many hours before the run."""
    place = {"at": AT, "era": 0, "xid": number, "id": number}
    return {**place, "hour": AT - timedelta(hours=back), "group_id": "g", **over}


def day(rows: Any) -> list[dict[str, Any]]:
    """The report's rows of the last day, without the period."""
    found = rows.frame.filter("period = '24h'").drop("period").collect()
    return sorted((row.asDict() for row in found), key=lambda row: [*map(str, row.values())])


def lives(spark: SparkSession, *clients: str) -> Lives:
    """Lives 1, 2, ... of these clients."""
    fleet = Fleet(random.Random(1))
    for client in clients:
        fleet.life("g", client, 0, None)
    return fleet.frames(spark)[0]


def looks(*near: int) -> list[int]:
    """Eight counts for each member: so many in the last eighth, and one in the seventh."""
    return [count for last in near for count in (9, 0, 0, 0, 0, 0, 1, last)]


def test_silence_tells_how_near_members_came_to_their_timeout(spark: SparkSession) -> None:
    events = frame(
        spark,
        SilenceHours,
        [
            hour(1, 1, lives=[1, 2], longest_ms=[3_000, 9_000], looks=looks(0, 2)),
            hour(1, 2, lives=[1], longest_ms=[4_000], looks=looks(0)),
            hour(2, 3, lives=[None], longest_ms=[5], looks=looks(0)),
            hour(50, 4, lives=[1], longest_ms=[9_999], looks=looks(0)),
        ],
    )  # fmt: skip
    made = silences(events, AT)
    assert made.violations() == {}
    assert made.frame.filter("life = 1").count() == 2  # an hour with two owners is one
    rows = day(silence(lives(spark, "a", "b"), made, AT))
    named = ("software", "members", "p99_silent_ms", "longest_silent_ms", "near", "expired")
    # of the one that is unknown the timeout is, too
    assert [tuple(row[name] for name in named) for row in rows] == [
        ("a client 1.0", 2, 9_000, 9_000, 5, 0),
    ]


def committed(back: int, number: int, **over: Any) -> dict[str, Any]:
    """What was committed for partitions 0, 1, ... of a topic in an hour."""
    count = len(over["last_offsets"])
    return hour(
        back,
        number,
        **{
            "topic": "t",
            "partitions": [*range(count)],
            "commits": [2] * count,
            "pauses_ms": [60_000] * count,
            "lives": [1] * count,
            "end_offsets": over["last_offsets"],
            **over,
        },
    )


def test_progress_tells_the_rate_what_is_left_and_where(spark: SparkSession) -> None:
    events = frame(
        spark,
        ProgressHours,
        [
            committed(3, 1, first_offsets=[0, 5, 9], last_offsets=[100, 5, 0]),
            # twice: the last time counts
            committed(1, 2, first_offsets=[0, 0, 0], last_offsets=[0, 0, 0], commits=[99] * 3),
            committed(
                1, 3, first_offsets=[100, 5, 1], last_offsets=[200, 5, 2],
                end_offsets=[250, 55, None], lives=[1, 2, None], pauses_ms=[1, 70_000, 1],
            ),
            committed(1, 4, topic="other", first_offsets=[7], last_offsets=[7]),
        ],
    )  # fmt: skip
    made = partition_hours(events, AT)
    assert made.violations() == {}
    other, row = day(progress(made, lives(spark, "a", "b"), AT))
    assert row == {
        "group_id": "g",
        "topic": "t",
        "partitions": 3,
        "commits": 12,
        "records": 200,  # the third went back
        "records_per_hour": 100,
        "stalled": 1,
        "longest_pause_ms": 70_000,
        "ends_known": 2,
        "lag": 100,
        "drain_ms": 3_600_000,
        "slowest_member": "a at 10.0.0.1",
    }
    assert (other["stalled"], other["lag"], other["drain_ms"]) == (0, 0, None)
    assert other["slowest_member"] is None


def test_a_partition_that_was_rewound_is_not_stalled(spark: SparkSession) -> None:
    """It was, as was one of a topic that was made again: below its first offset, it works."""
    events = frame(
        spark,
        ProgressHours,
        [
            committed(2, 1, first_offsets=[900, 900], last_offsets=[1_000, 900]),
            committed(
                1, 2, first_offsets=[10, 900], last_offsets=[500, 900], end_offsets=[2_000] * 2
            ),
        ],
    )  # fmt: skip
    (row,) = day(progress(partition_hours(events, AT), lives(spark, "a"), AT))
    assert (row["stalled"], row["records"], row["lag"]) == (1, 0, 1_500 + 1_100)


LEAST, MOST = -(2**63), 2**63 - 1
"""What a client may commit."""


def test_progress_of_any_offsets_is_told(spark: SparkSession) -> None:
    """A run would end for everybody, each time."""
    events = frame(
        spark,
        ProgressHours,
        [
            committed(1, 1, topic="far", first_offsets=[LEAST, 0], last_offsets=[MOST, MOST]),
            committed(
                1, 2, topic="behind", first_offsets=[LEAST] * 2, last_offsets=[LEAST] * 2,
                end_offsets=[MOST] * 2,
            ),
            committed(
                1, 3, topic="microseconds", first_offsets=[0], last_offsets=[10],
                end_offsets=[10**15],
            ),
        ],
    )  # fmt: skip
    rows = day(progress(partition_hours(events, AT), lives(spark, "a", "b"), AT))
    behind, far, microseconds = sorted(rows, key=lambda row: row["topic"])
    assert (far["records"], far["lag"], far["stalled"]) == (MOST, 0, 0)
    assert (behind["records"], behind["lag"], behind["drain_ms"]) == (0, MOST, None)
    assert (far["records_per_hour"], far["drain_ms"]) == (MOST, 0)
    assert (microseconds["lag"], microseconds["drain_ms"]) == (10**15 - 10, 2**63 - 1024)


def test_cost_is_charged_to_the_software_and_host_that_began_it(spark: SparkSession) -> None:
    fleet = Fleet(random.Random(1))
    fleet.life("g", "a", 0, None)
    fleet.rebalance("g", 10, "member-joined", member_id="a-1", without_owner_ms=70)
    fleet.rebalance("g", 20, "member-joined", member_id="a-1", without_owner_ms=30)
    fleet.rebalance("g", 30, "member-joined", member_id="nobody")
    members, rebalances, *_ = fleet.frames(spark)
    (row,) = day(software(rebalances, members, AT))
    assert (row["software"], row["client_host"]) == ("a client 1.0", "10.0.0.1")
    assert (row["rebalances"], row["without_owner_ms"]) == (2, 100)
