"""What nodes did along time, on the Nodes page."""

from datetime import UTC, datetime, timedelta

import pytest

from console.admin import node_charts
from console.people.staff_roles import VIEWER
from console.queries.node_minutes import NodeTime
from groups.event_loop import BOUNDS_S
from groups.reporting.node_minutes import longest_ms
from tests.admin.test_dashboard import NODE, OWN_ALL, sql
from tests.admin.visitors import text, visitor

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)

MINUTE = """
INSERT INTO rollcall_node_minute (at, node_id, seconds, heartbeats, commits, lag_ms, slots)
SELECT date_bin('30 min', now(), 'epoch'::timestamptz) - %s, %s, %s, %s, %s, %s, 64
"""


@pytest.mark.django_db
def test_each_node_has_charts_and_a_table_of_its_last_day() -> None:
    sql(NODE, 0, timedelta())
    sql(OWN_ALL, 0)
    client = visitor(VIEWER)
    assert "node-charts" not in text(client.get("/admin/groups/node/"))
    hour = timedelta(hours=1)
    sql(MINUTE, hour - timedelta(minutes=1), 0, 60, 600, 60, 25)
    sql(MINUTE, hour - timedelta(minutes=3), 0, 120, 0, 0, 50)  # one that took two
    sql(MINUTE, 2 * hour, 0, 60, 60, 0, 1)
    sql(MINUTE, hour, 7, 60, 120_000, 0, 1)
    sql(MINUTE, 30 * hour, 0, 60, 10**9, 0, 9)
    shown = text(client.get("/admin/groups/node/"))
    assert shown.count("<figure>") == 2 * len(node_charts.MEASURES)
    assert "at most 3.3 a second" in shown and "at most 50 ms" in shown
    assert "at most 2,000.0 a second" in shown
    assert shown.count("<tr><td>2") == 3, "what is older than a day is left out"


@pytest.mark.django_db
def test_of_many_nodes_those_with_the_longest_delays_have_charts() -> None:
    for node_id in range(node_charts.MOST + 2):
        sql(MINUTE, timedelta(hours=1), node_id, 60, 1, 1, 100 - node_id)
    shown = text(visitor(VIEWER).get("/admin/groups/node/"))
    assert f"Of {node_charts.MOST + 2} nodes the {node_charts.MOST} whose event loops" in shown
    assert shown.count("<figure>") == node_charts.MOST * len(node_charts.MEASURES)
    assert f"<h3>node {node_charts.MOST - 1}</h3>" in shown
    assert f"<h3>node {node_charts.MOST}</h3>" not in shown


def test_a_chart_without_anything_has_no_height() -> None:
    time = NodeTime(0, node_charts._floor(NOW), 0.0, 0.0, 0, 0)
    charts = node_charts._charts([time], node_charts._floor(NOW))
    assert [part.height for chart in charts for bar in chart.bars for part in bar.parts] == [0] * 4


def test_the_longest_delay_is_that_of_the_minute() -> None:
    none = [0] * (len(BOUNDS_S) + 1)
    assert longest_ms(none, none) == 0
    first = [9, *none[1:]]
    assert longest_ms(none, first) == round(1_000 * BOUNDS_S[0])
    last = [*none[:-1], 1]
    assert longest_ms(none, last) == round(1_000 * BOUNDS_S[-1])
    assert longest_ms(last, [9, *last[1:]]) == round(1_000 * BOUNDS_S[0]), "it was earlier"
