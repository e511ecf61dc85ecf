"""Offsets set by an operator: before and after of each partition, the page that
shows it first, and the way back."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.operations import topic_changes as changes
from console.operations.offset_resets import WAYS, ResetTarget, back, plan, restored, topics_of_csv
from console.people.staff_roles import OPERATOR, VIEWER
from console.queries import previews
from groups.models import Operation
from groups.operations.rows_read import SET_SINCE
from tests.admin.test_groups import page
from tests.admin.visitors import text, visitor
from tests.api.conftest import write
from tests.model_factories import OperationFactory

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)

COMMIT = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
                             committed_at) VALUES (%s, %s, %s, %s, -1, '', now())
"""

COMMITTED = """
INSERT INTO rollcall_offset_history (at, group_id, topic, partition, committed_offset, leader_epoch,
    metadata, member_id, client_id, client_host)
VALUES (%s, 'g', 'orders', %s, %s, -1, '', '', '', '')
"""


@pytest.fixture(autouse=True)
def group() -> None:
    """A group without members that has committed two of three partitions of a topic."""
    write("g", size=0)
    changes.create("orders", 3)
    with connection.cursor() as cursor:
        for partition, offset in ((0, 5), (1, 9)):
            cursor.execute(COMMIT, ["g", "orders", partition, offset])


def planned(to: str, value: Any = None, *topics: str) -> list[tuple[int, int | None, int | None]]:
    """Partition, before and after of what would change."""
    wanted = ResetTarget(to, value, topics)
    return [(c.partition, c.before, c.after) for c in plan("g", wanted).changes]


def test_offsets_are_reset_to_earliest_to_a_number_and_by_a_shift() -> None:
    assert planned("earliest") == [(0, 5, 0), (1, 9, 0)]
    assert planned("offset", "9") == [(0, 5, 9)]
    assert planned("offset", "7", "orders") == [(0, 5, 7), (1, 9, 7), (2, None, 7)]
    assert planned("shift", "-6") == [(0, 5, 0), (1, 9, 3)]
    assert planned("shift", "-6", "orders") == [(0, 5, 0), (1, 9, 3)]


def test_offsets_are_reset_to_latest_where_the_end_is_known() -> None:
    with pytest.raises(ValueError, match="the end offset of orders-0 is unknown"):
        plan("g", ResetTarget("latest"))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_topic SET end_offsets = '{7, 9, 4}'")
    assert planned("latest") == [(0, 5, 7)]
    assert planned("shift", "100") == [(0, 5, 7)]


def test_offsets_are_reset_to_a_time_and_to_those_of_another_group() -> None:
    with connection.cursor() as cursor:
        cursor.execute(COMMITTED, [NOON, 0, 2])
        cursor.execute(COMMITTED, [NOON + timedelta(hours=1), 0, 4])
        cursor.execute(COMMIT, ["other", "orders", 1, 3])
        cursor.execute(COMMIT, ["other", "bills", 1, 3])
    assert planned("moment", NOON + timedelta(minutes=1)) == [(0, 5, 2)]
    with pytest.raises(ValueError, match="the history has no offset at 2026-11-22 12:00:00"):
        plan("g", ResetTarget("moment", NOON - timedelta(days=1)))
    assert planned("group", "other") == [(1, 9, 3)]
    with pytest.raises(ValueError, match="has committed none"):
        plan("g", ResetTarget("group", "nobody"))


def test_a_restore_is_previewed_with_offsets_that_were_deleted_since() -> None:
    """The owner sets those, too; the dry run said that nothing would change."""
    with connection.cursor() as cursor:
        cursor.execute(COMMITTED, [NOON, 0, 2])
        cursor.execute(COMMITTED, [NOON, 1, 3])
        cursor.execute("DELETE FROM rollcall_offset WHERE partition = 1")
    at = NOON + timedelta(minutes=1)
    changes = [(c.partition, c.before, c.after) for c in restored("g", at).changes]
    assert changes == [(0, 5, 2), (1, None, 3)]
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM rollcall_offset")
    assert len(restored("g", at).changes) == 2
    with pytest.raises(ValueError, match="the history has no offset at 2026-11-22 12:00:00"):
        restored("g", NOON - timedelta(days=1))


