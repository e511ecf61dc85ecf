"""Webhooks over REST and in the admin: a secret is shown once; nothing is made that cannot be."""

import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.people.staff_roles import ADMINISTRATOR, VIEWER
from groups.models import Webhook, WebhookDelivery
from tests.admin.visitors import visitor
from tests.api.conftest import api  # noqa: F401  (a fixture)
from tests.webhooks.conftest import Make

pytestmark = pytest.mark.django_db

URL = "/api/v1/webhooks"
GOOD = {"name": "pager", "url": "https://pager.example/in"}
CHANGES = ("view_webhook", "add_webhook", "change_webhook", "delete_webhook")


READS = tuple(
    f"view_{what}" for what in ("group", "topic", "node", "acl", "kafkauser", "clientquota")
)
"""What an endpoint may be sent: every kind of entry."""


@pytest.fixture
def rest(api: Any) -> Client:  # noqa: F811
    """Somebody who may do everything to webhooks."""
    client: Client = api(*CHANGES, *READS, "view_webhookdelivery")
    return client


def sent(client: Client, method: str, url: str, body: Any = None) -> Any:
    body_text = "" if body is None else json.dumps(body)
    return client.generic(method, url, body_text, content_type="application/json")


def test_an_endpoint_is_created_changed_and_deleted(rest: Client) -> None:
    made = sent(rest, "POST", URL, {**GOOD, "events": ["journal.stable", "attention.*"]})
    assert made.status_code == 201, made.content
    body = made.json()
    one = f"{URL}/{body['webhook']['id']}"
    assert made.headers["Location"] == one and body["secret"].startswith("whsec_")

    shown = rest.get(one).json()
    assert "secret" not in json.dumps(shown)
    assert shown["events"] == ["journal.stable", "attention.*"]
    changed = sent(rest, "PATCH", one, {"enabled": False, "group_prefix": "orders-"}).json()
    assert (changed["enabled"], changed["group_prefix"], changed["url"]) == (
        *(False, "orders-", GOOD["url"]),
    )
    another = sent(rest, "POST", f"{one}/secrets").json()["secret"]
    assert another != body["secret"]

    tested = sent(rest, "POST", f"{one}/tests")
    assert (tested.status_code, tested.json()["type"]) == (202, "webhook.test")
    (delivery,) = rest.get(f"{one}/deliveries?state=pending").json()["data"]
    assert delivery["id"] == tested.json()["id"]
    WebhookDelivery.objects.update(state="failed")
    again = sent(rest, "POST", f"{one}/deliveries/{delivery['id']}/redeliveries")
    assert (again.status_code, again.json()["state"]) == (202, "pending")
    assert again.json()["message_id"] == delivery["message_id"]

    assert rest.delete(one).status_code == 204
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT count(*) FROM rollcall_webhook_secret)"
            " + (SELECT count(*) FROM rollcall_webhook_delivery)"
        )
        assert cursor.fetchone() == (0,)


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "ftp://pager.example/"},
        {"url": "https://ann:hush@pager.example/"},
        {"events": ["journal.nothing"]},
        {"events": "journal.stable"},
        {"name": ""},
        {"secret": "whsec_mine"},
        {"failures": 3},
        {"group_prefix": None},
    ],
)
def test_an_invalid_endpoint_is_refused(wrong: dict[str, Any], rest: Client) -> None:
    answer = sent(rest, "POST", URL, {**GOOD, **wrong})

    assert answer.status_code == 400, answer.content
    assert not Webhook.objects.exists()


def test_a_forbidden_address_is_refused_unless_the_check_is_disabled(
    rest: Client, settings: Any
) -> None:
    """Who forbids a network must still be able to disable what leads there."""
    made = {"name": "pager", "url": "http://127.0.0.1:8080/"}
    settings.WEBHOOKS_NETWORKS_ALLOW = "127.0.0.0/8"
    one = sent(rest, "POST", URL, made).headers["Location"]
    settings.WEBHOOKS_NETWORKS_ALLOW = ""
    for answer in (
        sent(rest, "POST", URL, {**made, "name": "other"}),
        sent(rest, "PATCH", one, {"group_prefix": "g"}),
    ):
        body = answer.json()
        assert (answer.status_code, body["code"]) == (400, "address_not_allowed")
        assert body["errors"][0]["pointer"] == "#/url"
    assert sent(rest, "PATCH", one, {"enabled": False}).status_code == 200


