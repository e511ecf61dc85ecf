"""``rollcall journal tail -f``: the stream of events, over as many connections as it takes."""

import csv
import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from itertools import islice
from typing import Any

import pytest
from typer.testing import CliRunner

from rollcall.cli.app import app
from rollcall.cli.events import Event, Follower, parsed
from rollcall.cli.failures import Failure
from rollcall.cli.output import Column, lines
from rollcall.cli.profiles import Profile
from rollcall.cli.rest import Rest

BEGIN = "retry: 1\n: still here\nid: 10\n\n"
"""The next attempt comes after a millisecond."""


def entry(seq: int, at: str = "") -> str:
    """An event with an entry."""
    return f"id: {at or seq}\ndata: {json.dumps({'seq': seq})}\n\n"


class Server:
    """Sends prepared responses one after the other, and records the requests."""

    def __init__(self, *answers: tuple[int, str]) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self._answers = list(answers)
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append((self.path, self.headers.get("Last-Event-ID")))
                status, body = server._answers.pop(0)
                self.send_response(status)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: Any) -> None:
                """Nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def rest(self) -> Rest:
        """A client of it."""
        return Rest(Profile("test", f"http://127.0.0.1:{self._http.server_port}", "t"))

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def serve() -> Iterator[Any]:
    """Makes servers."""
    made = list[Server]()

    def serving(*answers: tuple[int, str]) -> Server:
        made.append(Server(*answers))
        return made[-1]

    yield serving
    for server in made:
        server.close()


def followed(server: Server, count: int, **query: Any) -> Sequence[int]:
    """So many entries of the stream."""
    with Follower(server.rest, **query) as follower:
        return [row["seq"] for row in islice(follower.entries(), count)]


def test_a_broken_stream_resumes_after_the_last_entry(serve: Any) -> None:
    server = serve(
        (200, BEGIN + entry(11) + entry(13, "13~12")),
        (200, "id: 13~12\n\n" + entry(12, "13")),
        (200, BEGIN + entry(14)),
    )
    assert followed(server, 4) == [11, 13, 12, 14]
    assert [last_id for _, last_id in server.asked] == [None, "13~12", "13"]


def test_a_stream_without_entries_resumes_where_it_began(serve: Any) -> None:
    server = serve((200, BEGIN), (200, entry(11)))
    assert followed(server, 1) == [11]
    assert [last_id for _, last_id in server.asked] == [None, "10"]


def test_a_truncated_entry_is_printed_whole_after_resuming(serve: Any) -> None:
    server = serve((200, BEGIN + 'id: 11\ndata: {"se'), (200, entry(11)))
    assert followed(server, 1) == [11]


def test_a_slow_or_disconnected_reader_reconnects(serve: Any) -> None:
    end = 'event: end\ndata: {"code": "slow", "detail": "Too far behind."}\n\n'
    server = serve((200, BEGIN + end), (503, "{}"), (429, "{}"), (200, entry(11)))
    assert followed(server, 1) == [11]
    assert len(server.asked) == 4


@pytest.mark.parametrize("code", ["forbidden", "time_went_back"])
def test_a_permanent_refusal_ends_the_stream(serve: Any, code: str) -> None:
    end = f'event: end\ndata: {{"code": "{code}", "detail": "It is over."}}\n\n'
    server = serve((200, BEGIN + entry(11) + end))
    with Follower(server.rest) as follower:
        entries = follower.entries()
        assert next(entries)["seq"] == 11
        with pytest.raises(Failure, match="It is over"):
            next(entries)


def test_a_problem_is_printed_as_by_any_command(serve: Any) -> None:
    problem = {"title": "Too Many Requests", "status": 429, "detail": "Too many streams."}
    server = serve((429, json.dumps(problem)))
    with pytest.raises(Failure, match="Too many streams"):
        Follower(server.rest)


def test_the_filters_are_sent_with_each_request(serve: Any) -> None:
    server = serve((200, BEGIN), (200, entry(11)))
    followed(server, 1, group_id="a b", kind=None)
    assert {path for path, _ in server.asked} == {"/api/v1/journal/events?group_id=a+b"}


def test_comments_and_unknown_fields_are_ignored() -> None:
    lines = [": here", "mood: good", "data: a", "data:b", "", "event: end", ""]
    assert list(parsed(lines)) == [Event(data=["a", "b"]), Event(name="end")]


def test_entries_that_follow_are_one_csv(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of its columns came before each entry."""
    row = {"at": "2026-01-31T12:00:00Z", "group_id": "g", "kind": "stable", "sentence": "It is."}
    events = "".join(f"id: {n}\ndata: {json.dumps({**row, 'seq': n})}\n\n" for n in (1, 2, 3))
    end = f"event: end\ndata: {json.dumps({'code': 'forbidden', 'detail': 'No more.'})}\n\n"
    listed = json.dumps({"data": [{**row, "seq": 1}], "next": None, "previous": None})
    server = serve((200, events + end), (200, listed))
    monkeypatch.setenv("ROLLCALL_URL", server.rest.profile.url)
    monkeypatch.setenv("ROLLCALL_TOKEN", "t")

    told = CliRunner().invoke(app, ["journal", "tail", "-f", "-o", "csv"])

    assert [line["seq"] for line in csv.DictReader(StringIO(told.stdout))] == ["1", "2", "3"]
    assert str(told.exception) == "No more."


def test_columns_stay_in_line_whatever_places_a_name_takes() -> None:
    rows = [{"name": name, "count": 7} for name in ("plain", "\u6f22\u5b57", "e\u0301te\u0301")]
    columns = [Column("NAME", "name"), Column("COUNT", "count")]
    assert lines(rows, columns) == [
        "NAME   COUNT",
        "plain  7",
        "\u6f22\u5b57   7",
        "e\u0301te\u0301    7",
    ]
