"""Client quotas over REST: the wire's own rules, by another door."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.operations import quota_changes
from console.queries.journal_text import sentence
from groups.core.authors import user
from groups.core.quotas.entities import entity, of_client
from groups.models import AuditEntry, ClientQuota, Journal
from tests.api.conftest import Api
from tests.api.test_kafka_access import send
from tests.as_roles import role

pytestmark = pytest.mark.django_db

ANN = {"user": "ann"}
BOTH = {"user": "ann", "client_id": None}


@pytest.fixture
def keeper(api: Api) -> Client:
    """Who may do all of this."""
    return api("view_clientquota", "change_clientquota", "delete_clientquota")


def put(client: Client, parts: Any, quotas: Any, query: str = "", status: int = 200) -> Any:
    """The answer's JSON."""
    return send(client, "PUT", f"quotas{query}", {"entity": parts, "quotas": quotas}, status)


def listed(client: Client, query: str = "") -> list[tuple[Any, Any]]:
    """What the list has: entities and their quotas."""
    return [(row["entity"], row["quotas"]) for row in send(client, "GET", f"quotas{query}")["data"]]


def test_quotas_are_set_listed_and_removed_with_their_author(keeper: Client) -> None:
    made = put(keeper, BOTH, {"producer_byte_rate": 1000, "request_percentage": 12.5})
    assert made["entity"] == BOTH and made["updated_at"]
    assert made["quotas"] == {"producer_byte_rate": 1000, "request_percentage": 12.5}
    again = put(keeper, BOTH, {"request_percentage": 20, "producer_byte_rate": 1000})
    assert again["quotas"] == {"producer_byte_rate": 1000, "request_percentage": 20}
    one = "quotas?user=ann&default=client_id&key=producer_byte_rate"
    assert send(keeper, "DELETE", one)["quotas"] == {"producer_byte_rate": 1000}
    assert listed(keeper) == [(BOTH, {"request_percentage": 20})]
    gone = send(keeper, "DELETE", "quotas?user=ann&default=client_id")
    assert gone["quotas"] == {"request_percentage": 20} and not ClientQuota.objects.exists()

    entries = Journal.objects.filter(kind__startswith="quota-").order_by("id")
    who = entries[0].details["author"]["user"]
    of = "of client-id (default), user ann"
    assert [sentence(entry) for entry in entries] == [
        f"{who} set the quota producer_byte_rate {of} to 1000 (was not set).",
        f"{who} set the quota request_percentage {of} to 12.5 (was not set).",
        f"{who} set the quota request_percentage {of} to 20 (was 12.5).",
        f"{who} removed the quota producer_byte_rate {of} (was 1000).",
        f"{who} removed the quota request_percentage {of} (was 20).",
    ]
    kinds = AuditEntry.objects.filter(kind__startswith="quota-", who=who)
    assert kinds.count() == 5 and {entry.node_id for entry in entries} == {-1}


def test_the_web_changes_quotas_through_functions_only(keeper: Client) -> None:
    connection.ensure_connection()
    with role("rollcall_web"):
        assert quota_changes.alter(of_client("ann"), {"request_percentage": 1}, user("olga"))
        assert not quota_changes.alter(of_client("ann"), {"request_percentage": 1}, user("olga"))
        assert quota_changes.alter(of_client("ann"), {"request_percentage": None}, user("olga"))
    assert listed(keeper) == []


def test_the_list_is_filtered_by_the_parts_of_entities(keeper: Client) -> None:
    each: list[dict[str, Any]] = [
        ANN,
        {"user": None},
        BOTH,
        {"client_id": "user"},
        {"ip": "10.0.0.1"},
        {"ip": None},
    ]
    for parts in each:
        key = "connection_creation_rate" if "ip" in parts else "request_percentage"
        put(keeper, parts, {key: 5})

    def found(query: str) -> list[Any]:
        return [parts for parts, _ in listed(keeper, query)]

    assert len(found("")) == 6
    assert found("?user=ann") == [BOTH, ANN]
    assert found("?default=user") == [{"user": None}]
    assert found("?user=ann&default=client_id") == [BOTH]
    assert found("?default=user,client_id") == [] and found("?client_id=user") == [each[3]]
    assert found("?default=ip") == [{"ip": None}] and found("?ip=10.0.0.1") == [each[4]]
    first = send(keeper, "GET", "quotas?page_size=4")
    rest = keeper.get(first["next"]).json()
    assert [row["entity"] for row in [*first["data"], *rest["data"]]] == found("")


