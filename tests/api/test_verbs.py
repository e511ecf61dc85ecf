"""What may be asked of groups and topics over REST; each answer is an operation or a problem."""

import time
from collections.abc import Callable
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client

from console.api import asking
from groups.models import ApiToken, Operation
from tests.api.conftest import Api, write
from tests.model_factories import OperationFactory

pytestmark = pytest.mark.django_db

REASON = {"reason": "a new deployment"}
RESET = {**REASON, "to": "offset", "offset": 0}
OFFSETS = {
    "reset-offsets": ("offsets/resets", RESET),
    "restore-offsets": ("offsets/restores", {**REASON, "to": "2026-11-25T12:00:00Z"}),
    "drain": ("members/m-1/drain", REASON),
    "undrain": ("members/m-1/undrain", REASON),
}


@pytest.fixture
def operator(api: Api) -> Client:
    """Somebody who may ask for everything."""
    return api(
        "view_group",
        "view_operation",
        "rebalance_group",
        "restore_offsets",
        "evict_member",
        "freeze_group",
        "delete_group",
        "view_topic",
        "add_topic",
        "change_topic",
    )


def post(client: Client, path: str, body: Any = None, **headers: str) -> Any:
    """A request with a JSON body."""
    return client.post(
        f"/api/v1{path}", body or {}, content_type="application/json", headers=headers
    )


def test_a_forced_rebalance_creates_an_operation(operator: Client) -> None:
    write("g")
    answer = post(operator, "/groups/g/rebalances", {**REASON, "expected_generation": 1})

    assert answer.status_code == 202
    operation = Operation.objects.get()
    assert (operation.group_id, operation.verb, operation.reason) == (
        "g",
        "rebalance",
        "a new deployment",
    )
    assert (operation.expected_generation, operation.state) == (1, "pending")
    assert answer.headers["Location"] == f"/api/v1/operations/{operation.pk}"
    assert operator.get(answer.headers["Location"]).json()["id"] == operation.pk


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": "   "}, {"reason": "x" * 1_001}])
def test_a_request_without_a_reason_is_refused(operator: Client, body: Any) -> None:
    write("g")
    answer = post(operator, "/groups/g/rebalances", body)

    assert answer.status_code == 400
    assert [error["pointer"] for error in answer.json()["errors"]] == ["#/reason"]
    assert not Operation.objects.exists()


def test_an_invalid_json_body_is_a_problem_document(operator: Client) -> None:
    write("g")
    answer = operator.post("/api/v1/groups/g/rebalances", "{", content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "parse_error")


def test_the_same_key_creates_one_operation(operator: Client) -> None:
    write("g")
    key = {"Idempotency-Key": uuid4().hex}
    first = post(operator, "/groups/g/rebalances", REASON, **key)
    again = post(operator, "/groups/g/rebalances", REASON, **key)

    assert first.json()["id"] == again.json()["id"]
    assert again.headers["Idempotency-Replayed"] == "true"
    other = post(operator, "/groups/g/rebalances", {"reason": "another"}, **key)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


FIELDS: list[tuple[str, Any]] = [
    ("/groups/g/rebalances", {"reason": "another"}),
    ("/groups/g/rebalances", {**REASON, "expected_generation": 1}),
    ("/groups/other/rebalances", REASON),
    ("/groups/g/offsets/restores", {**REASON, "to": "2026-01-31T12:00:00Z"}),
]


@pytest.mark.parametrize(("path", "body"), FIELDS)
def test_a_key_reused_for_another_request_is_refused(
    operator: Client, path: str, body: Any
) -> None:
    write("g", "other")
    key = {"Idempotency-Key": "deploy-17"}
    post(operator, "/groups/g/rebalances", REASON, **key)
    answer = post(operator, path, body, **key)

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert Operation.objects.count() == 1


FROZEN = """
INSERT INTO rollcall_group_config (group_id, slot, name, value, updated_at)
VALUES ('gone', 0, 'rollcall.freeze', 'true', now())
"""


def test_a_deleted_group_can_be_thawed_but_not_frozen(operator: Client) -> None:
    """Who comes later would find it frozen."""
    assert post(operator, "/groups/gone/freeze", REASON).status_code == 404
    assert post(operator, "/groups/gone/thaw", REASON).status_code == 404
    with connection.cursor() as cursor:
        cursor.execute(FROZEN)
    assert post(operator, "/groups/gone/thaw", REASON).status_code == 202


def test_a_key_evicts_one_member(operator: Client) -> None:
    write("g")
    path = "/api/v1/groups/g/members"
    key = {"idempotency-key": "k"}
    assert operator.delete(f"{path}/m-0?reason=stuck", headers=key).status_code == 202
    assert operator.delete(f"{path}/m-1?reason=stuck", headers=key).status_code == 422


