"""ETag, 304 and gzip over REST: no more bytes than the caller needs."""

import gzip
import json

import pytest
from django.test import Client

from console.operations import topic_changes as changes
from tests.api.conftest import write

TOPICS = "/api/v1/topics"


@pytest.mark.parametrize("path", [TOPICS, "/api/v1/groups/g/config", "/api/v1/groups/g/journal"])
def test_a_cached_response_is_not_sent_again(viewer: Client, path: str) -> None:
    write("g")
    first = viewer.get(path)
    assert first.headers["Cache-Control"] == "private, no-cache"
    tag = first.headers["ETag"]

    again = viewer.get(path, headers={"if-none-match": tag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert again.headers["X-Request-ID"]
    assert viewer.get(path, headers={"if-none-match": '"another"'}).status_code == 200


def test_head_returns_the_etag_of_get(viewer: Client) -> None:
    changes.create("t", 1)
    got, head = viewer.get(TOPICS), viewer.head(TOPICS)
    assert (head.status_code, head.content) == (200, b"")
    for name in ("ETag", "Cache-Control", "Content-Type"):
        assert head.headers[name] == got.headers[name]
    known = {"if-none-match": got.headers["ETag"]}
    assert viewer.head(TOPICS, headers=known).status_code == 304


def test_a_change_changes_the_etag(viewer: Client) -> None:
    changes.create("t", 1)
    tag = viewer.get(TOPICS).headers["ETag"]
    changes.grow("t", 2)
    answer = viewer.get(TOPICS, headers={"if-none-match": tag})
    assert (answer.status_code, answer.json()["data"][0]["partitions"]) == (200, 2)


def test_refusals_and_writes_have_no_etag(viewer: Client) -> None:
    for answer in (viewer.get("/api/v1/groups/nobodys"), viewer.post("/api/v1/topics")):
        assert answer.status_code >= 400
        assert "ETag" not in answer.headers


def test_long_responses_are_compressed_on_request(viewer: Client) -> None:
    write(*(f"g{n}" for n in range(20)))
    plain = viewer.get("/api/v1/groups?page_size=20")
    short = viewer.get("/api/v1/groups?page_size=20", headers={"accept-encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
    assert short.headers["Content-Encoding"] == "gzip"
    assert len(short.content) * 5 < len(plain.content)
    listed = json.loads(gzip.decompress(short.content))["data"]
    assert [group["group_id"] for group in listed] == [g["group_id"] for g in plain.json()["data"]]
    weak = short.headers["ETag"]
    again = viewer.get(TOPICS, headers={"accept-encoding": "gzip", "if-none-match": weak})
    assert again.status_code == 200, "another list"
