"""``dry_run``: what would happen, and nothing does."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client

from console.operations import acl_changes, kafka_users
from console.operations import topic_changes as topics
from console.people import api_tokens, rights
from groups.core.acls.bindings import AclOperation, Binding, PatternType, Permission, ResourceType
from groups.core.authors import user
from groups.models import Topic
from tests.api.asked import document, everything, rows
from tests.api.conftest import Api, write

pytestmark = pytest.mark.django_db


@pytest.fixture
def anybody(settings: Any) -> Client:
    """Somebody with every right."""
    settings.API_TOKEN = "the-token"
    return Client(headers={"authorization": "Bearer the-token"})


def tried() -> list[Any]:
    """A right request for each operation that changes something, with ``dry_run``."""
    known = {
        told["operationId"]: {p["name"] for p in told.get("parameters", ())}
        for methods in document()["paths"].values()
        for method, told in methods.items()
        if method not in ("get", "head")
    }
    dry = {"dry_run": "true"}
    asked = {each.operation_id: each for each in everything()}
    return [
        asked[name].but(query={**asked[name].query, **dry})
        for name, parameters in known.items()
        if "dry_run" in parameters
    ]


def test_a_dry_run_reports_the_effect_and_does_nothing(anybody: Client, broker: Any) -> None:
    asked = tried()
    assert len(asked) > 40
    before = rows()
    for each in asked:
        if each.operation_id == "place_topic":
            each = each.but(body={"racks": [["a"], [], []]})
        answer = each.send(anybody)
        assert answer.status_code == 200, (each, answer.content)
        assert answer.json().get("dry_run") is True, (each, answer.content)
    assert rows() == before
    assert broker.qsize() == 0


def test_every_write_has_a_dry_run() -> None:
    names = {
        told["operationId"]
        for methods in document()["paths"].values()
        for method, told in methods.items()
        if method not in ("get", "head")
    }
    assert names == {each.operation_id for each in tried()}


def test_a_dry_run_of_a_rebalance_that_would_fail_gives_the_reason(anybody: Client) -> None:
    write("g", size=2)
    write("empty", size=0)
    generation = anybody.get("/api/v1/groups/g").json()["generation"]
    for group_id, body, would in (
        ("g", {}, "change"),
        ("g", {"expected_generation": generation}, "change"),
        ("g", {"expected_generation": generation + 1}, "fail"),
        ("empty", {}, "fail"),
    ):
        told = anybody.post(
            f"/api/v1/groups/{group_id}/rebalances?dry_run=true",
            {"reason": "try", **body},
            content_type="application/json",
        ).json()
        assert told["would"] == would, told
        assert told["members_count"] == (2 if group_id == "g" else 0)


def test_an_invalid_topic_is_refused_in_a_dry_run_too(anybody: Client) -> None:
    topics.create("orders", 3)
    for name, partitions, status in (("orders", 3, 409), ("a b", 3, 400), ("new", 0, 400)):
        answer = anybody.post(
            "/api/v1/topics?dry_run=true",
            {"name": name, "partitions": partitions},
            content_type="application/json",
        )
        assert answer.status_code == status, answer.content
    assert Topic.objects.count() == 1


def test_dry_run_is_a_boolean(anybody: Client) -> None:
    write("g")
    for word in ("", "1", "yes"):
        url = f"/api/v1/groups/g/rebalances?dry_run={word}"
        answer = anybody.post(url, {"reason": "try"}, content_type="application/json")
        assert answer.status_code == 400, word


def test_a_created_topic_has_a_location(anybody: Client) -> None:
    made = anybody.post(
        "/api/v1/topics", {"name": "a..b", "partitions": 1}, content_type="application/json"
    )
    assert (made.status_code, made.headers["Location"]) == (201, "/api/v1/topics/a..b")
    assert anybody.get(made.headers["Location"]).json() == made.json()


# -- Tokens without the scope read ------------------------------------------------------------

HIDDEN = "hidden"
"""A part of every name that no request has."""


@pytest.fixture
def blind(settings: Any) -> Client:
    """A token that may change everything, and read nothing."""
    root = get_user_model().objects.create_superuser("root")
    scopes = [scope for scope in rights.SCOPES if scope != "read"]
    _, secret = api_tokens.issue(root, "automation", scopes=scopes)
    return Client(headers={"authorization": f"Bearer {secret}"})


def hide() -> None:
    """Rows of every kind whose names a request could match."""
    write("hidden-1", "hidden-2")
    topics.create("hidden-topic", 1)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset,"
            " leader_epoch, metadata, committed_at) VALUES ('hidden-1', 'orders', 0, 1, -1, '',"
            " now())"
        )
    author = user("olga")
    place = (ResourceType.TOPIC, "hidden-name", PatternType.LITERAL)
    acl = Binding(*place, "User:hidden", "*", AclOperation.READ, Permission.ALLOW)
    acl_changes.create(acl, author)
    kafka_users.set_password("hidden-user", "a password", ["SCRAM-SHA-256"], 4096, author)


def test_a_dry_run_is_refused_to_who_may_not_read(blind: Client, broker: Any) -> None:
    """It listed the groups that a filter matches."""
    asked, before = tried(), rows()
    for each in asked:
        answer = each.send(blind)
        assert answer.status_code == 403, (each, answer.content)
        assert "A dry run shows" in answer.json()["detail"]
    assert rows() == before


WIDE = {"q": ""}
"""Every group matches."""


def test_a_change_names_nothing_to_who_may_not_read(blind: Client, broker: Any) -> None:
    asked = [each for each in everything() if each.method != "GET"]
    hide()
    for each in asked:
        if each.path.startswith("/api/v1/groups:"):
            each = each.but(query=WIDE)
        if each.operation_id == "delete_acls":
            each = each.but(query={"resource_type": "ANY"})
        answer = each.send(blind)
        assert answer.status_code < 500 and answer.status_code != 403, (each, answer.content)
        assert HIDDEN not in answer.content.decode(), each


def test_the_names_are_there_for_who_may_read(anybody: Client) -> None:
    """That the test above can fail."""
    hide()
    reason = {"reason": "try"}
    for path, body in (("groups:pause?q=", reason), ("topics?", {"name": "x", "partitions": 1})):
        answer = anybody.post(f"/api/v1/{path}", body, content_type="application/json")
        assert (HIDDEN in answer.content.decode()) == (path != "topics?"), answer.content
    acls = anybody.delete("/api/v1/acls?resource_type=ANY&dry_run=true").json()
    assert HIDDEN in str(acls["acls"]) and acls["count"] == len(acls["acls"])


@pytest.mark.parametrize("named", [True, False])
def test_groups_of_a_topic_are_named_to_who_may_see_groups(api: Api, named: bool) -> None:
    topics.create("orders", 1)
    hide()
    client = api("view_topic", "change_topic", *(["view_group"] if named else []))
    path = "/api/v1/topics/orders?dry_run=true"
    answer = client.patch(path, {"partitions": 9}, content_type="application/json")
    assert answer.status_code == 200 and (HIDDEN in answer.content.decode()) == named


def test_what_a_dry_run_shows_has_a_right() -> None:
    """Of every route with a change, also of a new one."""
    for route, row in rights.REST.items():
        if row.keys() != {"GET"}:
            needed = rights.seen_at(f"api/v1/{route}")
            assert needed.partition(".")[2].startswith("view_"), route
