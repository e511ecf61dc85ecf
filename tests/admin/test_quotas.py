"""Client quotas in the admin: set, changed, removed, by those who may."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from groups.access import quota_changes
from groups.access.staff_roles import ADMINISTRATOR, OPERATOR
from groups.core.authors import user
from groups.core.quotas.entities import of_client
from groups.models import Journal, QuotaEntity
from tests.admin.visitors import text, visitor

pytestmark = pytest.mark.django_db

QUOTAS = "/admin/groups/quotaentity/"
FORM = {
    "user_kind": "named",
    "user": "ann",
    "client_id_kind": "every",
    "ip_kind": "none",
    "request_percentage": "12.5",
    "producer_byte_rate": "1000",
}
OLGA = user("olga")


@pytest.fixture
def administrator() -> Client:
    return visitor(ADMINISTRATOR, name="olga")


def test_quotas_are_set_changed_and_removed(administrator: Client) -> None:
    assert administrator.post(f"{QUOTAS}add/", FORM).status_code == 302
    row = QuotaEntity.objects.get()
    assert row.quotas == {"request_percentage": 12.5, "producer_byte_rate": 1000}
    page = text(administrator.get(QUOTAS))
    assert "client-id (default), user ann" in page and "request_percentage 12.5" in page

    changed = {"request_percentage": "", "producer_byte_rate": "2000"}
    assert administrator.post(f"{QUOTAS}{row.pk}/change/", changed).status_code == 302
    row = QuotaEntity.objects.get()
    assert row.quotas == {"producer_byte_rate": 2000}
    assert 'value="2000"' in text(administrator.get(f"{QUOTAS}{row.pk}/change/"))
    assert administrator.post(f"{QUOTAS}{row.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not QuotaEntity.objects.exists()
    told = Journal.objects.filter(kind__startswith="quota-").order_by("id")
    assert {e.details["author"]["user"] for e in told} == {"olga"} and told.count() == 5


def test_all_values_of_an_entity_may_be_removed_in_its_form(administrator: Client) -> None:
    quota_changes.alter(of_client("ann"), {"request_percentage": 1}, OLGA)
    row = QuotaEntity.objects.get()
    path = f"{QUOTAS}{row.pk}/change/"
    assert administrator.post(path, {"request_percentage": ""}).status_code == 302
    assert not QuotaEntity.objects.exists()


def test_a_quota_without_end_stays_unless_it_is_changed(administrator: Client) -> None:
    quota_changes.alter(of_client("ann"), {"consumer_byte_rate": 1}, OLGA)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_quota VALUES ('user', 'ann', '', '', 'request_percentage',"
            " 'Infinity', now())"
        )
    row = QuotaEntity.objects.get()
    path = f"{QUOTAS}{row.pk}/change/"
    assert "request_percentage Infinity" in text(administrator.get(QUOTAS))
    assert administrator.get(path).status_code == 200
    assert administrator.post(path, {"consumer_byte_rate": "2"}).status_code == 302
    assert QuotaEntity.objects.get().quotas == {
        "consumer_byte_rate": 2,
        "request_percentage": "Infinity",
    }


def test_those_that_were_chosen_are_removed(administrator: Client) -> None:
    for name in "abc":
        quota_changes.alter(of_client(name), {"request_percentage": 1}, OLGA)
    chosen = [row.pk for row in QuotaEntity.objects.order_by("user_name")[:2]]
    action = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
    assert administrator.post(QUOTAS, action).status_code == 302
    assert [row.user_name for row in QuotaEntity.objects.all()] == ["c"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"user_kind": "none", "client_id_kind": "none"}, "Invalid empty client quota entity"),
        ({"user": ""}, "Empty user not supported"),
        ({"ip_kind": "every"}, "IP entity should"),
        ({"request_percentage": "0"}, "must be greater than 0"),
        ({"request_percentage": "inf"}, "Enter a number"),
        ({"producer_byte_rate": "1.5"}, "cannot be a fractional value"),
        ({"connection_creation_rate": "1"}, "Invalid configuration key"),
        ({"request_percentage": "", "producer_byte_rate": ""}, "At least one quota"),
    ],
)
def test_what_can_be_no_quota_is_said(
    administrator: Client, change: dict[str, str], sentence: str
) -> None:
    assert sentence in text(administrator.post(f"{QUOTAS}add/", {**FORM, **change}))
    assert not QuotaEntity.objects.exists()


def test_there_is_room_for_so_many(administrator: Client, settings: Any) -> None:
    settings.CLIENT_QUOTAS_MAX = 1
    assert "There may be 1 client quotas" in text(administrator.post(f"{QUOTAS}add/", FORM))


def test_an_operator_sees_none() -> None:
    operator = visitor(OPERATOR, name="otto")
    assert [operator.get(path).status_code for path in (QUOTAS, f"{QUOTAS}add/")] == [403, 403]