def test_names_are_unique_and_the_number_of_endpoints_is_limited(
    rest: Client, settings: Any
) -> None:
    settings.WEBHOOKS_MAX = 2
    assert sent(rest, "POST", URL, GOOD).status_code == 201
    assert sent(rest, "POST", URL, GOOD).status_code == 409
    assert sent(rest, "POST", URL, {**GOOD, "name": "b"}).status_code == 201
    assert sent(rest, "POST", URL, {**GOOD, "name": "c"}).status_code == 409
    other = f"{URL}/{Webhook.objects.get(name='b').pk}"
    assert sent(rest, "PATCH", other, {"name": "pager"}).status_code == 409


@pytest.mark.parametrize("path", ["/0", "/99999999999999999999", "/0/deliveries"])
def test_a_missing_endpoint_is_not_found(path: str, rest: Client) -> None:
    assert rest.get(URL + path).status_code == 404


def test_secrets_are_not_readable_by_the_web_and_not_in_the_audit_log(make: Make) -> None:
    make()
    with connection.cursor() as cursor:
        cursor.execute("SELECT secret FROM rollcall_webhook_secret")
        (secret,) = cursor.fetchone()
        cursor.execute("SELECT string_agg(details::text, '') FROM rollcall_audit")
        (audit,) = cursor.fetchone()
        cursor.execute(
            "SELECT has_table_privilege('rollcall_web', 'rollcall_webhook_secret', 'SELECT')"
        )
        assert cursor.fetchone() == (False,)
    assert secret not in audit and "127.0.0.1" not in audit


def test_the_admin_shows_a_secret_once(make: Make) -> None:
    client = visitor(ADMINISTRATOR, name="ada")
    add = "/admin/groups/webhook/add/"
    form = {"name": "<b>", "url": "https://pager.example/in", "enabled": "on"}
    made = client.post(add, {**form, "events": ["journal.stable"]})
    (secret,) = re.findall(r"whsec_[\w+/=]+", made.content.decode())
    webhook = Webhook.objects.get()
    page = f"/admin/groups/webhook/{webhook.pk}/change/"
    assert "&lt;b&gt;" in made.content.decode() and webhook.events == ["journal.stable"]
    assert secret not in client.get(page).content.decode()

    refused = client.post(add, {**form, "name": "c", "url": "gopher://x"})
    assert refused.status_code == 200 and "https://" in refused.content.decode()
    assert client.post(page, {**form, "name": "renamed"}).status_code == 302
    webhook.refresh_from_db()
    assert (webhook.name, webhook.events) == ("renamed", [])

    chosen = {"_selected_action": [webhook.pk]}
    tested = client.post("/admin/groups/webhook/", {**chosen, "action": "send_test"})
    assert tested.status_code == 302
    delivery = WebhookDelivery.objects.get()
    again = client.post("/admin/groups/webhook/", {**chosen, "action": "new_secret"})
    assert len(re.findall(r"whsec_[\w+/=]+", again.content.decode())) == 1
    listed = client.get("/admin/groups/webhookdelivery/")
    one = client.get(f"/admin/groups/webhookdelivery/{delivery.pk}/change/")
    assert "webhook.test" in listed.content.decode() and "webhook.test" in one.content.decode()
    selection = {"_selected_action": [delivery.pk], "action": "deliver_again"}
    assert client.post("/admin/groups/webhookdelivery/", selection).status_code == 302


def test_spaces_belong_to_the_prefix_of_ids(make: Make) -> None:
    """The page of an endpoint that REST had made took them away with any change."""
    webhook = make(group_prefix=" orders ")
    client = visitor(ADMINISTRATOR, name="ada")
    page = f"/admin/groups/webhook/{webhook.pk}/change/"
    form = {"name": "pager", "url": webhook.url, "group_prefix": " orders ", "enabled": "on"}
    assert client.post(page, {**form, "name": "renamed"}).status_code == 302
    webhook.refresh_from_db()
    assert (webhook.name, webhook.group_prefix) == ("renamed", " orders ")


def test_a_viewer_sees_no_secret() -> None:
    client = visitor(VIEWER, name="vic")
    for page in ("webhook", "webhookdelivery"):
        assert client.get(f"/admin/groups/{page}/").status_code == 403
