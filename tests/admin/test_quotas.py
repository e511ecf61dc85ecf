"""Client quotas in the admin: set, changed, removed, by those who may."""

from html.parser import HTMLParser
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.admin.quotas import KEYS
from console.operations import quota_changes
from console.people.staff_roles import ADMINISTRATOR, OPERATOR
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


def shown(client: Client, path: str) -> dict[str, str]:
    """What a browser sends of this form if nothing is changed."""
    fields = HTMLParser()
    found: dict[str, str] = {}

    def starttag(tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        name = str(values.get("name", ""))
        if tag == "input" and name.removeprefix("initial-") in KEYS:
            found[name] = values.get("value") or ""

    fields.handle_starttag = starttag  # type: ignore[method-assign]
    fields.feed(client.get(path).content.decode())
    return found


def test_quotas_are_set_changed_and_removed(administrator: Client) -> None:
    assert administrator.post(f"{QUOTAS}add/", FORM).status_code == 302
    row = QuotaEntity.objects.get()
    assert row.quotas == {"request_percentage": 12.5, "producer_byte_rate": 1000}
    page = text(administrator.get(QUOTAS))
    assert "client-id (default), user ann" in page and "request_percentage 12.5" in page

    change = f"{QUOTAS}{row.pk}/change/"
    changed = {"request_percentage": "", "producer_byte_rate": "2000"}
    assert (
        administrator.post(change, {**shown(administrator, change), **changed}).status_code == 302
    )
    row = QuotaEntity.objects.get()
    assert row.quotas == {"producer_byte_rate": 2000}
    assert shown(administrator, change)["producer_byte_rate"] == "2000"
    assert administrator.post(f"{QUOTAS}{row.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not QuotaEntity.objects.exists()
    entries = Journal.objects.filter(kind__startswith="quota-").order_by("id")
    assert {e.details["author"]["user"] for e in entries} == {"olga"} and entries.count() == 5


def test_all_values_of_an_entity_may_be_removed_in_its_form(administrator: Client) -> None:
    quota_changes.alter(of_client("ann"), {"request_percentage": 1}, OLGA)
    row = QuotaEntity.objects.get()
    path = f"{QUOTAS}{row.pk}/change/"
    form = {**shown(administrator, path), "request_percentage": ""}
    assert administrator.post(path, form).status_code == 302
    assert not QuotaEntity.objects.exists()


def test_a_quota_without_an_end_stays_unless_changed(administrator: Client) -> None:
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
    form = {**shown(administrator, path), "consumer_byte_rate": "2"}
    assert administrator.post(path, form).status_code == 302
    assert QuotaEntity.objects.get().quotas == {
        "consumer_byte_rate": 2,
        "request_percentage": "Infinity",
    }


def test_a_quota_set_while_the_form_is_open_is_kept(administrator: Client) -> None:
    quota_changes.alter(of_client("ann"), {"request_percentage": 1, "consumer_byte_rate": 1}, OLGA)
    path = f"{QUOTAS}{QuotaEntity.objects.get().pk}/change/"
    form = shown(administrator, path)
    quota_changes.alter(of_client("ann"), {"request_percentage": 7}, OLGA)
    assert administrator.post(path, {**form, "consumer_byte_rate": "2"}).status_code == 302
    assert QuotaEntity.objects.get().quotas == {"request_percentage": 7, "consumer_byte_rate": 2}
    before = Journal.objects.count()
    assert administrator.post(path, shown(administrator, path)).status_code == 302
    assert Journal.objects.count() == before


def test_the_selected_quotas_are_removed(administrator: Client) -> None:
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
def test_an_invalid_quota_gets_an_error(
    administrator: Client, change: dict[str, str], sentence: str
) -> None:
    assert sentence in text(administrator.post(f"{QUOTAS}add/", {**FORM, **change}))
    assert not QuotaEntity.objects.exists()


def test_the_number_of_quotas_is_limited(administrator: Client, settings: Any) -> None:
    settings.CLIENT_QUOTAS_MAX = 1
    assert "There may be 1 client quotas" in text(administrator.post(f"{QUOTAS}add/", FORM))


def test_an_operator_sees_no_quotas() -> None:
    operator = visitor(OPERATOR, name="otto")
    assert [operator.get(path).status_code for path in (QUOTAS, f"{QUOTAS}add/")] == [403, 403]
