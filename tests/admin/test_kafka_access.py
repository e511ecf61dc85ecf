"""ACLs and users of the Kafka port in the admin: create, view, delete, with the right to."""

from typing import Any

import pytest
from django.test import Client

from console.admin.acls import AclForm
from console.operations import acl_changes, kafka_users
from console.people.staff_roles import ADMINISTRATOR, OPERATOR
from groups.core.authors import user
from groups.models import Acl, Journal, KafkaUser
from tests.admin.visitors import text, visitor
from tests.api.asked import RULE

pytestmark = pytest.mark.django_db

ACLS, USERS = "/admin/groups/acl/", "/admin/groups/kafkauser/"

FORM = {
    "permission": "ALLOW",
    "principal": "User:ann",
    "operation": "READ",
    "resource_type": "TOPIC",
    "name": "orders",
    "pattern": "PREFIXED",
    "host": "*",
}
PASSWORD = {
    "name": "ann",
    "password": " pässword ",
    "again": " pässword ",
    "for_mechanisms": ["SCRAM-SHA-256"],
    "iterations": "4096",
}
OLGA = user("olga")


@pytest.fixture(autouse=True)
def _authorizer(settings: Any) -> None:
    settings.AUTHORIZER = "on"


@pytest.fixture
def administrator() -> Client:
    return visitor(ADMINISTRATOR, name="olga")


def test_an_acl_is_created_and_deleted(administrator: Client) -> None:
    assert administrator.post(f"{ACLS}add/", FORM).status_code == 302
    assert "already exists" in text(administrator.post(f"{ACLS}add/", FORM))
    acl = Acl.objects.get()
    page = text(administrator.get(ACLS))
    assert "User:ann" in page and "TOPIC orders" in page
    assert administrator.post(f"{ACLS}{acl.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not Acl.objects.exists()
    entries = Journal.objects.filter(kind__startswith="acl-").order_by("id")
    assert [(e.kind, e.details["author"]["user"]) for e in entries] == [
        ("acl-created", "olga"),
        ("acl-deleted", "olga"),
    ]


def test_spaces_belong_to_the_name_of_an_acl(administrator: Client) -> None:
    """The rule was made for another group: that whose id has none."""
    form = {**FORM, "resource_type": "GROUP", "name": " orders", "pattern": "LITERAL"}
    assert administrator.post(f"{ACLS}add/", form).status_code == 302
    assert Acl.objects.get().name == " orders"


def test_the_selected_acls_are_deleted(administrator: Client) -> None:
    made = [acl_changes.create(RULE._replace(name=name), OLGA)[0].pk for name in "abc"]
    chosen = {"action": "delete_selected", "_selected_action": made[:2], "post": "yes"}
    assert administrator.post(ACLS, chosen).status_code == 302
    assert [acl.pk for acl in Acl.objects.all()] == made[2:]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"principal": "ann"}, "no colon is present"),
        ({"resource_type": "CLUSTER"}, "The only valid name for the CLUSTER resource"),
        ({"name": "a\u202eb"}, "U+202E"),
        ({"operation": "ANY"}, "not one of the available choices"),
    ],
)
def test_an_invalid_acl_gets_an_error_beside_its_field(
    administrator: Client, change: dict[str, str], sentence: str
) -> None:
    assert sentence in text(administrator.post(f"{ACLS}add/", {**FORM, **change}))
    assert not Acl.objects.exists()


def test_the_number_of_acls_is_limited(administrator: Client, settings: Any) -> None:
    settings.ACLS_MAX = 0
    assert "There may be 0 ACLs" in text(administrator.post(f"{ACLS}add/", FORM))


def test_without_an_authorizer_nothing_is_created_or_deleted(
    administrator: Client, settings: Any
) -> None:
    made, _ = acl_changes.create(RULE, OLGA)
    settings.AUTHORIZER = "off"
    assert "The authorizer is off" in text(administrator.get(ACLS))
    assert administrator.post(f"{ACLS}add/", FORM).status_code == 403
    assert administrator.post(f"{ACLS}{made.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Acl.objects.count() == 1


def test_a_user_is_created_gets_another_password_and_is_deleted(administrator: Client) -> None:
    assert administrator.post(f"{USERS}add/", PASSWORD).status_code == 302
    assert KafkaUser.objects.get().mechanisms == {"SCRAM-SHA-256": 4096}
    assert "SCRAM-SHA-256 (4096)" in text(administrator.get(USERS))
    changed = {**PASSWORD, "iterations": "8192"}
    del changed["name"]
    assert administrator.post(f"{USERS}ann/change/", changed).status_code == 302
    assert KafkaUser.objects.get().mechanisms == {"SCRAM-SHA-256": 8192}
    assert administrator.post(f"{USERS}ann/delete/", {"post": "yes"}).status_code == 302
    assert not KafkaUser.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"again": "another"},
        {"password": "", "again": ""},
        {"password": "a\tb", "again": "a\tb"},
        {"name": "a\nb"},
        {"name": "x" * 257},
        {"for_mechanisms": []},
        {"iterations": "100"},
    ],
)
def test_an_invalid_user_is_not_created(administrator: Client, change: Any) -> None:
    page = text(administrator.post(f"{USERS}add/", {**PASSWORD, **change}))
    assert "pässword" not in page
    assert not KafkaUser.objects.exists()


def test_an_existing_user_is_not_created_again(administrator: Client) -> None:
    """Otherwise a mistyped name would change another user's password."""
    kafka_users.set_password("ann", "first", ["SCRAM-SHA-512"], 4096, OLGA)
    assert "already exists" in text(administrator.post(f"{USERS}add/", PASSWORD))
    assert KafkaUser.objects.get().mechanisms == {"SCRAM-SHA-512": 4096}


def test_operators_see_neither_acls_nor_users() -> None:
    operator = visitor(OPERATOR, name="olaf")
    for path in (ACLS, f"{ACLS}add/", USERS, f"{USERS}add/"):
        assert operator.get(path).status_code == 403


def test_reaching_the_limit_of_acls_is_reported(
    administrator: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the check of the form and the insert another one came."""
    settings.ACLS_MAX = 1
    clean = AclForm.clean

    def beaten(form: AclForm) -> Any:
        cleaned = clean(form)
        acl_changes.create(RULE, OLGA)
        return cleaned

    monkeypatch.setattr(AclForm, "clean", beaten)
    answer = administrator.post(f"{ACLS}add/", FORM, follow=True)
    assert answer.status_code == 200 and "There may be 1 ACLs" in text(answer)
