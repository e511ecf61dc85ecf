"""The curl line beside each action sends REST exactly the request of the page."""

import json
import shlex
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client

from console.operations import kafka_users
from console.people.staff_roles import ADMINISTRATOR, OPERATOR
from groups.core.authors import user
from groups.models import Acl, KafkaUser, Operation, QuotaEntity
from tests.admin.test_groups import page
from tests.admin.visitors import text, visitor
from tests.api.conftest import Api, write

pytestmark = pytest.mark.django_db

ODD = "a/b c'%.ü"


def run(answer: object, rest: Client) -> int:
    """Send what the page's line says, as a shell would read it; the answer's status."""
    line = answer.context["curl"]  # type: ignore[attr-defined]
    words = shlex.split(line)
    assert words[0] == "curl" and "Authorization: Bearer $TOKEN" in words
    parts = urlsplit(words[-1])
    sent = rest.generic(
        words[words.index("-X") + 1],
        f"{parts.path}?{parts.query}",
        words[words.index("-d") + 1] if "-d" in words else "",
        content_type="application/json",
    )
    return int(sent.status_code)


@pytest.mark.parametrize(
    ("tail", "verb"),
    [
        ("rebalance", "rebalance"),
        ("pause", "pause"),
        ("evict/?member=m-1", "evict"),
        ("pause/?member=m-1", "pause"),
    ],
)
def test_rest_examples_do_what_they_document(tail: str, verb: str, api: Api) -> None:
    write(ODD)
    path, _, query = tail.partition("/")
    shown = visitor(OPERATOR, name="olga").get(page(ODD, path) + query)
    rest = api("rebalance_group", "evict_member", "pause_group")
    assert run(shown, rest) == 202
    operation = Operation.objects.get()
    assert (operation.group_id, operation.verb, operation.reason) == (ODD, verb, "WHY")
    assert operation.member_id == ("m-1" if query else "")


def test_rest_resets_offsets_like_the_page(api: Api) -> None:
    write(ODD, size=0)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset,"
            " leader_epoch, metadata, committed_at) VALUES (%s, 'orders', 0, 5, -1, '', now())",
            [ODD],
        )
    client, rest = visitor(OPERATOR, name="olga"), api("restore_offsets")
    shown = client.post(page(ODD, "reset"), {"to": "shift", "shift": "-2", "reason": "a mistake"})
    assert run(shown, rest) == 202, shown.context["curl"]
    offsets = Operation.objects.get().offsets
    assert offsets is not None and offsets["to"] == [["orders", 0, 3]]


def test_a_repeated_reset_request_returns_the_first_operation(api: Api) -> None:
    """Whatever became of the offsets meanwhile."""
    write("g", size=0)
    commit = (
        "INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch,"
        " metadata, committed_at) VALUES ('g', 'orders', 0, 5, -1, '', now())"
    )
    with connection.cursor() as cursor:
        cursor.execute(commit)
    rest, url = api("restore_offsets"), "/api/v1/groups/g/offsets/resets"
    body = json.dumps({"to": "offset", "offset": 3, "reason": "a mistake"})
    sent: dict[str, Any] = {
        "content_type": "application/json",
        "headers": {"idempotency-key": "k"},
    }
    first = rest.post(url, body, **sent)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_offset SET committed_offset = 3")
    assert rest.post(url, body, **sent).json()["id"] == first.json()["id"]

    refused = rest.post(url, json.dumps({"to": "latest", "reason": "r"}), **sent)
    assert refused.status_code == 400 and "is unknown" in refused.content.decode()


def test_an_eviction_from_a_frozen_group_says_that_its_partitions_stay_unassigned() -> None:
    write("g")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_group_config (group_id, name, slot, value, updated_at)"
            " VALUES ('g', 'rollcall.freeze', 1, 'true', now())"
        )
    shown = text(visitor(OPERATOR, name="olga").get(f"{page('g', 'evict')}?member=m-1"))
    assert "its partitions have no owner until it is thawed" in shown


def test_rest_changes_acls_and_users_like_the_pages(api: Api) -> None:
    administrator = visitor(ADMINISTRATOR, name="olga")
    rest = api("add_acl", "delete_acl", "change_kafkauser")
    assert run(administrator.get("/admin/groups/acl/add/"), rest) == 201
    acl = Acl.objects.get()
    assert run(administrator.get(f"/admin/groups/acl/{acl.pk}/change/"), rest) == 200
    assert not Acl.objects.exists()
    kafka_users.set_password("a/b ü", "first", ["SCRAM-SHA-512"], 4096, user("olga"))
    page = administrator.get("/admin/groups/kafkauser/a_2Fb%20ü/change/")
    assert run(page, rest) == 200
    assert set(KafkaUser.objects.get().mechanisms) == {"SCRAM-SHA-256", "SCRAM-SHA-512"}


def test_rest_sets_quotas_as_documented(api: Api) -> None:
    rest, client = api("change_clientquota"), visitor(ADMINISTRATOR, name="olga")
    assert run(client.get("/admin/groups/quotaentity/add/"), rest) == 200
    row = QuotaEntity.objects.get()
    assert (row.user_name, row.quotas) == ("NAME", {"request_percentage": 20})
    assert run(client.get(f"/admin/groups/quotaentity/{row.pk}/change/"), rest) == 200