def test_a_dry_run_changes_nothing(keeper: Client) -> None:
    put(keeper, ANN, {"consumer_byte_rate": 9})
    would = put(keeper, ANN, {"request_percentage": 5}, "?dry_run=true")
    assert would["quotas"] == {"consumer_byte_rate": 9, "request_percentage": 5}
    gone = send(keeper, "DELETE", "quotas?user=ann&dry_run=true")
    assert gone["quotas"] == {"consumer_byte_rate": 9}
    new = put(keeper, {"ip": None}, {"connection_creation_rate": 5}, "?dry_run=true")
    assert new["updated_at"] is None
    assert listed(keeper) == [(ANN, {"consumer_byte_rate": 9})]


@pytest.mark.parametrize(
    ("parts", "quotas", "code"),
    [
        ({}, {"request_percentage": 1}, "invalid_request"),
        (ANN, {}, "invalid_request"),
        ({"user": ""}, {"request_percentage": 1}, "invalid"),
        ({"ip": "10.0.0.1", "user": "ann"}, {"request_percentage": 1}, "invalid_request"),
        ({"ip": "localhost"}, {"connection_creation_rate": 1}, "invalid_request"),
        ({"ip": None}, {"request_percentage": 1}, "invalid_request"),
        (ANN, {"connection_creation_rate": 1}, "invalid_request"),
        (ANN, {"request_percentage": 0}, "invalid_request"),
        (ANN, {"request_percentage": -1}, "invalid_request"),
        (ANN, {"producer_byte_rate": 1.5}, "invalid_request"),
        (ANN, {"producer_byte_rate": 1e300}, "invalid_request"),
        ({"user": "\u00e9" * 600}, {"request_percentage": 1}, "invalid_request"),
        ({"user": "a\0b"}, {"request_percentage": 1}, "invalid"),
        (ANN, {"request_percentage": "1"}, "invalid"),
        (ANN, {"request_percentage": None}, "invalid"),
        (ANN, {"request_rate": 1}, "invalid"),
        ({"group": "g"}, {"request_percentage": 1}, "invalid"),
    ],
)
def test_an_invalid_quota_is_refused(keeper: Client, parts: Any, quotas: Any, code: str) -> None:
    for query in ("", "?dry_run=true"):
        assert put(keeper, parts, quotas, query, 400)["code"] == code
    assert not ClientQuota.objects.exists()


def test_a_quota_of_rest_is_finite_and_one_of_the_wire_need_not_be(keeper: Client) -> None:
    body = json.dumps({"entity": ANN, "quotas": {"request_percentage": 1}}).replace("1}", "1e999}")
    answer = keeper.put("/api/v1/quotas", body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == "#/quotas/request_percentage"
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_quota VALUES ('user', 'ann', '', '', 'request_percentage',"
            " 'Infinity', now())"
        )
    assert listed(keeper) == [(ANN, {"request_percentage": None})]
    assert send(keeper, "DELETE", "quotas?user=ann")["quotas"] == {"request_percentage": None}


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("", 400, "invalid_request"),
        ("?user=ann&ip=10.0.0.1", 400, "invalid_request"),
        ("?user=ann&default=user", 400, "invalid"),
        ("?default=group", 400, "invalid"),
        ("?user=ben", 404, "not_found"),
        ("?user=ann&default=client_id", 404, "not_found"),
        ("?user=ann&key=request_percentage", 404, "not_found"),
        ("?user=ann&key=no", 400, "invalid"),
    ],
)
def test_a_missing_quota_is_not_removed(keeper: Client, query: str, status: int, code: str) -> None:
    put(keeper, ANN, {"consumer_byte_rate": 9})
    assert send(keeper, "DELETE", f"quotas{query}", None, status)["code"] == code
    assert ClientQuota.objects.count() == 1


def test_the_number_of_quotas_is_limited(keeper: Client, settings: Any) -> None:
    settings.CLIENT_QUOTAS_MAX = 1
    put(keeper, ANN, {"consumer_byte_rate": 9})
    more = put(keeper, ANN, {"request_percentage": 9}, "", 400)
    assert more["code"] == "policy_violation" and "client.quotas.max" in more["detail"]
    put(keeper, ANN, {"consumer_byte_rate": 10})
    row = quota_changes.existing(entity({"user": "ann"}))
    assert row is not None and row.quotas == {"consumer_byte_rate": 10}