def test_keys_are_per_user(operator: Client, api: Api) -> None:
    write("g")
    key = {"Idempotency-Key": "deploy-17"}
    other = api("rebalance_group")
    ids = {
        post(who, "/groups/g/rebalances", REASON, **key).json()["id"] for who in (operator, other)
    }
    assert len(ids) == 2


def test_a_replay_finds_its_operation_whatever_happened_to_the_group(operator: Client) -> None:
    """The rebalance in progress may be the one that it requested."""
    write("rebalancing", state="PreparingRebalance")
    made = OperationFactory.create(
        group_id="rebalancing",
        reason=REASON["reason"],
        idempotency_key=f"{operator.get('/api/v1/me').json()['username']}:k",
        state="succeeded",
        generation=7,
    )
    body = {**REASON, "on_in_progress": "reject"}
    again = post(operator, "/groups/rebalancing/rebalances", body, **{"Idempotency-Key": "k"})

    assert (again.status_code, again.json()["id"], again.json()["generation"]) == (200, made.pk, 7)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Retry-After" not in again.headers


def ended(group_id: str, **over: Any) -> Operation:
    """An operation requested with the key "k", in the state in which its owner left it."""
    made = {"group_id": group_id, "reason": REASON["reason"], **over}
    return OperationFactory.create(idempotency_key="API token:k", **made)


def test_a_failed_operation_can_be_requested_again(settings: Any) -> None:
    settings.API_TOKEN = "the-token"
    client = Client(headers={"authorization": "Bearer the-token"})
    write("g")
    failed = ended("g", state="failed", detail="the group has no members")
    headers = {"Idempotency-Key": "k", "Prefer": "wait=20"}
    answer = post(client, "/groups/g/rebalances", REASON, **headers)

    assert answer.status_code == 409
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Location"] == f"/api/v1/operations/{failed.pk}"
    assert answer.headers["Idempotency-Replayed"] == "true"
    problem = answer.json()
    assert (problem["status"], problem["code"]) == (409, "operation_failed")
    assert problem["detail"] == "The operation failed: the group has no members."
    assert problem["operation"] == client.get(answer.headers["Location"]).json()
    assert (problem["operation"]["state"], problem["operation"]["outcome"]) == ("failed", None)


@pytest.mark.parametrize("outcome", ["changed", "unchanged"])
def test_a_succeeded_operation_says_whether_it_had_an_effect(settings: Any, outcome: str) -> None:
    settings.API_TOKEN = "the-token"
    client = Client(headers={"authorization": "Bearer the-token"})
    write("g")
    ended("g", state="succeeded", outcome=outcome)
    answer = post(client, "/groups/g/rebalances", REASON, **{"Idempotency-Key": "k"})
    assert (answer.status_code, answer.json()["outcome"]) == (200, outcome)


@pytest.mark.parametrize("key", ["", "   ", "x" * 256])
def test_an_invalid_key_is_refused(operator: Client, key: str) -> None:
    write("g")
    answer = post(operator, "/groups/g/rebalances", REASON, **{"Idempotency-Key": key})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert not Operation.objects.exists()


def test_prefer_wait_is_bounded(operator: Client) -> None:
    """Nobody owns the group, so the operation does not end."""
    write("g")
    prefer = {"Prefer": "respond-async, wait=1"}
    answer = post(operator, "/groups/g/rebalances", REASON, **prefer)
    assert (answer.status_code, answer.headers["Preference-Applied"]) == (202, "wait=1")


def revoke(token: ApiToken) -> None:
    token.delete()


def make_inactive(token: ApiToken) -> None:
    get_user_model().objects.filter(pk=token.user_id).update(is_active=False)


def take_rights(token: ApiToken) -> None:
    token.user.user_permissions.clear()


@pytest.mark.parametrize("ends", [revoke, make_inactive, take_rights])
def test_a_waiting_user_who_loses_the_right_stops_waiting(
    operator: Client, monkeypatch: pytest.MonkeyPatch, ends: Callable[[ApiToken], None]
) -> None:
    """Its token, its user or its right ends while it waits for an operation."""
    write("g")
    looked: list[float] = []

    def look(_seconds: float) -> None:
        if not looked:
            ends(ApiToken.objects.get())
        looked.append(_seconds)

    monkeypatch.setattr(asking, "RIGHTS_S", 0.0)
    monkeypatch.setattr(time, "sleep", look)
    answer = post(operator, "/groups/g/rebalances", REASON, Prefer="wait=20")
    assert answer.status_code == HTTPStatus.FORBIDDEN
    assert len(looked) == 1


