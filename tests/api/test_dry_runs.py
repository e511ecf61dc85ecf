"""``dry_run``: what would happen, and nothing does."""

from typing import Any

import pytest
from django.test import Client

from groups.catalogue import changes as topics
from groups.models import Topic
from tests.api.asked import document, everything, rows
from tests.api.conftest import write

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
