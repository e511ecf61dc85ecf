"""What stands still: since when, because of whom, what it costs, what ends it, and what is said
afterwards."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.people.staff_roles import OPERATOR, VIEWER
from console.queries import attention, overview
from console.queries.fired import Fired, Place, Remedy
from groups.models import Journal
from tests.admin.test_attention import DRAIN, FREEZE, HOUR, MINUTE, PAUSE
from tests.admin.test_dashboard import JOURNAL, NODE, OWN_ALL, groups, sql
from tests.admin.visitors import text, visitor

pytestmark = pytest.mark.django_db

COUNTS = """
INSERT INTO rollcall_group_counts (group_id, members, topics, partitions, unowned, last_rebalance)
VALUES (%s, 2, 1, 12, 3, 0)
"""

WAITING = """
INSERT INTO rollcall_waiting (group_id, node_id, revision, details, waits, told_at)
VALUES (%s, 0, 1, %s, '{}', now())
"""

ANNA_IS_SILENT = """
{"phase": "join", "since_ms": 90000, "left_ms": 30000, "awaited_count": 1, "ready": 1,
 "newcomers": [], "newcomers_count": 0, "handed_out": 0, "still": 6,
 "awaited": [{"member_id": "m-1", "name": "anna", "act": "rejoin", "silent_ms": 80000,
              "left_ms": 30000, "partitions": 6}]}
"""

PUT_OFF = """
{"phase": "put-off", "since_ms": 600000, "left_ms": null, "awaited_count": 0, "ready": 1,
 "newcomers": [], "newcomers_count": 0, "handed_out": 0, "still": 3, "awaited": []}
"""

OUTAGE = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,
    client_reason, generation_before, generation_after, waited_for, joined, "left", details)
VALUES (now(), '', 0, 4, 'node-outage', 'database-away', '', '', 0, 0, '{}', '[]', '[]',
        jsonb_build_object('since', now() - interval '12 s', 'until', now(), 'ms', 12000,
                           'extended_ms', 12000, 'refused', 9, 'removed', 0))
"""


@pytest.fixture(autouse=True)
def _healthy() -> None:
    sql(NODE, 0, timedelta())
    sql(OWN_ALL, 0)
    groups("orders", "Stable", 1, 600)


def only() -> Fired:
    """The one finding."""
    [line] = attention.fired(overview.look())
    return line


def page(role: str = OPERATOR) -> str:
    """The Overview, its white space made even."""
    return " ".join(text(visitor(role, name=role).get("/admin/")).split())


def test_a_group_that_waits_for_a_silent_member_names_it_and_what_it_costs() -> None:
    groups("stuck", "PreparingRebalance", 1, 100)
    sql(WAITING, "stuck1", ANNA_IS_SILENT)
    line = only()
    assert (line.tone, line.remedy, line.member_id, line.still) == ("bad", Remedy.EVICT, "m-1", 6)
    assert line.since is not None
    assert line.cost_ms(line.since + timedelta(seconds=100)) == 600_000
    shown = page()
    assert "waiting for anna" in shown.lower()
    assert "6 partitions stand still: at most" in shown and "partition-seconds until" in shown
    assert 'href="/admin/groups/group/stuck1/evict/?member=m-1">Evict anna</a>' in shown
    assert "Evict the member that is silent" in shown


def test_whoever_may_not_end_it_can_see_why() -> None:
    groups("stuck", "PreparingRebalance", 1, 100)
    sql(WAITING, "stuck1", ANNA_IS_SILENT)
    shown = page(VIEWER)
    assert "Evict anna" not in shown
    assert "/admin/groups/group/stuck1/change/?tab=rebalances" in shown


def test_work_that_was_stopped_costs_what_its_members_own() -> None:
    sql(PAUSE, "orders1", HOUR)
    sql(COUNTS, "orders1")
    line = only()
    assert (line.still, line.remedy) == (9, Remedy.RESUME)
    assert line.since is not None and line.since < timezone.now() - HOUR + MINUTE
    assert "/admin/groups/group/orders1/pause/" in page()


def test_a_frozen_group_costs_what_has_no_owner() -> None:
    sql(FREEZE, "orders1", HOUR)
    sql(COUNTS, "orders1")
    assert (only().still, only().remedy) == (3, Remedy.THAW)
    assert "Thaw it</a>" in page()


@pytest.mark.parametrize(("frozen", "remedy"), [(True, Remedy.THAW), (False, Remedy.WHY)])
def test_a_rebalance_that_is_put_off_counts_from_its_beginning(frozen: bool, remedy: Any) -> None:
    sql(WAITING, "orders1", PUT_OFF)
    if frozen:
        sql(FREEZE, "orders1", MINUTE)
    line = only()
    assert (line.rule, line.remedy, line.still) == ("unowned", remedy, 3)
    assert line.since is not None
    assert abs(timezone.now() - line.since - timedelta(minutes=10)) < MINUTE


def test_slots_without_owner_say_whom_they_leave_alone_and_since_when() -> None:
    groups("more", "Stable", 20, 600)
    sql("UPDATE rollcall_slot SET node_id = NULL, ended_at = now() - interval '1 h' WHERE slot < 9")
    line = only()
    assert line.since is not None and line.since < timezone.now() - HOUR + MINUTE
    assert line.detail == "9 groups are not served until a node takes them."
    assert line.tone == "bad" and "Start a node" in line.advice


def test_nodes_lead_to_their_own_page() -> None:
    sql(DRAIN, 7, 5 * HOUR)
    assert only().place == Place.NODES
    assert 'href="/admin/groups/node/7/drain/">Withdraw the drain</a>' in page("Administrator")


def test_what_is_over_stays_for_a_day_with_its_cause() -> None:
    sql(JOURNAL, MINUTE, "rebalance-completed", 20)
    Journal.objects.filter(revision=19).update(duration_ms=75_000)
    sql(OUTAGE)
    shown = page("Administrator")
    over = shown[shown.index('id="over"') : shown.index("Groups by state")]
    assert "Node 4 could not serve from" in over
    assert "since it could not renew its lease in PostgreSQL" in over
    assert over.count("<li>") == 2 and "in 1 min 15 s because member w-1 left" in over
    assert "/admin/groups/group/orders/change/?tab=timeline&amp;since=" in over
    assert len(overview.look().latest) == overview.LATEST_MAX


def test_what_was_over_yesterday_is_not_told() -> None:
    sql(JOURNAL, timedelta(hours=25), "rebalance-completed", 1)
    Journal.objects.update(duration_ms=75_000)
    assert overview.look().over == []