def test_a_waiting_user_who_keeps_the_right_waits_on(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("g")
    monkeypatch.setattr(asking, "RIGHTS_S", 0.0)
    answer = post(operator, "/groups/g/rebalances", REASON, Prefer="wait=1")
    assert answer.status_code == HTTPStatus.ACCEPTED


@pytest.mark.parametrize("prefer", ["", "wait", "wait=", "wait=soon", "wait=-1", "wait=0", ",=;"])
def test_an_invalid_preference_is_answered_at_once(operator: Client, prefer: str) -> None:
    write("g")
    answer = post(operator, "/groups/g/rebalances", REASON, Prefer=prefer)
    assert answer.status_code == 202
    assert "Preference-Applied" not in answer.headers


def test_waiting_requests_above_the_maximum_are_answered_at_once(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("g")
    monkeypatch.setattr(asking, "_seats", BoundedSemaphore(1))
    with asking._seats:
        answer = post(operator, "/groups/g/rebalances", REASON, Prefer="wait=20")
    assert (answer.status_code, answer.headers["Retry-After"]) == (202, "1")
    assert "Preference-Applied" not in answer.headers


def test_a_rebalance_in_progress_can_be_made_a_reason_to_refuse(operator: Client) -> None:
    write("g", state="PreparingRebalance")
    body = {**REASON, "on_in_progress": "reject"}
    assert post(operator, "/groups/g/rebalances", body).status_code == 409
    assert post(operator, "/groups/g/rebalances", REASON).status_code == 202


def test_an_eviction_creates_an_operation(operator: Client) -> None:
    write("g")
    gone = operator.delete("/api/v1/groups/g/members/m-1?reason=stuck")
    assert gone.status_code == 202
    assert (gone.json()["verb"], gone.json()["member_id"]) == ("evict", "m-1")
    assert operator.delete("/api/v1/groups/g/members/nobody?reason=stuck").status_code == 404
    assert operator.delete("/api/v1/groups/g/members/m-1").status_code == 400
    said = operator.delete("/api/v1/groups/g/members/m-1", REASON, content_type="application/json")
    assert said.json()["reason"] == REASON["reason"]


def test_offsets_of_a_past_time_can_be_requested(operator: Client) -> None:
    write("g", size=0)
    said = {**REASON, "to": "2026-01-31T12:00:00+01:00"}
    answer = post(operator, "/groups/g/offsets/restores", said)
    assert answer.status_code == 202
    shown = (answer.json()["verb"], answer.json()["restore_to"])
    assert shown == ("restore-offsets", "2026-01-31T11:00:00Z")
    assert post(operator, "/groups/missing/offsets/restores", said).status_code == 404


def test_operations_are_filtered_by_group_and_state(operator: Client) -> None:
    write("g", "other")
    for group_id in ("g", "other", "g"):
        post(operator, f"/groups/{group_id}/rebalances", REASON)

    def found(query: str) -> list[str]:
        listed = operator.get(f"/api/v1/operations?{query}").json()["data"]
        return [operation["group_id"] for operation in listed]

    assert found("") == ["g", "other", "g"]
    assert found("group_id=g&state=pending") == ["g", "g"]
    assert found("state=succeeded") == []


def test_a_viewer_cannot_request_operations(viewer: Client) -> None:
    write("g")
    assert post(viewer, "/groups/g/rebalances", REASON).status_code == 403
    assert viewer.delete("/api/v1/groups/g/members/m-1?reason=x").status_code == 403
    assert post(viewer, "/topics", {"name": "t", "partitions": 1}).status_code == 403
    assert not Operation.objects.exists()


def test_topics_are_created_and_grown(operator: Client) -> None:
    made = post(operator, "/topics", {"name": "orders", "partitions": 3})
    assert (made.status_code, made.json()["partitions"]) == (201, 3)

    grown = operator.patch(
        "/api/v1/topics/orders", {"partitions": 5}, content_type="application/json"
    )
    assert grown.json()["partitions"] == 5
    assert operator.get("/api/v1/topics/orders").json()["partitions"] == 5
    listed = operator.get("/api/v1/topics?q=ord").json()["data"]
    assert [topic["name"] for topic in listed] == ["orders"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"name": "orders", "partitions": 1}, 409, 36),
        ({"name": "a b", "partitions": 1}, 400, 17),
        ({"name": "t", "partitions": 0}, 400, 37),
    ],
)
def test_an_invalid_topic_gets_a_reason(
    operator: Client, body: Any, status: int, code: int
) -> None:
    post(operator, "/topics", {"name": "orders", "partitions": 3})
    answer = post(operator, "/topics", body)
    assert (answer.status_code, answer.json()["kafka_error_code"]) == (status, code)


