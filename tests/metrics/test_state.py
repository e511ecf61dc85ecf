"""The web's series about rows: correct, limited, and missing where unknown."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from prometheus_client import CollectorRegistry, generate_latest

from console.metrics.collector import StateCollector
from console.metrics.series import WEB
from console.metrics.state import MetricsSettings, State, look
from groups.metrics.series import Sample, exposed
from groups.models import Sweep
from groups.sweeps import schedule
from tests.admin.test_attention import FREEZE, HOUR, MEMBERS, MINUTE, PAUSE, PAUSE_OF_MEMBER
from tests.admin.test_dashboard import JOURNAL, NODE, OWN_ALL, groups, sql
from tests.metrics.scraped import Scrape

pytestmark = pytest.mark.django_db

WANTED = MetricsSettings(
    metrics_cache_ms=0,
    metrics_groups_max=100,
    metrics_partitions_max=100,
    metrics_compat="kafka_exporter",
    metrics_loopback_allow=False,
)

TOPIC = """
INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, racks, created_at)
VALUES (%s, gen_random_uuid(), %s, %s, '[]', now())
"""

OFFSETS = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
                             committed_at)
SELECT %s, %s, n, %s, -1, '', now() FROM generate_series(0, %s - 1) n
"""

WAITING = """
INSERT INTO rollcall_waiting (group_id, node_id, revision, details, told_at)
VALUES (%s, 0, 1, '{"phase": "join", "since_ms": 1, "left_ms": 1, "awaited": [], "newcomers": [],
                    "awaited_count": 2, "ready": 5, "newcomers_count": 1, "handed_out": 0,
                    "still": 3}', now() - %s)
"""

ODD = 'a "quoted"\\ name\nof two lines'


def scraped(wanted: MetricsSettings = WANTED) -> Scrape:
    registry = CollectorRegistry()
    registry.register(StateCollector(wanted))
    return Scrape(generate_latest(registry).decode())


def test_totals_are_exposed() -> None:
    sql(NODE, 0, timedelta())
    sql(NODE, 1, timedelta(minutes=2))
    sql(OWN_ALL, 0)
    sql("UPDATE rollcall_slot SET node_id = NULL WHERE slot < 5")
    groups("a", "Stable", 3, 600)
    groups("b", "PreparingRebalance", 2, 90)
    sql(MEMBERS, "a1", 7)
    sql(TOPIC, "t", 6, [])
    sql(PAUSE, "a1", HOUR)
    sql(PAUSE_OF_MEMBER, "a2", "m-1", HOUR)
    sql(FREEZE, "a3", MINUTE)
    sql(JOURNAL, MINUTE, "rebalance-completed", 4)
    sql(WAITING, "b1", timedelta(seconds=5))
    sql(WAITING, "b2", timedelta(seconds=20))  # its owner is gone

    samples = scraped()

    assert samples("rollcall_database_up") == 1
    assert samples("rollcall_groups", kind="classic", state="Stable") == 3
    assert samples("rollcall_groups", kind="classic", state="PreparingRebalance") == 2
    assert samples("rollcall_members") == 7
    assert (samples("rollcall_topics"), samples("rollcall_partitions")) == (1, 6)
    assert samples("rollcall_slots", node="none") == 5
    assert samples("rollcall_slots", node="0") == 59
    assert 120 <= (samples("rollcall_node_beat_age_seconds", node="1") or 0) < 180
    assert samples("rollcall_rebalances_1h") == 4
    assert 90 <= (samples("rollcall_oldest_open_rebalance_seconds") or 0) < 150
    assert samples("rollcall_unsettled_groups") == 2
    assert [samples("rollcall_waiting_members", what=w) for w in ("awaited", "ready", "new")] == [
        2,
        5,
        1,
    ]
    assert samples("rollcall_unowned_partitions") == 3
    assert samples("rollcall_group_unowned_partitions", group="b1") == 3
    assert samples("rollcall_stopped_groups") == samples("rollcall_stopped_members") == 1
    assert samples("rollcall_frozen_groups") == 1
    assert samples("rollcall_pending_webhook_deliveries") == 0
    assert samples("kafka_brokers") == 1
    assert samples("rollcall_attention", rule="slot-without-owner") == 1
    assert samples("rollcall_attention", rule="storm") == 0
    assert samples("rollcall_group_attention", group="b1", rule="unsettled") == 1


def test_series_of_each_group_are_exposed() -> None:
    groups("g", "Stable", 2, 60)
    sql(MEMBERS, "g1", 3)
    sql("UPDATE rollcall_group SET group_id = %s WHERE group_id = 'g2'", ODD)

    samples = scraped()

    assert samples("rollcall_group_state", group="g1", kind="classic", state="Stable") == 1
    assert samples("rollcall_group_members", group="g1") == 3
    assert samples("kafka_consumergroup_members", consumergroup="g1") == 3
    assert samples("rollcall_group_generation", group=ODD) == 1
    assert samples("kafka_consumergroup_members", consumergroup=ODD) == 0


def test_there_is_no_lag_where_an_end_is_not_known() -> None:
    groups("g", "Stable", 1)
    sql(TOPIC, "known", 2, [10, 20])
    sql(TOPIC, "half", 2, [10])
    sql(OFFSETS, "g1", "known", 4, 2)
    sql(OFFSETS, "g1", "half", 4, 2)
    sql(OFFSETS, "g1", "deleted", 4, 1)
    sql(OFFSETS, "g1", "ahead", 30, 1)
    sql(TOPIC, "ahead", 1, [10])

    samples = scraped()

    def lag(topic: str, partition: str) -> float | None:
        return samples(
            "kafka_consumergroup_lag", consumergroup="g1", topic=topic, partition=partition
        )

    assert [lag("known", "0"), lag("known", "1")] == [6, 16]
    assert samples("kafka_consumergroup_lag_sum", consumergroup="g1", topic="known") == 22
    assert [lag("half", "0"), lag("half", "1"), lag("deleted", "0")] == [6, None, None]
    assert samples("kafka_consumergroup_lag_sum", consumergroup="g1", topic="half") is None
    assert samples("kafka_consumergroup_current_offset_sum", consumergroup="g1", topic="half") == 8
    assert lag("ahead", "0") == 0
    ends = samples.all("kafka_topic_partition_current_offset")
    assert sorted(ends.values()) == [10, 10, 10, 20]
    assert samples("kafka_topic_partitions", topic="half") == 2
    assert not [value for key, value in samples.values.items() if value < 0]


