"""What journals mean: small stories, and the rows that they must give. No database."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from pipeline.datasets.cost import Cost
from pipeline.datasets.journal import Journal
from pipeline.datasets.rebalances import Rebalances
from pipeline.steps import rebalances as step
from pipeline.steps.cost import cost
from tests.pipeline.journals import BEGIN, Entry, entry

pytestmark = pytest.mark.timeout(300)

STARTED, COMPLETED, STABLE = "rebalance-started", "rebalance-completed", "stable"
OF_DETAILS = ("members", "moved", "waited_for_count", "unowned_longest_ms")


def journal(spark: SparkSession, *entries: Entry) -> Journal:
    """The entries as they are read, with ids from 1."""
    names = Journal.names()
    told = [
        {**each, "id": number, "waited_for": json.dumps(each["waited_for"])}
        | {
            name: json.dumps(each["details"].get("why", {}).get(name))
            for name in ("causes", "waits")
        }
        | {name: each["details"].get(name) for name in OF_DETAILS}
        for number, each in enumerate(entries, 1)
    ]
    rows = [tuple(each[name] for name in names) for each in told]
    return Journal(spark.createDataFrame(rows, Journal.ddl()))


def assert_alike(found: DataFrame, expected: DataFrame) -> None:
    """Both have the same rows."""
    # It brings pandas, for which every worker would take as long as for all of Django.
    from pyspark.testing import assertDataFrameEqual

    assertDataFrameEqual(found, expected)


def assert_rows(
    spark: SparkSession, entries: list[Entry], select: str, *expected: tuple[Any, ...]
) -> None:
    """The rebalances of the entries, and of these columns just these rows."""
    found = rebalances(journal(spark, *entries)).frame.selectExpr(*select.split(", "))
    assert_alike(found, spark.createDataFrame([*expected], found.schema))


def rebalances(entries: Journal) -> Rebalances:
    """They do not depend on the moment."""
    return step.rebalances(entries, BEGIN)


def costs(made: Rebalances) -> DataFrame:
    """Their cost long afterwards: only of all time."""
    return cost(made, datetime(2030, 1, 1, tzinfo=UTC)).frame


def classic(seconds: float, generation: int, **over: Any) -> Entry:
    """A completed join phase of group g."""
    details = {"members": 3, "waited_for_count": len(over.get("waited_for", {}))}
    numbers = {"generation_before": generation - 1, "generation_after": generation}
    return entry(seconds, "g", COMPLETED, **{**numbers, "details": details, **over})


def stable(seconds: float, generation: int, sync_ms: int, moved: int) -> Entry:
    """The assignment of group g's generation."""
    details = {"moved": moved}
    return entry(
        seconds, "g", STABLE, generation_after=generation, duration_ms=sync_ms, details=details
    )


@pytest.mark.long
def test_a_rebalance_spans_from_its_start_to_its_assignment(spark: SparkSession) -> None:
    cause = {
        "trigger": "member-left",
        "client_reason": "closed",
        "member_id": "d",
        "client_id": "w",
    }
    waits = {"b": 30, "a": 1_900, "c": 0}
    made = rebalances(
        journal(
            spark,
            entry(0, "g", "group-created"),
            entry(10, "g", STARTED, **cause),
            classic(12, 2, duration_ms=2_000, waited_for=waits, **cause),
            stable(12.5, 2, 500, moved=4),
        )
    )
    assert made.violations() == {}
    assert [row.asDict(recursive=True) for row in made.frame.collect()] == [
        {
            "group_id": "g",
            "kind": "classic",
            "trigger": "member-left",
            "causes": [{"trigger": "member-left", "ms": 2_000}],
            "reason": "",
            "client_reason": "closed",
            "member_id": "d",
            "client_id": "w",
            "generation_before": 1,
            "generation_after": 2,
            "started_at": local(10),
            "completed_at": local(12),
            "stable_at": local(12.5),
            "duration_ms": 2_000,
            "sync_ms": 500,
            "without_owner_ms": 2_500,
            "without_owner_known_ms": None,
            "waited_for": [
                {"member_id": "a", "ms": 1_900},
                {"member_id": "b", "ms": 30},
                {"member_id": "c", "ms": 0},
            ],
            "slowest_member": "a",
            "slowest_ms": 1_900,
            "members": 3,
            "partitions_moved": 4,
            "journal_id": 3,
        }
    ]


