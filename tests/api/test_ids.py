"""Ids of any kind: in paths, in queries, and where a path cannot tell."""

import json
from functools import cache
from io import BytesIO
from typing import Any
from urllib.parse import quote, unquote, urlencode

import pytest
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.base import BaseHandler
from django.db import connection
from django.http import HttpResponse
from django.test import Client

from groups.models import Operation
from tests.api.conftest import write

pytestmark = pytest.mark.django_db

ODD_IDS = [
    "a/b",
    "a/members/b",
    "g/offsets",
    "g/",
    "/",
    "100%",
    "ünï code",
    "a.b",
    "..",
    "a%2Fb",
    "q?x=1#y",
    "two\nlines",
    "+ &=;",
]

OF_A_NODE = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,
    client_reason, generation_before, generation_after, waited_for, joined, "left", details)
VALUES (now(), '', 0, 0, 'slots-claimed', '', '', '', 0, 0, '{}', '[]', '[]', '{}')
"""

TAILS = {"": "group_id", "/journal": "data", "/offsets": "data", "/rebalances": "data"}


@pytest.fixture(autouse=True)
def _token(settings: Any) -> None:
    """The installation's own token."""
    settings.API_TOKEN = "the-token"


@pytest.fixture
def anybody() -> Client:
    """Somebody with every right; like a WSGI server, Django's client decodes paths."""
    return Client(headers={"authorization": "Bearer the-token"})


def served(path: str, method: str = "GET") -> tuple[int, Any]:
    """The answer to a path as an ASGI server hands it over: decoded, and as it was sent."""
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(b"authorization", b"Bearer the-token"), (b"host", b"localhost")],
    }
    answer = handler().get_response(ASGIRequest(scope, BytesIO()))
    assert isinstance(answer, HttpResponse)
    return answer.status_code, json.loads(answer.content)


@cache
def handler() -> BaseHandler:
    """Django behind a server."""
    made = BaseHandler()
    made.load_middleware()
    return made


@pytest.mark.parametrize("group_id", ODD_IDS)
def test_a_path_holds_any_id_percent_encoded(group_id: str) -> None:
    write(group_id)
    for tail, key in TAILS.items():
        status, answer = served(f"/api/v1/groups/{quote(group_id, safe='')}{tail}")
        assert status == 200, answer
        assert answer[key] == group_id if key == "group_id" else key in answer


@pytest.mark.parametrize("member_id", ODD_IDS)
@pytest.mark.parametrize("group_id", ["g", "a/members/b"])
def test_member_ids_are_percent_encoded_too(group_id: str, member_id: str) -> None:
    write(group_id)
    named = {"group_id": group_id, "member_id": member_id}
    ids = f"{quote(group_id, safe='')}/members/{quote(member_id, safe='')}"
    sentence = f"There is no member {member_id} in a group {group_id}."
    for path in (f"groups/{ids}?reason=x", f"group/members?reason=x&{urlencode(named)}"):
        status, problem = served(f"/api/v1/{path}", "DELETE")
        assert (status, problem["detail"]) == (404, sentence)


@pytest.mark.parametrize("group_id", ODD_IDS)
def test_a_query_holds_any_id_under_any_server(anybody: Client, group_id: str) -> None:
    write(group_id)
    for tail, key in TAILS.items():
        answer = anybody.get(f"/api/v1/group{tail}", {"group_id": group_id})
        assert answer.status_code == 200, answer.content
        assert answer.json()[key] == group_id if key == "group_id" else key in answer.json()


def test_twin_paths_accept_operations_too(anybody: Client) -> None:
    write("a/members/m-1")
    asked = anybody.post(
        "/api/v1/group/rebalances?group_id=a%2Fmembers%2Fm-1",
        {"reason": "a new deployment"},
        content_type="application/json",
    )
    evicted = anybody.delete(
        "/api/v1/group/members?reason=stuck&member_id=m-0&group_id=a%2Fmembers%2Fm-1"
    )

    assert (asked.status_code, evicted.status_code) == (202, 202)
    found = Operation.objects.order_by("id").values_list("group_id", "verb", "member_id")
    assert list(found) == [("a/members/m-1", "rebalance", ""), ("a/members/m-1", "evict", "m-0")]


def test_where_a_server_decodes_paths_the_longest_match_wins(anybody: Client) -> None:
    """Then the path of the group "a/members/m-1" is that of the member "m-1" of the group "a"."""
    write("a", "a/members/m-1", "a/b")

    assert anybody.get("/api/v1/groups/a%2Fmembers%2Fm-1").status_code == 405
    assert served("/api/v1/groups/a%2Fmembers%2Fm-1")[1]["group_id"] == "a/members/m-1"
    assert anybody.get("/api/v1/groups/a%2Fb").json()["group_id"] == "a/b"
    assert anybody.get("/api/v1/groups/a%2Fb/journal").json()["data"]


def test_the_empty_id_is_named_by_a_twin_only(anybody: Client) -> None:
    """Kafka allows commits for it, so the list has it. A path whose id is missing stays an error:
    in scripts that is an unset variable."""
    write("", size=0)

    for tail, key in TAILS.items():
        answer = anybody.get(f"/api/v1/group{tail}?group_id=")
        assert answer.status_code == 200, answer.content
        assert answer.json()[key] == "" if key == "group_id" else key in answer.json()
    for tail in ("/", "//journal"):
        assert served(f"/api/v1/groups{tail}")[0] == 404
    assert served("/api/v1/groups/?reason=x", "DELETE")[0] == 404
    assert anybody.get("/api/v1/group").status_code == 400
    deleted = anybody.delete("/api/v1/group?group_id=&reason=nobody's")
    assert (deleted.status_code, deleted.json()["group_id"]) == (202, "")


def test_the_journal_of_the_empty_id_has_no_entries_of_the_cluster(anybody: Client) -> None:
    write("", size=0)
    with connection.cursor() as cursor:
        cursor.execute(OF_A_NODE)

    entries = anybody.get("/api/v1/group/journal?group_id=").json()["data"]
    assert [entry["kind"] for entry in entries] == ["rebalance-completed", "group-created"]
