"""Request rates: the limit, and the response above it."""

from typing import Any

import pytest
from django.test import Client

from console.api import throttles
from console.api.throttles import Caller, Counts
from tests.api.conftest import Api
from tests.api.test_verbs import post

pytestmark = pytest.mark.django_db

ANN = Caller(1, 7, "read")


class Clock:
    """A clock that does not move unless it is set."""

    s = 100.0

    def __call__(self) -> float:
        return self.s


def test_the_rate_is_replenished_evenly() -> None:
    clock = Clock()
    counts = Counts(clock)
    assert [counts.take(ANN, 6) for _ in range(7)] == [0, 0, 0, 0, 0, 0, 10]
    clock.s += 4
    assert counts.take(ANN, 6) == pytest.approx(6)
    clock.s += 6
    assert [counts.take(ANN, 6), counts.take(ANN, 6)] == [0, pytest.approx(10)]
    clock.s += 3_600
    assert [counts.take(ANN, 6) > 0 for _ in range(7)] == [False] * 6 + [True]


def test_tokens_users_and_scopes_are_counted_separately() -> None:
    counts = Counts(Clock())
    others = (Caller(2, 7, "read"), Caller(None, 7, "read"), Caller(1, 7, "operate"))
    assert [counts.take(each, 1) for each in (ANN, *others)] == [0, 0, 0, 0]
    assert counts.take(ANN, 1) == 60


def test_the_number_of_counted_callers_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttles, "COUNTED_MAX", 2)
    counts = Counts(Clock())
    for token in (1, 2, 1, 3):  # 2 has asked nothing for longest
        counts.take(Caller(token, 7, "read"), 2)
    assert [counts.take(Caller(token, 7, "read"), 2) for token in (1, 2)] == [30, 0]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Clock:
    """Two changes and one read a minute, with fresh counts."""
    made = Clock()
    monkeypatch.setattr(throttles, "COUNTS", Counts(made))
    settings.WEB_REST_READS_PER_MINUTE, settings.WEB_REST_CHANGES_PER_MINUTE = 1, 2
    return made


def test_a_throttled_caller_gets_retry_after(api: Api, clock: Clock) -> None:
    keeper, other = api("add_topic", "view_topic", "change_clientquota"), api("add_topic")
    made = [post(keeper, "/topics", {"name": f"t-{n}", "partitions": 1}) for n in range(3)]
    assert [answer.status_code for answer in made] == [201, 201, 429]
    body = made[2].json()
    assert body["code"] == "throttled" and made[2].headers["Retry-After"] == "30"
    assert made[2].headers["Content-Type"] == "application/problem+json"

    path = "/api/v1/topics"
    assert [keeper.get(path).status_code for _ in range(2)] == [200, 429]
    assert _put(keeper) == 400  # of another scope
    assert post(other, "/topics", {"name": "t-3", "partitions": 1}).status_code == 201
    clock.s += 30
    assert post(keeper, "/topics", {"name": "t-4", "partitions": 1}).status_code == 201


def _put(client: Client) -> int:
    return client.put("/api/v1/quotas", "{}", content_type="application/json").status_code


def test_a_forbidden_request_is_not_counted(api: Api, clock: Clock) -> None:
    nobody = api("view_topic")
    refused = [post(nobody, "/topics", {}).status_code for _ in range(4)]
    assert refused == [403] * 4 and nobody.get("/api/v1/topics").status_code == 200


def test_confluents_paths_are_throttled_in_their_own_format(viewer: Client, clock: Clock) -> None:
    path = "/kafka/v3/clusters/x/consumer-groups"
    responses = [viewer.get(path) for _ in range(2)]
    assert [answer.status_code for answer in responses] == [404, 429]
    assert responses[1].json()["error_code"] == 429 and responses[1].headers["Retry-After"] == "60"


def test_zero_means_no_limit(viewer: Client, clock: Clock, settings: Any) -> None:
    settings.WEB_REST_READS_PER_MINUTE = 0
    assert [viewer.get("/api/v1/topics").status_code for _ in range(3)] == [200] * 3
