"""Groups over REST: the list, one of them, its journal, and what it costs."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.operations import requests
from console.operations import topic_changes as changes
from console.queries import group_rows
from tests.admin.test_group_list import counted, work
from tests.api.conftest import Api, write
from tests.model_factories import ReportRunFactory

QUERIES_MAX = 15
SENTENCE = (
    "Rebalanced to generation 2 in 1.2 s because member worker-9 left: 'consumer closed';"
    " waited 1.2 s for a-client."
)


def get(client: Client, path: str, status: int = 200) -> Any:
    """The answer's JSON."""
    answer = client.get(f"/api/v1{path}")
    assert answer.status_code == status, answer.content
    return answer.json()


def test_groups_are_paginated_by_id(viewer: Client) -> None:
    write(*(f"g-{n}" for n in range(5)))

    first = get(viewer, "/groups?page_size=2")
    assert [group["group_id"] for group in first["data"]] == ["g-0", "g-1"]
    assert first["previous"] is None

    second = viewer.get(first["next"]).json()
    assert [group["group_id"] for group in second["data"]] == ["g-2", "g-3"]
    assert viewer.get(second["previous"]).json()["data"] == first["data"]


def test_a_group_in_the_list_has_its_rebalance_cause(viewer: Client) -> None:
    write("g")
    (group,) = get(viewer, "/groups")["data"]

    assert (group["state"], group["type"], group["member_count"]) == ("Stable", "classic", 2)
    newest = group["last_rebalance"]
    assert newest.pop("at")
    assert newest == {
        "trigger": "member-left",
        "reason": "a member left",
        "client_reason": "consumer closed",
        "sentence": SENTENCE,
        "duration_ms": 1_200,
    }


def test_groups_are_filtered(viewer: Client) -> None:
    write("orders-a", "orders-b")
    write("empty", size=0)

    def found(query: str) -> list[str]:
        return [group["group_id"] for group in get(viewer, f"/groups?{query}")["data"]]

    assert found("q=ORDERS") == ["orders-a", "orders-b"]
    assert found("state=empty") == ["empty"]
    assert found("type=consumer") == []
    assert found("state=Stable&q=b") == ["orders-b"]


def test_one_group_is_returned_with_its_members(viewer: Client) -> None:
    write("g")
    group = get(viewer, "/groups/g")

    assert (group["leader"], group["generation"], group["revision"]) == ("m-0", 1, 2)
    first, second = group["members"]
    assert (first["member_id"], first["is_leader"]) == ("m-0", True)
    assert second["heartbeat_age_ms"] is None  # not recorded yet
    assert second["session_timeout_ms"] == 10_000


def test_a_group_has_its_assignor_partitions_without_owner_and_rebalance_count(
    viewer: Client,
) -> None:
    changes.create("boxes", 8)
    work("packers", "boxes", 0, 1, 2)
    write("orders", size=0)
    listed = {group["group_id"]: group for group in get(viewer, "/groups")["data"]}
    for group in (listed["packers"], get(viewer, "/groups/packers")):
        assert (group["assignor"], group["unowned"]) == ("range", 5)
        assert group["rebalances_1h"] == 0
    for group in (listed["orders"], get(viewer, "/groups/orders")):
        assert (group["unowned"], group["rebalances_1h"]) == (None, 1)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_journal SET at = now() - interval '61 minutes'")
    assert get(viewer, "/groups/orders")["rebalances_1h"] == 0
    told = get(viewer, "/groups?fields=group_id,assignor,unowned,rebalances_1h")["data"]
    assert told[1] == {
        "group_id": "packers",
        "assignor": "range",
        "unowned": 5,
        "rebalances_1h": 0,
    }


def test_lists_use_the_owners_counts_of_large_groups(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_rows, "MEMBERS_READ_MAX", 4)
    changes.create("boxes", 8)
    work("large", "boxes", members=5)
    fields = ("topic_count", "partition_count", "unowned")
    (listed,) = get(viewer, "/groups")["data"]
    assert [listed[name] for name in fields] == [None, None, None]
    counted("large")
    (listed,) = get(viewer, "/groups")["data"]
    one = get(viewer, "/groups/large")
    assert [listed[name] for name in fields] == [one[name] for name in fields] == [1, 8, 8]


def test_groups_are_ordered_by_what_their_owners_counted(viewer: Client) -> None:
    changes.create("boxes", 8)
    changes.create("crates", 3)
    for name, topic, owned in (("a", "boxes", 6), ("b", "crates", 0), ("c", "boxes", 8)):
        work(name, topic, *range(owned))
    write("d", size=0)  # it is not counted
    counted("a", "b", "c")

    def ordered(by: str) -> list[str]:
        first = get(viewer, f"/groups?ordering={by}&page_size=2&fields=group_id,{by.strip('-')}")
        second = viewer.get(first["next"]).json()
        assert viewer.get(second["previous"]).json()["data"] == first["data"]
        return [group["group_id"] for page in (first, second) for group in page["data"]]

    assert ordered("unowned") == ["c", "d", "a", "b"]
    assert ordered("-unowned") == ["b", "a", "d", "c"]
    assert ordered("-partition_count") == ["c", "a", "b", "d"]
    assert ordered("topic_count") == ["d", "a", "b", "c"]


def test_a_missing_group_is_a_problem_document(viewer: Client) -> None:
    problem = get(viewer, "/groups/missing", 404)
    assert problem == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "There is no group missing.",
        "instance": "/api/v1/groups/missing",
        "code": "not_found",
    }


def test_the_journal_is_returned_in_plain_words(viewer: Client) -> None:
    write("g")
    newest, *_ = get(viewer, "/groups/g/journal")["data"]

    assert newest["sentence"] == SENTENCE
    kinds = [entry["kind"] for entry in get(viewer, "/groups/g/journal?kind=group-created")["data"]]
    assert kinds == ["group-created"]
    assert len(get(viewer, "/groups/g/rebalances")["data"]) == 1


def test_no_request_exceeds_its_statement_limit(viewer: Client) -> None:
    write(*(f"g-{n:02}" for n in range(30)), size=3)
    changes.create("orders", 3)
    ReportRunFactory.create(started_at=timezone.now())
    asked = requests.request("g-01", "rebalance", reason="once more", actor="olga")
    group = [f"/groups/g-01{tail}" for tail in ("", "/offsets", "/journal", "/rebalances")]
    beside = ["/topics", "/topics/orders", "/nodes", "/me", "/reports"]
    for path in ["/groups", *group, "/operations", f"/operations/{asked.pk}", *beside]:
        with CaptureQueriesContext(connection) as queries:
            get(viewer, path)
        assert len(queries) <= QUERIES_MAX, path


def test_a_user_without_the_right_is_refused(api: Api) -> None:
    problem = get(api(), "/groups", 403)
    assert (problem["status"], problem["code"]) == (403, "permission_denied")