def local(seconds: float) -> Any:
    """The time of an entry as ``collect`` gives it: without zone, by this machine's clock."""
    return entry(seconds, "", "")["at"].astimezone().replace(tzinfo=None)


@pytest.mark.long
def test_a_superseded_rebalance_counts_nothing_of_its_successor(
    spark: SparkSession,
) -> None:
    assert_rows(
        spark,
        [
            entry(0, "g", STARTED, trigger="member-joined"),
            classic(1, 1, trigger="member-joined", duration_ms=1_000),
            entry(2, "g", STARTED, trigger="member-left"),
            classic(3, 2, trigger="member-left", duration_ms=900),
            stable(4, 2, 100, moved=2),
        ],
        "trigger, sync_ms, without_owner_ms, partitions_moved",
        ("member-joined", None, 1_000, 0),
        ("member-left", 100, 1_000, 2),
    )


@pytest.mark.long
def test_an_assignment_counts_though_the_next_rebalance_was_abandoned(
    spark: SparkSession,
) -> None:
    assert_rows(
        spark,
        [
            classic(1, 1, trigger="member-joined", duration_ms=1_000),
            entry(2, "g", STARTED, trigger="member-joined"),
            entry(3, "g", "rebalance-abandoned", trigger="owner-changed"),
            stable(4, 1, 100, moved=2),
        ],
        "sync_ms, partitions_moved",
        (100, 2),
    )


@pytest.mark.long
def test_a_rebalance_does_not_include_an_abandoned_predecessor(
    spark: SparkSession,
) -> None:
    def start(kind: str) -> list[Entry]:
        return [entry(0, "g", STARTED), entry(1, "g", kind), entry(5, "g", STARTED)]

    for kind in ("rebalance-abandoned", "emptied", "group-deleted"):
        ended = classic(7, 1, trigger="member-joined")
        assert_rows(spark, [*start(kind), ended], "second(started_at), duration_ms", (5, 2_000))


@pytest.mark.long
def test_the_consumer_protocol_takes_its_cause_from_the_first_start(spark: SparkSession) -> None:
    assert_rows(
        spark,
        [
            entry(0, "g", STARTED, trigger="topics-changed", reason="orders has 6 partitions"),
            entry(1, "g", STARTED, trigger="member-joined", reason="a new member"),
            entry(4, "g", COMPLETED, details={"members": 2, "moved": 3}),
        ],
        "kind, trigger, reason, duration_ms, sync_ms, without_owner_ms, partitions_moved",
        ("consumer", "topics-changed", "orders has 6 partitions", 4_000, None, 4_000, 3),
    )


@pytest.mark.long
@pytest.mark.parametrize("measured", [0, 700])
def test_measured_times_take_precedence_over_upper_bounds(
    spark: SparkSession, measured: int
) -> None:
    """A consumer group works on what does not move, however long the rebalance takes."""
    details = {"members": 2, "moved": 3, "unowned_longest_ms": measured}
    assert_rows(
        spark,
        [entry(0, "g", STARTED, trigger="operator"), entry(4, "g", COMPLETED, details=details)],
        "duration_ms, without_owner_ms, without_owner_known_ms",
        (4_000, measured, measured),
    )


@pytest.mark.long
def test_the_cost_distinguishes_measured_times_and_upper_bounds(spark: SparkSession) -> None:
    known = {"moved": 1, "unowned_longest_ms": 300}
    found = costs(
        rebalances(
            journal(
                spark,
                entry(1, "g", COMPLETED, trigger="operator", duration_ms=900, details=known),
                entry(2, "g", COMPLETED, trigger="operator", duration_ms=500, details={"moved": 1}),
            )
        )
    ).select("without_owner_ms", "without_owner_known_ms", "unknown_rebalances")
    assert [tuple(row) for row in found.collect()] == [(800, 300, 1)]


@pytest.mark.long
def test_an_incomplete_entry_counts_as_unknown(spark: SparkSession) -> None:
    assert_rows(
        spark,
        [entry(4, "g", COMPLETED)],
        "kind, trigger, duration_ms, started_at = completed_at, slowest_member, members",
        (None, "unknown", 0, True, None, None),
    )


