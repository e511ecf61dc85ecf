"""REST as it is installed: daphne, the web's own role in the database, a node and a member."""

import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import pytest
from confluent_kafka.admin import AdminClient
from django.urls import resolve

from console.api.problems import nothing_here
from launcher.installation import CHECKOUT, Installation
from tests.api.curl import Example, Request, examples, send
from tests.clients.conftest import Worker, stock_consumer
from tests.installations import TOKEN

pytestmark = pytest.mark.xdist_group("rest")

GROUP = "orders"
PAGE = CHECKOUT / "docs" / "rest.md"
EXAMPLES = examples(PAGE)

STARTS_SPARK = "POST", "/reports"
"""Looked up, not sent: the pipeline takes a Java of its own, and tests of its own show it."""


class Rest:
    """The installation's REST, asked with its token."""

    def __init__(self, web: str) -> None:
        self.api = f"{web.rstrip('/')}/api/v1"

    def ask(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Mapping[str, str], Any]:
        """Status, headers and JSON of the answer."""
        headers = {"Authorization": f"Bearer {TOKEN}", **headers}
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body)
        status, returned, raw = send(Request(method, self.api + path, headers, data))
        return status, returned, json.loads(raw)

    def group(self) -> Any:
        """The group as it is now."""
        return self.ask("GET", f"/groups/{GROUP}")[2]

    def settle(self, worker: Worker) -> None:
        """Wait until the group's one member has everything."""
        worker.until(
            lambda: len(worker.owned) == 6 and self.group()["state"] == "Stable", "a stable group"
        )


@pytest.fixture(scope="module")
def worker(installation: Installation) -> Iterator[Worker]:
    """A stock consumer with all of its topic's partitions."""
    with stock_consumer(installation.kafka, GROUP) as consumer:
        yield consumer


@pytest.fixture
def rest(installation: Installation, worker: Worker) -> Rest:
    """REST of an installation with one group of one member, at rest."""
    asked = Rest(installation.web)
    asked.settle(worker)
    return asked


def test_a_request_without_a_token_is_refused(rest: Rest) -> None:
    for headers in ({}, {"Authorization": "Bearer another"}):
        status, told, _ = send(Request("GET", f"{rest.api}/groups", headers))
        assert status == HTTPStatus.UNAUTHORIZED
        assert told["WWW-Authenticate"].startswith("Bearer")


def test_a_forced_rebalance_ends_in_the_next_generation(rest: Rest, worker: Worker) -> None:
    generation = rest.group()["generation"]
    body = {"reason": "a new deployment", "expected_generation": generation}
    status, headers, operation = rest.ask(
        "POST", f"/groups/{GROUP}/rebalances", body, Prefer="wait=20"
    )

    said = [operation, rest.group(), *worker.events[-5:], worker.errors]
    assert (status, operation["state"]) == (HTTPStatus.OK, "succeeded"), "\n".join(map(str, said))
    assert operation["generation"] == generation + 1
    assert headers["Preference-Applied"] == "wait=20"
    assert headers["Location"] == f"/api/v1/operations/{operation['id']}"
    (newest, *_) = rest.ask("GET", f"/groups/{GROUP}/rebalances")[2]["data"]
    assert "a new deployment" in newest["sentence"]
    assert newest["generation_after"] == operation["generation"]


def test_a_past_generation_is_not_rebalanced(rest: Rest) -> None:
    body = {"reason": "too late", "expected_generation": 0}
    status, _, problem = rest.ask("POST", f"/groups/{GROUP}/rebalances", body, Prefer="wait=20")
    assert (status, problem["code"]) == (HTTPStatus.CONFLICT, "operation_failed")
    assert problem["operation"]["state"] == "failed"
    assert "not 0" in problem["operation"]["detail"]


def test_an_evicted_client_that_is_alive_rejoins_with_another_id(
    rest: Rest, worker: Worker
) -> None:
    member_id = only_member(rest.group()) or ""
    status, _, operation = rest.ask(
        "DELETE", f"/groups/{GROUP}/members/{quote(member_id)}?reason=stuck", Prefer="wait=20"
    )

    assert (status, operation["state"]) == (HTTPStatus.OK, "succeeded"), operation
    worker.until(lambda: only_member(rest.group()) not in (None, member_id), "back again")


def test_topics_are_created_and_grown_as_by_a_node(rest: Rest) -> None:
    assert rest.ask("POST", "/topics", {"name": "bills", "partitions": 2})[0] == HTTPStatus.CREATED
    status, _, grown = rest.ask("PATCH", "/topics/bills", {"partitions": 4})
    assert (status, grown["partitions"]) == (HTTPStatus.OK, 4)


@pytest.mark.parametrize("group_id", ["a/members/b", "100% /x", "ünï", "a%2Fb", "q?x=1#y"])
def test_daphne_passes_ids_unchanged(rest: Rest, group_id: str) -> None:
    status, headers, problem = rest.ask("GET", f"/groups/{quote(group_id, safe='')}")
    assert status == HTTPStatus.NOT_FOUND
    assert problem["detail"] == f"There is no group {group_id}."
    assert headers["X-Request-ID"]


def test_the_page_has_the_examples() -> None:
    page = PAGE.read_text()  # a stream (-N) has no end, and tests of its own
    assert len(EXAMPLES) == page.count("\ncurl ") - page.count("\ncurl -N ") > 25


def test_every_example_of_the_page_gets_the_documented_response(
    rest: Rest, worker: Worker, installation: Installation
) -> None:
    kafka, asked = installation.kafka, {"reason": "a new deployment"}
    # Of its own: the first one of an installation may be a reset of another test, which is undone.
    _, _, made = rest.ask("POST", f"/groups/{GROUP}/rebalances", asked, Prefer="wait=20")
    told = {
        "api": rest.api,
        "v3": rest.api.replace("/api/v1", "/kafka/v3"),
        "auth": f"Authorization: Bearer {TOKEN}",
        "cluster": AdminClient({"bootstrap.servers": kafka}).list_topics(timeout=10).cluster_id,
        "operation": str(made["id"]),
    }
    for example in EXAMPLES:
        rest.settle(worker)  # an example's operation has ended before the next one
        member = only_member(rest.group()) or ""
        status = status_of(example, {**told, "member": member}, rest.api)
        assert status in example.statuses, (status, example)


def only_member(group: Any) -> str | None:
    """The id of the group's only member; None while there is none."""
    ids = [str(member["member_id"]) for member in group["members"]]
    assert len(ids) <= 1, ids
    return ids[0] if ids else None


def status_of(example: Example, variables: Mapping[str, str], api: str) -> int:
    """The answer's status; that of a path that exists, for what is not sent."""
    request = example.request(variables)
    if (request.method, request.url.removeprefix(api)) == STARTS_SPARK:
        found = resolve("/api/v1" + STARTS_SPARK[1])
        assert found.func is not nothing_here
        return HTTPStatus.ACCEPTED
    return send(request)[0]