def test_limits_hold_and_omitted_groups_are_counted() -> None:
    groups("g", "Stable", 5)
    sql(TOPIC, "a", 3, [1, 1, 1])
    sql(TOPIC, "b", 3, [1, 1, 1])
    for topic in ("a", "b"):
        sql(OFFSETS, "g1", topic, 1, 3)

    samples = scraped(replace(WANTED, metrics_groups_max=2, metrics_partitions_max=4))

    assert len(samples.all("rollcall_group_members")) == 2
    assert samples("rollcall_series_left_out", what="groups") == 3
    assert samples("rollcall_groups", kind="classic", state="Stable") == 5  # totals are never cut
    assert (
        len(samples.all("kafka_consumergroup_current_offset")) == 3
    )  # "b" would be cut: none of it
    assert samples("kafka_consumergroup_current_offset_sum", consumergroup="g1", topic="b") is None
    assert samples("rollcall_series_left_out", what="offsets") == 1
    assert len(samples.all("kafka_topic_partitions")) == 1
    assert samples("rollcall_series_left_out", what="partitions") == 3


def test_at_the_cap_nothing_is_left_out() -> None:
    groups("g", "Stable", 2)
    sql(TOPIC, "a", 3, [1, 1, 1])
    sql(OFFSETS, "g1", "a", 1, 3)

    samples = scraped(replace(WANTED, metrics_groups_max=2, metrics_partitions_max=3))

    assert set(samples.all("rollcall_series_left_out").values()) == {0}
    assert len(samples.all("kafka_consumergroup_lag")) == 3


@pytest.mark.parametrize(
    "wanted",
    [
        replace(WANTED, metrics_compat="none"),
        replace(WANTED, metrics_groups_max=0, metrics_partitions_max=0),
    ],
)
def test_disabled_series_are_missing(wanted: MetricsSettings) -> None:
    groups("g", "Stable", 1)
    sql(TOPIC, "a", 3, [1, 1, 1])
    sql(OFFSETS, "g1", "a", 1, 3)

    samples = scraped(wanted)

    of_partitions = {name for name in samples.names if name.startswith("kafka_")} - {
        "kafka_brokers"
    }
    assert of_partitions == set()
    assert samples("rollcall_groups", kind="classic", state="Stable") == 1


def test_periodic_work_is_exposed() -> None:
    schedule.ensure()
    name = next(iter(look(WANTED).fleet.runs)).task.name
    Sweep.objects.update_or_create(
        name=name,
        defaults={
            "started_at": "2026-01-01T00:00Z",
            "took_ms": 3,
            "outcome": "no",
            "failed": True,
            "runs": 9,
            "failures": 2,
        },
    )

    samples = scraped()

    assert (samples("rollcall_periodic_age_seconds", task=name) or 0) > 1e6
    assert samples("rollcall_periodic_failed", task=name) == 1
    assert samples("rollcall_periodic_runs_total", task=name) == 9
    assert samples("rollcall_periodic_failures_total", task=name) == 2


def test_rows_are_read_at_most_once_per_interval() -> None:
    now = 100.0
    collector = StateCollector(replace(WANTED, metrics_cache_ms=5_000), clock=lambda: now)
    with CaptureQueriesContext(connection) as first:
        list(collector.collect())
    with CaptureQueriesContext(connection) as then:
        list(collector.collect())
    now += 5
    with CaptureQueriesContext(connection) as later:
        list(collector.collect())

    assert len(then) == 0
    assert 0 < len(first) == len(later) < 30


def test_without_postgresql_only_its_absence_is_exposed() -> None:
    def away(_wanted: MetricsSettings) -> State:
        raise OperationalError("the server closed the connection")

    series = {m.name: m for m in StateCollector(WANTED, away).collect()}

    assert set(series) == {"rollcall_database_up", "rollcall_build_info"}
    assert series["rollcall_database_up"].samples[0].value == 0


def test_a_series_without_a_row_in_the_table_is_refused() -> None:
    with pytest.raises(KeyError):
        exposed(WEB, [Sample("rollcall_unheard_of", 1)])


def test_exposed_series_and_the_table_agree() -> None:
    groups("g", "PreparingRebalance", 1, 90)
    sql(NODE, 0, timedelta())
    sql(TOPIC, "a", 1, [1])
    sql(OFFSETS, "g1", "a", 1, 1)
    sql(WAITING, "g1", timedelta())
    schedule.ensure()
    name = next(iter(look(WANTED).fleet.runs)).task.name
    Sweep.objects.update_or_create(
        name=name, defaults={"started_at": "2026-01-01T00:00Z", "took_ms": 3, "outcome": "no"}
    )

    samples = scraped()

    assert samples.names == {row.name for row in WEB}
    types = {f.name.removesuffix("_total"): f.type for f in samples.families}
    assert types == {row.name.removesuffix("_total"): row.type.value for row in WEB}
    for name, labels in samples.values:
        row = next(row for row in WEB if row.name == name)
        assert tuple(label for label, _ in labels) == tuple(sorted(row.labels))
