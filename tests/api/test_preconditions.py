"""``If-Match``: a write happens if its group or topic is still as the caller has seen it."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.operations import topic_changes as topics
from groups.models import Operation
from tests.api.asked import everything, rows
from tests.api.conftest import Api, write

pytestmark = pytest.mark.django_db

REASON = {"reason": "a new deployment"}


def changed() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_group SET revision = revision + 1")


def post(client: Client, path: str, tag: str, **headers: str) -> Any:
    more = {"if-match": tag, **headers}
    return client.post(path, REASON, content_type="application/json", headers=more)


def test_a_write_to_a_changed_group_fails_its_precondition(api: Api) -> None:
    write("g")
    client = api("view_group", "rebalance_group", "pause_group")
    seen = client.get("/api/v1/groups/g").headers["ETag"]
    assert seen.startswith('"2.')
    changed()

    refused = post(client, "/api/v1/groups/g/rebalances", seen)
    assert (refused.status_code, refused.json()["code"]) == (412, "precondition_failed")
    assert not Operation.objects.exists()

    now = client.get("/api/v1/groups/g").headers["ETag"]
    for tag in (now, f"W/{now}", f'"x", {now}', '"3"', "*"):
        assert post(client, "/api/v1/groups/g/pause", tag).status_code == 202, tag
    for tag in ('""', '"30"', '"x"', '"*"', '"30", "x"'):
        assert post(client, "/api/v1/groups/g/pause", tag).status_code == 412, tag
    for tag in ("", "3", '"3', "*, *", '"3" "4"'):
        assert post(client, "/api/v1/groups/g/pause", tag).status_code == 400, tag


def test_state_that_is_not_versioned_does_not_fail_a_precondition(api: Api) -> None:
    write("g")
    client = api("view_group")
    before = client.get("/api/v1/groups/g").headers["ETag"]
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_member SET client_host = '/10.0.0.9'")
    after = client.get("/api/v1/groups/g").headers["ETag"]
    assert before != after
    assert before.partition(".")[0] == after.partition(".")[0]
    known = client.get("/api/v1/groups/g", headers={"if-none-match": after})
    assert known.status_code == 304


def test_a_replay_returns_the_first_response(api: Api) -> None:
    write("g")
    client = api("view_group", "rebalance_group")
    seen = client.get("/api/v1/groups/g").headers["ETag"]
    first = post(client, "/api/v1/groups/g/rebalances", seen, **{"idempotency-key": "k"})
    changed()
    again = post(client, "/api/v1/groups/g/rebalances", seen, **{"idempotency-key": "k"})
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json()["id"] == first.json()["id"]


def test_a_write_to_a_grown_topic_fails_its_precondition(api: Api) -> None:
    topics.create("orders", 3)
    client = api("view_topic", "change_topic")
    seen = client.get("/api/v1/topics/orders").headers["ETag"]
    topics.grow("orders", 4)
    for tag, status in ((seen, 412), ("*", 200)):
        answer = client.patch(
            "/api/v1/topics/orders",
            {"partitions": 6},
            content_type="application/json",
            headers={"if-match": tag},
        )
        assert answer.status_code == status


def test_every_write_reads_its_precondition(settings: Any, broker: Any) -> None:
    """Each operation of the document, one that comes to it as well."""
    settings.API_TOKEN = "the-token"
    asked = [each for each in everything() if each.method not in ("GET", "HEAD")]
    assert len(asked) > 20
    before = rows()
    for each in asked:
        client = Client(headers={"authorization": "Bearer the-token", "if-match": '"none"'})
        assert each.send(client).status_code == 412, each
    assert rows() == before
    assert broker.qsize() == 0
