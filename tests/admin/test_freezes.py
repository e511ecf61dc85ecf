"""Freeze, thaw and delete in the admin: look first, give a reason, then ask."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from console.people.staff_roles import ADMINISTRATOR, OPERATOR, VIEWER
from groups.models import Operation
from groups.sweeps.ends import end_what_is_over
from tests.admin.test_groups import page
from tests.admin.visitors import text, visitor
from tests.api.conftest import write
from tests.as_roles import role

pytestmark = pytest.mark.django_db

WHY = {"reason": "a long batch", "verb": "freeze"}
FROZEN = """
INSERT INTO rollcall_group_config (group_id, slot, name, value, updated_at, until)
VALUES ('orders', 0, 'rollcall.freeze', 'true', now(), %s)
"""


@pytest.fixture
def operator() -> Client:
    return visitor(OPERATOR, name="olga")


@pytest.fixture
def administrator() -> Client:
    return visitor(ADMINISTRATOR, name="ada")


def frozen(until: str | None = None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(FROZEN, [until])


def requested() -> list[tuple[str, str, str]]:
    """Every operation."""
    return list(Operation.objects.order_by("id").values_list("group_id", "verb", "actor"))


def test_a_group_is_frozen_and_a_frozen_one_can_be_thawed(operator: Client) -> None:
    write("orders")
    assert "No rebalance begins until" in text(operator.get(page("orders", "freeze")))
    answer: Any = operator.post(page("orders", "freeze"), WHY)
    made = Operation.objects.get()
    assert answer.url == reverse("admin:groups_operation_change", args=[made.pk])
    frozen()
    assert "Thaw the group" in text(operator.get(page("orders", "freeze")))
    operator.post(page("orders", "freeze"), {**WHY, "verb": "thaw"})
    assert requested() == [("orders", "freeze", "olga"), ("orders", "thaw", "olga")]


def test_a_freeze_until_a_time_is_shown(operator: Client) -> None:
    write("orders")
    past = operator.post(page("orders", "freeze"), {**WHY, "until": "2001-01-01T00:00"})
    assert "That time has passed." in text(past) and requested() == []
    operator.post(page("orders", "freeze"), {**WHY, "until": "2999-01-01T10:00"})
    assert str(Operation.objects.get().until) == "2999-01-01 10:00:00+00:00"
    frozen(until="2999-01-01 10:00Z")
    for path in (page("orders"), "/admin/groups/group/"):
        assert "until 2999-01-01 10:00 UTC: nothing moves" in text(operator.get(path))


def test_an_id_without_a_group_can_be_thawed(operator: Client) -> None:
    """Its group is gone; and where its journal is, too, the page is still there."""
    frozen()
    shown = text(operator.get(page("orders")))
    assert "The name is frozen since" in shown and "Thaw the name" in shown
    assert "Thaw the group" in text(operator.get(page("orders", "freeze")))
    operator.post(page("orders", "freeze"), {**WHY, "verb": "thaw"})
    assert requested() == [("orders", "thaw", "olga")]
    assert operator.get(page("others", "freeze")).status_code == 404
    assert "Thaw the name" not in text(visitor(VIEWER).get(page("orders")))


def test_an_expired_freeze_requests_a_thaw(operator: Client) -> None:
    write("orders")
    frozen(until="2001-01-01 10:00Z")
    for told in ("ended 1 freezes", "nothing has ended"):
        with role("rollcall_worker"):
            assert end_what_is_over() == told
    (made,) = Operation.objects.all()
    assert (made.verb, made.reason) == ("thaw", "frozen until 2001-01-01 10:00 UTC")
    assert (made.actor, made.state) == ("the end of the freeze", "pending")


def test_a_concurrent_freeze_is_shown_before_confirmation(operator: Client) -> None:
    write("orders")
    frozen()
    shown = text(operator.post(page("orders", "freeze"), WHY))
    assert "It was frozen or thawed since you opened this page." in shown
    assert "a long batch" in shown and 'value="thaw"' in shown
    assert requested() == []


@pytest.mark.parametrize("tail", ["freeze", "remove"])
def test_an_operation_without_a_reason_is_refused(administrator: Client, tail: str) -> None:
    write("orders", size=0)
    said = {**WHY, "reason": " ", "typed": "orders"}
    shown = text(administrator.post(page("orders", tail), said))
    assert "This field is required." in shown and requested() == []


def test_a_deletion_is_confirmed_by_typing_the_id(administrator: Client) -> None:
    write("orders", size=0)
    shown = text(administrator.post(page("orders", "remove"), WHY))
    assert "Type orders to continue." in shown and requested() == []
    administrator.post(page("orders", "remove"), {**WHY, "typed": "orders"})
    assert requested() == [("orders", "delete", "ada")]


@pytest.mark.parametrize("group_id", [" orders ", "two\nlines", "a  b"])
def test_an_id_that_no_input_can_hold_is_confirmed_in_its_escaped_form(
    administrator: Client, group_id: str
) -> None:
    """A browser puts no line breaks into a line, and shows no blanks at its ends."""
    write(group_id, size=0)
    said = {**WHY, "typed": " ".join(group_id.split())}
    administrator.post(page(group_id, "remove"), said)
    assert requested() == [(group_id, "delete", "ada")]


def test_a_group_with_members_has_no_deletion_form_and_is_not_deleted(
    administrator: Client,
) -> None:
    write("orders", size=1)
    for shown in (
        text(administrator.get(page("orders", "remove"))),
        text(administrator.post(page("orders", "remove"), {**WHY, "typed": "orders"})),
    ):
        assert "The group has 1 member: stop them first." in shown
        assert "Delete the group" not in shown
    assert requested() == []


def test_a_user_without_the_right_sees_no_button(operator: Client) -> None:
    write("orders", size=0)
    assert page("orders", "freeze") in text(operator.get(page("orders")))
    assert page("orders", "remove") not in text(operator.get(page("orders")))
    assert page("orders", "freeze") not in text(visitor(VIEWER).get(page("orders")))
    assert operator.post(page("orders", "remove"), {**WHY, "typed": "orders"}).status_code == 403
    assert requested() == []
