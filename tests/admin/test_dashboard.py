"""The first page: numbers that are true, and what needs attention."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from console.people.staff_roles import VIEWER
from console.queries import attention, overview
from groups import tasks
from groups.models import Journal, Operation
from groups.sweeps import schedule
from tests import factories
from tests.admin.visitors import text, visitor
from tests.api.conftest import TAKE_SLOTS
from tests.model_factories import OperationFactory

pytestmark = pytest.mark.django_db

GROUPS = """
INSERT INTO rollcall_group (group_id, slot, kind, state, generation, protocol_type, details,
                            revision, state_since, created_at, updated_at)
SELECT %s || n, n %% 64, 'classic', %s, 1, 'consumer', '{}', 1, now() - %s, now(), now()
FROM generate_series(1, %s) n
"""

JOURNAL = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,
    client_reason, client_id, generation_before, generation_after, duration_ms, waited_for,
    joined, "left", details)
SELECT now() - n * %s, 'orders', n, 0, %s, 'member-left', '', 'shutting down', 'w-1', n, n + 1,
       1200, '{}', '[]', '[]', '{}'
FROM generate_series(1, %s) n
"""

NODE = """
INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at)
VALUES (%s, gen_random_uuid(), 1, 'localhost', 9092, now(), now() - %s)
"""

OWN_ALL = "UPDATE rollcall_slot SET node_id = %s, incarnation = gen_random_uuid()"


def sql(statement: str, *parameters: Any) -> None:
    """Rows as the owner would have written them."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def groups(prefix: str, state: str, count: int, age_s: int = 0) -> None:
    """So many groups in a state since then."""
    sql(GROUPS, prefix, state, timedelta(seconds=age_s), count)


@pytest.fixture(autouse=True)
def _healthy() -> None:
    """A node that owns everything."""
    sql(NODE, 0, timedelta())
    sql(OWN_ALL, 0)


def page() -> str:
    """The first page as a Viewer sees it, its white space made even."""
    return " ".join(text(visitor(VIEWER).get("/admin/")).split())


def test_a_healthy_fleet_has_nothing_that_needs_attention() -> None:
    groups("a", "Stable", 3, 600)
    groups("b", "Empty", 2, 600)

    seen = overview.look()

    assert dict(seen.states) == {"Stable": 3, "Empty": 2}
    assert (seen.groups, len(seen.nodes), seen.ownerless_slots) == (5, 1, 0)
    assert attention.fired(seen) == []
    assert "Nothing: every slot has an owner" in page()


def test_a_group_that_does_not_settle_is_named_after_a_minute() -> None:
    groups("soon", "PreparingRebalance", 1, 50)
    groups("stuck", "CompletingRebalance", 1, 70)

    assert [group.group_id for group in overview.look().unsettled] == ["stuck1"]
    shown = page()
    assert "Group stuck1 is still rebalancing" in shown
    assert "soon1" not in shown


def test_a_long_list_of_unsettled_groups_is_counted() -> None:
    groups("stuck", "Assigning", 25, 70)

    assert "15 more groups are still rebalancing" in page()


def test_slots_without_owner_and_silent_nodes_are_listed() -> None:
    sql("UPDATE rollcall_slot SET node_id = NULL WHERE slot < 5")
    sql(NODE, 4, timedelta(minutes=3))

    shown = page()

    assert "5 slots have no owner" in shown
    assert "Node 4 is silent" in shown


def test_a_refused_operation_is_no_incident() -> None:
    """Whoever asked for it got the reason."""
    OperationFactory.create(state="failed", detail="the group is empty", finished_at=timezone.now())
    assert attention.fired(overview.look()) == []


def test_an_operation_that_no_owner_decides_is_listed() -> None:
    now = timezone.now()
    for group_id, minutes in (("orders", 2), ("new", 0)):
        row = OperationFactory.create(group_id=group_id)
        Operation.objects.filter(pk=row.pk).update(created_at=now - timedelta(minutes=minutes))

    shown = page()
    assert "An operation on orders waits for its owner: Force a rebalance" in shown
    assert "olga requested it 2 minutes ago." in shown.replace("\xa0", " ")
    assert "An operation on new waits" not in shown


def test_the_most_severe_findings_come_first() -> None:
    """Work that failed before a group that rebalances often, whose rule comes first."""
    schedule.ensure()
    sql(JOURNAL, timedelta(seconds=1), "rebalance-completed", 60)
    with pytest.raises(ZeroDivisionError):
        tasks.recorded("clean-up", lambda: str(1 // 0))
    lines = attention.fired(overview.look())
    assert [line.rule for line in lines if line.tone == "bad"] == ["periodic-work"]
    assert (lines[0].tone, lines[1].rule) == ("bad", "storm")


def test_a_failed_sweep_and_a_late_sweep_are_listed() -> None:
    schedule.ensure()
    with pytest.raises(ZeroDivisionError):
        tasks.recorded("clean-up", lambda: str(1 // 0))
    sql(
        "INSERT INTO rollcall_sweep (name, started_at, took_ms, outcome, failed, runs, failures)"
        " VALUES ('session sweep', now() - interval '2 hours', 1, '', false, 1, 0)"
    )

    shown = page()

    assert "The clean-up failed" in shown
    assert "ZeroDivisionError" in shown
    assert "The session sweep is late" in shown
    assert "offset retention" not in shown  # new, and not yet due


def test_rebalances_of_the_last_hour_are_counted_and_the_latest_listed() -> None:
    sql(JOURNAL, timedelta(minutes=2), "rebalance-completed", 40)
    sql(JOURNAL, timedelta(minutes=2), "rebalance-started", 40)

    seen = overview.look()

    assert (seen.rebalances_1h.number, seen.rebalances_1h.is_more) == (29, False)
    assert len(seen.latest) == overview.LATEST_MAX
    assert "because member w-1 left: &#x27;shutting down&#x27;" in page()


def test_a_count_of_rebalances_is_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "JOURNAL_READ_MAX", 10)
    sql(JOURNAL, timedelta(seconds=1), "rebalance-completed", 50)

    counted = overview.look().rebalances_1h

    assert (counted.number, counted.is_more) == (10, True)


def test_the_page_takes_few_statements(django_assert_max_num_queries: Any) -> None:
    schedule.ensure()
    groups("stuck", "Assigning", 30, 70)
    sql(JOURNAL, timedelta(seconds=1), "rebalance-completed", 50)
    viewer = visitor(VIEWER)

    with django_assert_max_num_queries(16):
        viewer.get("/admin/")


def test_the_latest_rebalances_name_members_by_their_clients() -> None:
    """Members of the consumer protocol and the 0.9 draft have UUIDs; of these two one is gone."""
    ids = [str(uuid4()) for _ in range(2)]
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        packer = factories.member(ids[0], client_id="packer-7")
        factories.apply_with(cursor, factories.batch(factories.birth("orders", packer)))
    moved = {"from": ids[0], "to": ids[1], "gone": False, "partitions": 2, "some": ["t-0", "t-1"]}
    sql(JOURNAL, timedelta(seconds=1), "rebalance-completed", 1)
    Journal.objects.update(details={"handed_over": [moved]}, waited_for={ids[0]: 1_200})

    shown = page()

    assert f"packer-7 gave 2 partitions to member {ids[1][:8]}" in shown
    assert "waited 1.2 s for packer-7" in shown
    assert not any(member_id in shown for member_id in ids)


def test_a_user_without_a_role_sees_no_overview() -> None:
    groups("secret", "Assigning", 1, 70)

    shown = text(visitor().get("/admin/"))

    assert "You have no role yet" in shown
    assert "secret1" not in shown