def test_offsets_are_reset_to_a_time_at_which_a_client_committed_several_partitions() -> None:
    """They are one row of the history."""
    with connection.cursor() as cursor:
        cursor.execute(COMMITTED, [NOON, 1, 1])
        cursor.execute(COMMITTED, [NOON + timedelta(minutes=1), 0, 2])
        cursor.execute(
            "UPDATE rollcall_offset_history SET more_partitions = '{1,2}', more_offsets = '{3,4}'"
            " WHERE partition = 0"
        )
        cursor.execute(COMMITTED, [NOON + timedelta(minutes=2), 0, 9])
    assert planned("moment", NOON + timedelta(minutes=1)) == [(0, 5, 2), (1, 9, 3)]


def test_offsets_are_reset_from_a_file() -> None:
    lines = "orders,0,1\n\n g , orders, 2, 8\n"
    assert topics_of_csv(lines) == ("orders",)
    assert planned("csv", lines.replace(" g ", "g"), "orders") == [(0, 5, 1), (2, None, 8)]
    assert topics_of_csv(f"orders,0,{'x' * 140_000}") == ()


def test_a_file_of_a_spreadsheet_begins_with_a_mark() -> None:
    lines = "\ufefforders,0,1\r\n"
    assert topics_of_csv(lines) == ("orders",)
    assert planned("csv", lines, "orders") == [(0, 5, 1)]


