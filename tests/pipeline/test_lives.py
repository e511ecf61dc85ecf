"""Lives and intervals, from the rows of their beginnings and ends."""

from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

from pipeline.datasets.facts import LifeEvents, OwnershipEvents
from pipeline.datasets.lives import Ownership
from pipeline.steps.lives import lives, ownership
from pipeline.steps.movement import movement
from tests.pipeline.journals import BEGIN

pytestmark = pytest.mark.timeout(300)

AT = BEGIN + timedelta(days=1)


def event(life: int, begun: float, ended: float | None = None, **over: Any) -> dict[str, Any]:
    """The beginning or the end of a life, in seconds after the begin of the day."""
    row = dict.fromkeys(LifeEvents.names())
    left = BEGIN + timedelta(seconds=ended) if ended is not None else None
    return {
        **row,
        "life": life,
        "group_id": "g",
        "member_id": f"m-{life}",
        "client_id": "worker",
        "client_host": "10.0.0.1",
        "software_name": "",
        "software_version": "",
        "kind": "classic",
        "session_timeout_ms": 10_000,
        "joined_at": BEGIN + timedelta(seconds=begun),
        "left_at": left,
        "departure": "left" if left is not None else None,
        "heard_at": left,
        **over,
    }


def frame(spark: SparkSession, dataset: Any, rows: list[dict[str, Any]]) -> Any:
    """The rows as a dataset."""
    names = dataset.names()
    return dataset(
        spark.createDataFrame([tuple(r[name] for name in names) for r in rows], dataset.ddl())
    )


def test_a_life_is_the_row_of_its_end_or_else_of_its_beginning(spark: SparkSession) -> None:
    events = [
        event(1, 0),
        event(1, 0, 60, software_name="librdkafka", software_version="2.6.0"),
        event(2, 65.5),
        event(3, 10, 20, instance_id="i-1"),  # its beginning is no longer kept
        event(4, 20, 30, instance_id="i-1"),
        event(5, 100, instance_id="i-1"),
    ]
    made = lives(frame(spark, LifeEvents, events), AT)
    assert made.violations() == {}
    columns = ("life", "software", "departure", "lived_ms", "back_ms")
    assert sorted(tuple(row) for row in made.frame.select(*columns).collect()) == [
        (1, "librdkafka 2.6.0", "left", 60_000, 5_500),
        (2, "", None, None, None),
        (3, "", "left", 10_000, 0),
        (4, "", "left", 10_000, 70_000),
        (5, "", None, None, None),
    ]


def test_clients_that_share_a_name_are_not_taken_for_one_that_came_back(
    spark: SparkSession,
) -> None:
    events = [event(1, 0, 60), event(2, 30), event(3, 62)]
    made = lives(frame(spark, LifeEvents, events), AT).frame
    assert {row["life"]: row["back_ms"] for row in made.collect()} == {1: None, 2: None, 3: None}


@pytest.mark.long
def test_intervals_are_of_one_partition_each(spark: SparkSession) -> None:
    begun, moved = BEGIN + timedelta(seconds=5), BEGIN + timedelta(seconds=9)
    row = {**dict.fromkeys(OwnershipEvents.names()), "group_id": "g", "life": 1, "topic": "t"}
    events = [
        {**row, "partitions": [0, 1, 2], "from_at": begun, "until_at": None},
        {**row, "partitions": [1], "from_at": begun, "until_at": moved},
    ]
    made = ownership(frame(spark, OwnershipEvents, events), AT)
    assert made.violations() == {}
    rows = made.frame.selectExpr("partition", "until_at IS NULL").collect()
    assert sorted(tuple(row) for row in rows) == [(0, True), (1, False), (2, True)]


def test_moves_returns_and_gaps_are_counted_when_the_next_owner_begins(
    spark: SparkSession,
) -> None:
    def interval(life: int, begun: float, ended: float | None) -> tuple[Any, ...]:
        until = None if ended is None else BEGIN + timedelta(seconds=ended)
        return ("g", life, "t", 7, BEGIN + timedelta(seconds=begun), until)

    rows = [interval(1, 0, 10), interval(2, 10, 20), interval(1, 23.5, 30), interval(1, 31, None)]
    owned = Ownership(spark.createDataFrame(rows, Ownership.ddl()))
    made = movement(owned, AT).frame.filter("period = 'all'").collect()
    assert [tuple(row) for row in made] == [("all", "g", "t", 1, 2, 1, 2, 4_500, 3_500)]
