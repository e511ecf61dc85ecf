"""Pages: every row once, though rows are added and removed; an invalid cursor is refused."""

import base64
import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from tests import factories
from tests.api.conftest import write

ONE_TOPIC, OTHERS = 1_200, 3


def commit(group_id: str) -> None:
    """A group with offsets, nearly all of them of the same topic: ties in the first column."""
    birth = factories.birth(group_id)
    keys = [("t", partition) for partition in range(ONE_TOPIC)] + [("u", n) for n in range(OTHERS)]
    offsets = [factories.offset(topic=topic, partition=number) for topic, number in keys]
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_slot SET epoch = 1")
        factories.apply_with(cursor, factories.batch(birth))
        after = factories.commit(factories.written(birth), *offsets)
        factories.apply_with(cursor, factories.batch(after))


def walked(client: Client, path: str, to: str = "next") -> list[Any]:
    """The pages from here on."""
    pages = []
    link: str | None = path
    while link is not None:
        answer = client.get(link)
        assert answer.status_code == 200, answer.content
        pages.append(answer.json()["data"])
        link = answer.json()[to]
    return pages


def test_every_offset_is_on_exactly_one_page(viewer: Client) -> None:
    commit("g")
    pages = walked(viewer, "/api/v1/groups/g/offsets?page_size=500")

    assert [len(page) for page in pages] == [500, 500, 203]
    found = [(row["topic"], row["partition"]) for page in pages for row in page]
    assert found == sorted(set(found))
    assert len(found) == ONE_TOPIC + OTHERS


def test_pages_are_the_same_backwards(viewer: Client) -> None:
    write(*(f"g-{n}" for n in range(5)))
    there = walked(viewer, "/api/v1/groups?page_size=2")

    last = viewer.get("/api/v1/groups?page_size=2").json()["next"]
    last = viewer.get(last).json()["next"]
    assert walked(viewer, last, "previous") == there[::-1]


def test_rows_added_between_pages_shift_no_page(viewer: Client) -> None:
    write(*(f"g-{n}" for n in (1, 3, 5, 7)))
    first = viewer.get("/api/v1/groups?page_size=2").json()
    write("g-0", "g-4")

    rest = [row["group_id"] for page in walked(viewer, first["next"]) for row in page]
    assert [row["group_id"] for row in first["data"]] == ["g-1", "g-3"]
    assert rest == ["g-4", "g-5", "g-7"]


def test_links_keep_the_filters_and_the_id_as_it_was_sent(viewer: Client) -> None:
    commit("a b")
    answer = viewer.get("/api/v1/groups/a%20b/offsets?topic=t&page_size=1").json()
    assert "/api/v1/groups/a%20b/offsets?topic=t&page_size=1&cursor=" in answer["next"]

    answer = viewer.get("/api/v1/group/offsets?group_id=a+b&page_size=1").json()
    assert "/api/v1/group/offsets?group_id=a+b&page_size=1&cursor=" in answer["next"]
    assert viewer.get(answer["next"]).json()["data"][0]["partition"] == 1


def cursor(*told: Any) -> str:
    """What looks like a cursor."""
    return base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")


NO_CURSORS = {
    "no base64": "*",
    "no JSON": base64.urlsafe_b64encode(b"{").decode(),
    "no list": base64.urlsafe_b64encode(b"7").decode(),
    "nested deeply": base64.urlsafe_b64encode(b"[" * 5_000).decode(),
    "nothing": cursor(0),
    "a word for a number": cursor(0, "abc"),
    "a number as a word": cursor(0, "7"),
    "a list for a number": cursor(0, [1]),
    "two columns": cursor(0, 1, 2),
    "NUL": cursor(0, "\0"),
}


@pytest.mark.parametrize("text", NO_CURSORS.values(), ids=NO_CURSORS.keys())
def test_an_invalid_cursor_is_a_problem_document(viewer: Client, text: str) -> None:
    write("g")
    answer = viewer.get("/api/v1/groups/g/journal", {"cursor": text})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor")


def test_a_cursor_beyond_the_largest_number_is_past_the_end(viewer: Client) -> None:
    write("g")
    answer = viewer.get("/api/v1/groups/g/journal", {"cursor": cursor(0, -(10**30))})
    assert (answer.status_code, answer.json()["data"]) == (200, [])


@pytest.mark.parametrize("asked", ["0", "501", "-5", "many", "9" * 50, "", "1.5", "\u0662"])
def test_an_invalid_page_size_is_refused(viewer: Client, asked: str) -> None:
    write("g-1", "g-2", "g-3")
    assert len(viewer.get("/api/v1/groups", {"page_size": "2"}).json()["data"]) == 2
    answer = viewer.get("/api/v1/groups", {"page_size": asked})
    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {"parameter": "page_size", "detail": "This must be a number from 1 to 500."}
    ]