@pytest.mark.parametrize(
    ("to", "value", "why"),
    [
        ("csv", "orders,0", "line 1: it must be topic,partition,offset"),
        ("csv", "orders,0,1\norders,0,2", "line 2: orders-0 is duplicated"),
        ("csv", "orders,7,1", "line 1: orders-7 is not among"),
        ("csv", "orders,0,-1", "line 1: an offset must be 0 or more"),
        ("csv", "orders,0,1_000", "line 1: '1_000' is not a whole number"),
        ("csv", "orders,0,\u0663", "line 1: '\u0663' is not a whole number"),
        ("csv", f"orders,0,{'x' * 140_000}", "the file is not CSV: field larger than"),
        ("csv", "orders,x,1", "line 1: 'x' is not a whole number"),
        ("csv", "h,orders,0,1", "line 1: it names another group"),
        ("csv", "", "the file has no lines"),
        ("offset", "-1", "an offset must be 0 or more"),
        ("offset", str(2**63), "at most 63 bits"),
        ("shift", "", "'' is not a whole number"),
        ("moment", None, "a time must be a date and time"),
        ("yesterday", None, "offsets are set to one of earliest"),
    ],
)
def test_an_invalid_reset_gets_an_error(to: str, value: Any, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        plan("g", ResetTarget(to, value, ("orders",)))


def test_a_missing_topic_gets_an_error() -> None:
    with pytest.raises(ValueError, match="there is no topic nothing"):
        plan("g", ResetTarget("earliest", None, ("nothing",)))


def test_every_reset_method_has_a_description() -> None:
    shown = text(visitor(OPERATOR).get(page("g", "reset")))
    assert all(f'value="{way}"' in shown for way in WAYS)


# -- the page


def ask(client: Client, **said: str) -> Any:
    return client.post(page("g", "reset"), {"to": "earliest", "reason": "a mistake", **said})


def test_the_preview_shows_before_and_after_and_exactly_that_is_requested() -> None:
    client = visitor(OPERATOR, name="olga")
    shown = ask(client)
    assert "2 partitions set to the earliest" in text(shown)
    assert "orders-1" in text(shown) and "offsets/resets" in text(shown)
    assert not Operation.objects.exists()

    made = ask(client, seen=shown.context["plan"].digest)
    operation = Operation.objects.get()
    assert made.status_code == 302 and str(operation.pk) in made["Location"]
    assert (operation.verb, operation.actor, operation.reason) == (
        "reset-offsets", "olga", "a mistake",
    )  # fmt: skip
    assert operation.offsets is not None
    assert operation.offsets["to"] == [["orders", 0, 0], ["orders", 1, 0]]
    assert operation.offsets["before"] == [["orders", 0, 5], ["orders", 1, 9]]
    assert "Undo" in text(client.get(f"/admin/groups/operation/{operation.pk}/change/"))


def test_offsets_that_changed_since_the_preview_are_shown_again() -> None:
    client = visitor(OPERATOR, name="olga")
    digest = ask(client).context["plan"].digest
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_offset SET committed_offset = 6 WHERE partition = 0")
    shown = ask(client, seen=digest)
    assert "have changed since you opened this page" in text(shown)
    assert not Operation.objects.exists()


def test_an_invalid_value_gets_an_error_beside_its_field() -> None:
    shown = text(ask(visitor(OPERATOR, name="olga"), to="offset", offset="many"))
    assert "&#x27;many&#x27; is not a whole number." in shown
    assert not Operation.objects.exists()


def test_spaces_are_a_part_of_the_other_groups_id() -> None:
    with connection.cursor() as cursor:
        cursor.execute(COMMIT, [" other", "orders", 1, 3])
    shown = ask(visitor(OPERATOR, name="olga"), to="group", group=" other")
    assert [change.after for change in shown.context["plan"].changes] == [3]


def test_a_group_with_members_is_reported_and_has_no_button() -> None:
    write("busy")
    client = visitor(OPERATOR, name="olga")
    shown = text(client.get(page("busy", "reset")))
    assert "The group has 2 members: stop them first." in shown
    assert 'name="seen"' not in shown


def test_members_that_joined_since_the_preview_are_not_overwritten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The request would only fail: nothing is requested, on the page and by an undo."""
    client = visitor(OPERATOR, name="olga")
    digest = re.search(r'name="seen" value="(\w+)"', text(ask(client)))
    assert digest is not None
    operation = made()
    happened()
    monkeypatch.setattr(previews, "offsets", lambda _: previews.Preview("fail", ["It has some."]))
    assert "It has some." in text(ask(client, seen=digest[1]))
    answer = client.post(f"/admin/groups/operation/{operation.pk}/undo/", follow=True)
    assert "Nothing was undone: It has some." in text(answer)
    assert Operation.objects.count() == 1


def test_a_viewer_cannot_reset_offsets(client: Client) -> None:
    viewer = visitor(VIEWER)
    assert viewer.get(page("g", "reset")).status_code == 403
    assert ask(viewer).status_code == 403
    assert "Reset …" not in text(viewer.get(f"{page('g')}?tab=offsets"))


# -- the way back


def made(state: str = "succeeded", **more: str) -> Operation:
    """A reset of partition 0 to 0, and of partition 2, that had none."""
    offsets = {
        "how": "to 0",
        "to": [["orders", 0, 0], ["orders", 2, 0]],
        "before": [["orders", 0, 5], ["orders", 2, None]],
    }
    said = {"group_id": "g", "verb": "reset-offsets", "offsets": offsets, "state": state, **more}
    return OperationFactory.create(**said)


def happened() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_offset SET committed_offset = 0 WHERE partition = 0")
        cursor.execute(COMMIT, ["g", "orders", 2, 0])


def undone(operation: Operation) -> Any:
    client = visitor(OPERATOR, name="olga")
    return client.post(f"/admin/groups/operation/{operation.pk}/undo/", follow=True)


def test_a_reset_is_undone_by_one_click() -> None:
    operation = made()
    happened()
    undone(operation)
    undo = Operation.objects.exclude(pk=operation.pk).get()
    assert undo.offsets is not None
    assert undo.offsets["to"] == [["orders", 0, 5], ["orders", 2, None]]
    assert undo.reason == f"undo of operation {operation.pk}"


def test_a_refused_reset_shows_the_reason_and_cannot_be_undone() -> None:
    operation = made("failed", detail=SET_SINCE)
    shown = text(visitor(OPERATOR).get(f"/admin/groups/operation/{operation.pk}/change/"))
    assert f"{SET_SINCE.capitalize()}." in shown
    assert "Undo" not in shown


@pytest.mark.parametrize("state", ["failed", "pending", "succeeded"])
def test_an_undo_excludes_offsets_not_set_or_committed_since(state: str) -> None:
    operation = made(state)
    if state != "succeeded":
        happened()
    assert "Nothing was undone" in text(undone(operation))
    assert Operation.objects.count() == 1


def test_an_undo_is_refused_where_a_partition_was_committed_since() -> None:
    happened()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_offset SET committed_offset = 1 WHERE partition = 2")
    with pytest.raises(ValueError, match="were set or committed since"):
        back("g", made().offsets or {})