@pytest.mark.long
def test_groups_are_separate(spark: SparkSession) -> None:
    assert_rows(
        spark,
        [
            entry(0, "g", STARTED, trigger="operator"),
            entry(1, "h", STARTED, trigger="member-left"),
            entry(2, "g", COMPLETED, details={"moved": 1}),
            entry(3, "h", COMPLETED, details={"moved": 2}),
        ],
        "group_id, trigger, duration_ms, partitions_moved",
        ("g", "operator", 2_000, 1),
        ("h", "member-left", 2_000, 2),
    )


@pytest.mark.long
def test_the_cost_is_summed_by_group_and_trigger(spark: SparkSession) -> None:
    left = {"trigger": "member-left", "duration_ms": 700}
    found = costs(
        rebalances(
            journal(
                spark,
                classic(1, 1, waited_for={"b": 500, "a": 400}, **left),
                stable(2, 1, 50, moved=3),
                classic(3, 2, waited_for={"a": 500}, **left),
                classic(4, 3, trigger="operator", duration_ms=10),
            )
        )
    )
    expected = [
        ("all", "g", "member-left", 2, 1_400, 700, 700, 700, 700, 1_000, "a", 3, 1_450, 0, 2, 1),
        ("all", "g", "operator", 1, 10, 10, 10, 10, 10, 0, None, 0, 10, 0, 1, 4),
    ]
    assert_alike(found, spark.createDataFrame(expected, Cost.ddl()))


def test_each_cause_of_a_rebalance_is_charged_with_its_share(spark: SparkSession) -> None:
    """The whole was charged to the first: an expiry of 30 s within it to "member joined"."""
    causes = [
        {"trigger": "member-joined", "ms": 100, "named": []},
        {"trigger": "session-expired", "ms": 600},
        {"trigger": "member-joined", "ms": 200},
    ]
    details = {"moved": 4, "unowned_longest_ms": 1_000, "why": {"causes": causes}}
    told = entry(1, "g", COMPLETED, trigger="member-joined", duration_ms=900, details=details)
    rows = costs(rebalances(journal(spark, told))).orderBy("trigger").collect()
    figures = ("trigger", "rebalances", "duration_ms", "without_owner_ms", "partitions_moved")
    assert [tuple(row[name] for name in figures) for row in rows] == [
        ("member-joined", 1, 300, 334, 4),
        ("session-expired", 1, 600, 666, 0),
    ]


def test_a_rebalance_of_four_hundred_days_has_a_cost(spark: SparkSession) -> None:
    """Its time by that of a cause is beyond a bigint: the run ended with an overflow."""
    day = 86_400_000
    causes = [{"trigger": name, "ms": 200 * day} for name in ("member-joined", "session-expired")]
    details = {"moved": 1, "unowned_longest_ms": 400 * day, "why": {"causes": causes}}
    told = entry(1, "g", COMPLETED, trigger="member-joined", duration_ms=400 * day, details=details)
    rows = costs(rebalances(journal(spark, told))).collect()
    assert {row["trigger"]: row["without_owner_ms"] for row in rows} == {
        "member-joined": 200 * day,
        "session-expired": 200 * day,
    }


@pytest.mark.long
def test_an_empty_journal_has_no_cost(spark: SparkSession) -> None:
    assert costs(rebalances(journal(spark))).collect() == []


@pytest.mark.long
def test_a_rebalance_counts_in_each_period_in_which_it_was_completed(spark: SparkSession) -> None:
    """The periods end at the moment of the run; one that a clock set back counts in the newest."""
    day = 86_400
    times = [-1, -day - 1, -3 * day, -10 * day, -40 * day, -400 * day, 60]
    entries = [classic(time, n, trigger="operator", duration_ms=0) for n, time in enumerate(times)]
    found = cost(rebalances(journal(spark, *entries)), BEGIN).frame
    assert {row["period"]: row["rebalances"] for row in found.collect()} == {
        "all": 7,
        "24h": 2,
        "24h-before": 1,
        "7d": 4,
        "7d-before": 1,
        "30d": 5,
        "30d-before": 1,
    }