def test_a_topic_has_its_partitions_and_their_leaders(operator: Client) -> None:
    post(operator, "/topics", {"name": "orders", "partitions": 3})
    path = "/api/v1/topics/orders/racks"

    placed = operator.put(path, {"racks": [["a", "b"], []]}, content_type="application/json")

    assert (placed.status_code, placed.json().get("racks")) == (200, [["a", "b"], []]), (
        placed.json()
    )
    for wrong in ([["a"]] * 4, [["a" * 250]], [[" "]], [[str(n) for n in range(17)]]):
        refused = operator.put(path, {"racks": wrong}, content_type="application/json")
        assert refused.status_code == 400, wrong
    nowhere = operator.put(
        "/api/v1/topics/none/racks", {"racks": []}, content_type="application/json"
    )
    assert nowhere.status_code == 404


def test_a_topic_has_a_journal(operator: Client) -> None:
    name = operator.get("/api/v1/me").json()["username"]
    post(operator, "/topics", {"name": "orders", "partitions": 3})
    post(operator, "/topics", {"name": "other", "partitions": 1})
    racks = {"racks": [["a"]]}
    operator.put("/api/v1/topics/orders/racks", racks, content_type="application/json")

    placed, made = operator.get("/api/v1/topics/orders/journal").json()["data"]
    assert (made["kind"], placed["kind"]) == ("topic-created", "topic-placed")
    assert made["details"]["author"] == placed["details"]["author"] == {"user": name}
    assert (placed["details"]["before"], placed["details"]["after"]) == ({"racks": []}, racks)
    assert made["sentence"] == f"{name} created the topic orders (3 partitions)."
    assert placed["sentence"] == f"{name} set the racks of the topic orders."
    assert operator.get("/api/v1/topics/none/journal").json()["data"] == []


def test_topics_cannot_shrink(operator: Client) -> None:
    post(operator, "/topics", {"name": "orders", "partitions": 3})
    answer = operator.patch(
        "/api/v1/topics/orders", {"partitions": 2}, content_type="application/json"
    )
    assert answer.status_code == 400
    assert answer.json()["detail"] == "The topic has 3 partitions already; 2 would be no increase."


def test_unknown_paths_and_methods_are_refused(operator: Client) -> None:
    assert operator.get("/api/v1/nothing").json()["code"] == "not_found"
    assert operator.put("/api/v1/topics").json()["code"] == "method_not_allowed"


FREEZE = (
    "INSERT INTO rollcall_group_config (group_id, slot, name, value, updated_at, until)"
    " VALUES ('g', 0, 'rollcall.freeze', 'true', now(), '2999-01-01 10:00Z')"
)
END = "2999-01-01T10:00:00Z"


def tried(client: Client, tail: str, **body: Any) -> tuple[str, str]:
    """Outcome and sentences of a dry run."""
    answer = post(client, f"/groups/g/{tail}?dry_run=true", {**REASON, **body})
    assert answer.status_code == 200, answer.content
    document = answer.json()
    assert document["dry_run"] and document["group_id"] == "g"
    return document["would"], document["detail"]


def test_a_dry_run_reports_and_changes_nothing(operator: Client) -> None:
    write("g", size=1)
    assert tried(operator, "thaw") == ("leave", "The group is not frozen.")
    outcome, said = tried(operator, "freeze", until=END)
    assert outcome == "change" and "until 2999-01-01 10:00 UTC. 1 member keeps its" in said
    with connection.cursor() as cursor:
        cursor.execute(FREEZE)
    assert tried(operator, "freeze", until=END)[0] == "leave"
    assert tried(operator, "freeze")[0] == "change"
    assert tried(operator, "thaw")[0] == "change"
    path = "/api/v1/groups/g?dry_run=true&reason=old"
    assert operator.delete(path).json()["would"] == "fail"
    write("empty", size=0)
    body = operator.delete(path.replace("/g?", "/empty?")).json()
    assert body["would"] == "change" and "0 committed offsets" in body["detail"]
    assert operator.delete(path.replace("/g?", "/gone?")).status_code == 404
    assert not Operation.objects.exists()
    (listed,) = (one for one in operator.get("/api/v1/groups").json()["data"] if one["frozen"])
    assert listed["frozen_until"] == END


def test_the_end_of_a_freeze_must_be_in_the_future(operator: Client) -> None:
    write("g")
    past = post(operator, "/groups/g/freeze", {**REASON, "until": "2001-01-01T00:00:00Z"})
    assert past.status_code == 400 and "That time has passed." in past.content.decode()
    made = post(operator, "/groups/g/freeze", {**REASON, "until": END})
    assert made.status_code == 202 and made.json()["until"] == END
