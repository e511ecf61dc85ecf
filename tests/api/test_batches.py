"""One verb for all groups that match a filter: an operation for each, or for none."""

from typing import Any

import pytest
from django.test import Client

from groups.models import Operation
from tests.api.conftest import Api, write

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(api: Api) -> Client:
    write("a-1", "a-2", "b-1")
    return api("view_group", "rebalance_group", "pause_group", "freeze_group")


def post(client: Client, path: str, said: Any = None, **headers: str) -> Any:
    body = {"reason": "a move", **(said or {})}
    url = f"/api/v1/{path if path.startswith('groups/') else f'groups:{path}'}"
    return client.post(url, body, content_type="application/json", headers=headers or None)


def requested() -> list[tuple[str, str]]:
    return list(Operation.objects.order_by("id").values_list("verb", "group_id"))


def test_each_matching_group_gets_an_operation(operator: Client) -> None:
    answer = post(operator, "pause?q=a-")
    assert answer.status_code == 202
    body = answer.json()
    assert body["groups"] == 2
    assert [each["group_id"] for each in body["operations"]] == ["a-1", "a-2"]
    assert requested() == [("pause", "a-1"), ("pause", "a-2")]
    assert {each.pk for each in Operation.objects.all()} == {o["id"] for o in body["operations"]}
    assert set(Operation.objects.values_list("reason", flat=True)) == {"a move"}


def test_a_dry_run_lists_the_groups(operator: Client) -> None:
    body = post(operator, "rebalance?q=a-&dry_run=true").json()
    assert (body["dry_run"], body["groups"], body["group_ids"]) == (True, 2, ["a-1", "a-2"])
    assert requested() == []


def test_nothing_is_requested_above_the_maximum_of_matches(operator: Client) -> None:
    for query in ("q=", "q=&dry_run=true"):
        refused = post(operator, f"freeze?{query}", {"groups_max": 2})
        assert (refused.status_code, refused.json()["code"]) == (409, "too_many_groups")
    assert requested() == []
    assert post(operator, "freeze?q=", {"groups_max": 3}).json()["groups"] == 3


def test_a_batch_requires_a_selection(operator: Client) -> None:
    refused = post(operator, "pause")
    assert (refused.status_code, refused.json()["errors"][0]["parameter"]) == (400, "q")
    assert post(operator, "pause?stat=Stable").status_code == 400
    assert requested() == []


def test_a_batch_is_idempotent_by_key(operator: Client) -> None:
    first = post(operator, "pause?q=a-", **{"idempotency-key": "k"}).json()
    write("a-3")
    again = post(operator, "pause?q=a-", **{"idempotency-key": "k"})
    assert again.json() == first and again.headers["Idempotency-Replayed"] == "true"
    assert len(requested()) == 2
    for path, said in (("resume?q=a-", {}), ("pause?q=a-", {"reason": "another"})):
        assert post(operator, path, said, **{"idempotency-key": "k"}).status_code == 422
    assert len(requested()) == 2


ANOTHER: tuple[tuple[str, Any], ...] = (
    ("pause?q=b-", {}),
    ("pause?q=a-&state=Stable", {}),
    ("pause?state=Stable", {}),
    ("pause?q=a-1", {}),
    ("pause?q=", {}),
    ("pause?q=a-&type=classic", {}),
    ("pause?q=a-&frozen=false", {}),
    ("pause?q=a-&member_count_gte=1", {}),
    ("pause?q=a-&updated_since=2020-01-01T00:00:00Z", {}),
    ("pause?q=nothing", {}),
    ("resume?q=a-", {}),
    ("pause?q=a-", {"reason": "another"}),
    ("pause?q=a-", {"groups_max": 99}),
    ("groups/a-1/pause", {}),
    ("groups/b-1/pause", {}),
)


@pytest.mark.parametrize(("path", "said"), ANOTHER)
def test_a_key_covers_the_whole_request(operator: Client, path: str, said: Any) -> None:
    """Another filter was answered with the operations of the first."""
    key = {"idempotency-key": "k"}
    first = post(operator, "pause?q=a-", **key)
    assert first.status_code == 202
    refused = post(operator, path, said, **key)
    assert refused.status_code == 422, refused.content
    assert refused.json()["code"] == "idempotency_key_reused"
    assert "operations" not in refused.json() and len(requested()) == 2
    assert post(operator, "pause?q=a-", **key).json() == first.json()


def test_the_key_of_a_single_request_is_not_a_batchs(operator: Client) -> None:
    key = {"idempotency-key": "k"}
    assert post(operator, "groups/a-1/pause", **key).status_code == 202
    assert post(operator, "pause?q=a-1", **key).status_code == 422
    assert requested() == [("pause", "a-1")]


def test_keys_of_different_users_are_different(api: Api, operator: Client) -> None:
    key = {"idempotency-key": "k"}
    other = api("view_group", "pause_group")
    assert post(operator, "pause?q=a-", **key).status_code == 202
    assert post(other, "pause?q=b-", **key).json()["groups"] == 1


def test_each_verb_needs_the_same_right_as_for_one_group(api: Api, operator: Client) -> None:
    assert post(operator, "delete?q=a-").status_code == 403
    viewer = api("view_group")
    for verb in ("rebalance", "pause", "resume", "freeze", "thaw", "delete"):
        assert post(viewer, f"{verb}?q=a-").status_code == 403
    assert requested() == []
