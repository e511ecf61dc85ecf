"""Lists: in every order page by page, by filters, with few fields, as files."""

import csv
import json
from io import StringIO
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.operations import topic_changes as topics
from groups.models import Group
from tests.api.asked import document
from tests.api.conftest import write

pytestmark = pytest.mark.django_db

LISTED = {"/api/v1/groups": "group_id", "/api/v1/topics": "name", "/api/v1/operations": "id"}


def orderings(path: str) -> list[str]:
    """The words that the document allows."""
    parameters = document()["paths"][path]["get"]["parameters"]
    found: list[str] = next(p["schema"]["enum"] for p in parameters if p["name"] == "ordering")
    return found


def walked(client: Client, url: str | None) -> list[Any]:
    """All rows, by ``next``."""
    rows: list[Any] = []
    while url is not None:
        answer = client.get(url)
        assert answer.status_code == 200, answer.content
        body = answer.json()
        assert (f'<{body["next"]}>; rel="next"' in answer.headers.get("Link", "")) == bool(
            body["next"]
        )
        rows += body["data"]
        url = body["next"]
    return rows


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_each_order_visits_all_rows_once_in_both_directions(viewer: Client, step: int) -> None:
    """A third of them in ``make test``. There may be groups of other tests, whose owners were ended
    before they counted them again: only the order of these is known."""
    ours = set("abcdexyz")
    write("a", "b", "c", size=1)
    write("d", "e", size=3)
    for n, name in enumerate(("x", "y", "z"), 1):
        topics.create(name, n % 2 + 1)
    for path in ("/api/v1/groups", "/api/v1/topics"):
        everything = {row[LISTED[path]] for row in walked(viewer, path)}
        for word in orderings(path)[::step]:
            name = word.removeprefix("-")
            rows = walked(viewer, f"{path}?ordering={word}&page_size=2")
            assert len(rows) == len(everything) == len({row[LISTED[path]] for row in rows}), word
            values = [row[name] for row in rows if row[LISTED[path]] in ours]
            assert values == sorted(values, reverse=word.startswith("-")), word
            last = f"{path}?ordering={word}&page_size={len(rows) - 1}"
            behind = viewer.get(viewer.get(last).json()["next"]).json()
            before = viewer.get(behind["previous"]).json()["data"]
            assert [row[LISTED[path]] for row in before] == [row[LISTED[path]] for row in rows[:-1]]


def test_a_cursor_of_another_order_is_refused(viewer: Client) -> None:
    write("a", "b")
    cursor = viewer.get("/api/v1/groups?ordering=state_since&page_size=1").json()["next"]
    other = cursor.replace("ordering=state_since", "ordering=generation")
    assert viewer.get(other).json()["code"] == "invalid_cursor"
    assert viewer.get("/api/v1/groups?ordering=details").status_code == 400


def test_filters_select_groups(viewer: Client) -> None:
    write("large", size=4)
    write("small", size=1)
    for query, found in (
        ("member_count_gte=2", ["large"]),
        ("protocol=none", []),
        ("frozen=true", []),
        ("frozen=false", ["large", "small"]),
        ("paused=true", []),
        ("topic=orders", []),
        ("updated_since=2000-01-01T00:00:00Z", ["large", "small"]),
        ("updated_since=2100-01-01T00:00:00%2B01:00", []),
    ):
        rows = viewer.get(f"/api/v1/groups?{query}").json()["data"]
        assert [row["group_id"] for row in rows] == found, query
    for wrong in ("updated_since=2000-01-01T00:00:00", "frozen=maybe", "member_count_gte=-1"):
        assert viewer.get(f"/api/v1/groups?{wrong}").status_code == 400, wrong


def test_only_the_requested_fields_are_returned(viewer: Client) -> None:
    write("g", size=1)
    body = viewer.get("/api/v1/groups?fields=state,group_id").json()
    assert body["data"] == [{"group_id": "g", "state": Group.objects.get().state}]
    assert viewer.get("/api/v1/groups/g?fields=revision").json() == {"revision": 2}
    for wrong in ("fields=", "fields=state,details", "fields=state&fields=group_id"):
        assert viewer.get(f"/api/v1/groups?{wrong}").status_code == 400, wrong


def test_every_list_can_be_downloaded_as_a_file(viewer: Client) -> None:
    write("=cmd|calc", 'b,"c', size=2)
    lists = [
        path
        for path, methods in document()["paths"].items()
        if "Link"
        in methods.get("get", {"responses": {}})["responses"].get("200", {}).get("headers", {})
    ]
    assert len(lists) > 12
    for path in lists:
        ids = {"group_id": "b%2C%22c", "name": "orders", "webhook_id": "0", "report": "cost"}
        url = path.format(**ids)
        plain = viewer.get(url, {"group_id": 'b,"c'} if "/group/" in f"{path}/" else None)
        if plain.status_code != 200:
            continue
        query = {"group_id": 'b,"c'} if "/group/" in f"{path}/" else None
        rows = plain.json()["data"]
        response = viewer.get(url, query, headers={"accept": "text/csv"})
        assert response.headers["Content-Type"].startswith("text/csv"), path
        lines = list(csv.reader(StringIO(response.content.decode())))
        assert len(lines) == len(rows) + 1
        if rows:
            assert set(lines[0]) == set(rows[0]), path
        response = viewer.get(url, query, headers={"accept": "application/x-ndjson"})
        found = [json.loads(line) for line in response.content.decode().splitlines()]
        assert [set(row) for row in found] == [set(row) for row in rows]


def test_no_cell_is_a_spreadsheet_formula(viewer: Client) -> None:
    write("=cmd|calc")
    response = viewer.get("/api/v1/groups?fields=group_id", headers={"accept": "text/csv"})
    assert response.content == b"group_id\r\n'=cmd|calc\r\n"
    assert "Accept" in response.headers["Vary"]


def test_each_json_line_is_one_line_for_any_reader_of_lines(viewer: Client) -> None:
    write("line\u2028separator", "next\u0085line")
    response = viewer.get(
        "/api/v1/groups?fields=group_id", headers={"accept": "application/x-ndjson"}
    )
    found = [json.loads(line)["group_id"] for line in response.content.decode().splitlines()]
    assert found == ["line\u2028separator", "next\u0085line"]


def test_an_order_adds_no_statements(viewer: Client) -> None:
    write("a", "b", "c", size=2)
    asked = {}
    viewer.get("/api/v1/me")  # notes that the token was used
    for query in ("", "?ordering=-member_count"):
        with CaptureQueriesContext(
            connection,
        ) as found:
            viewer.get(f"/api/v1/groups{query}")
        asked[query] = len(found)
    assert len(set(asked.values())) == 1
