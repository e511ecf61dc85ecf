"""Whatever a client sends, it gets an answer of ours, and what is wrong is a problem."""

import json
from typing import Any

import pytest
from django.db import OperationalError, ProgrammingError, connection, transaction
from django.test import Client, RequestFactory
from kombu import Connection, pools

from console.api import groups as resources
from console.api import problems
from coordinator_site.celery import app
from tests.api.conftest import write

pytestmark = pytest.mark.django_db

REBALANCES = "/groups/g/rebalances"
REASON = {"reason": "a new deployment"}
NUL = "%00"


def test_the_instance_is_a_valid_uri_reference(client: Client) -> None:
    """RFC 9457: a URI reference has no blanks, and nothing that turns a line around."""
    instance = client.get("/api/v1/groups/a%20b%E2%80%AE%25").json()["instance"]
    assert instance == "/api/v1/groups/a%20b%E2%80%AE%25"
    assert client.get("/api/v1/nothing%20here%E2%80%AE").json()["instance"].isascii()


WRONG: dict[str, tuple[str, str, Any, int, str]] = {
    "NUL in a path": ("GET", f"/groups/{NUL}", None, 400, "invalid"),
    "NUL in a member": ("DELETE", f"/groups/g/members/{NUL}?reason=x", None, 400, "invalid"),
    "NUL in a query": ("GET", f"/groups?q={NUL}", None, 400, "invalid"),
    "NUL in a second query": (
        "GET",
        f"/operations?state=pending&state={NUL}",
        None,
        400,
        "invalid",
    ),
    "NUL in a body": ("POST", REBALANCES, {"reason": "a\0b"}, 400, "invalid"),
    "half a character": ("POST", REBALANCES, '{"reason": "\\ud800"}', 400, "invalid"),
    "a generation too high": (
        "POST",
        REBALANCES,
        {**REASON, "expected_generation": 2**31},
        400,
        "invalid",
    ),
    "a generation too low": (
        "POST",
        REBALANCES,
        {**REASON, "expected_generation": -1},
        400,
        "invalid",
    ),
    "a number for a body": ("POST", REBALANCES, "3", 400, "invalid"),
    "a list for a body": ("POST", REBALANCES, "[1]", 400, "invalid"),
    "no JSON": ("POST", REBALANCES, "{", 400, "parse_error"),
    "no UTF-8": ("POST", REBALANCES, b"\xff", 400, "parse_error"),
    "a tower": ("POST", REBALANCES, "[" * 100_000, 400, "parse_error"),
    "a mountain": ("POST", REBALANCES, " " * 2_000_000, 413, "too_large"),
    "an operation that is none": ("GET", f"/operations/{'9' * 30}", None, 404, "not_found"),
    "a path that is none": ("POST", "/nothing", None, 404, "not_found"),
    "a twin without a name": ("GET", "/group/journal", None, 400, "invalid"),
    "a method that is none": ("PUT", "/topics", None, 405, "method_not_allowed"),
    "a topic that is none": ("PATCH", "/topics/nope", {"partitions": 3}, 404, "unknown_topic"),
    "a number too long": ("POST", "/topics", {"name": "t", "partitions": 10**30}, 400, "invalid"),
}


@pytest.fixture
def anybody(settings: Any) -> Client:
    """Somebody with every right, whose client raises nothing."""
    settings.API_TOKEN = "the-token"
    client = Client(
        raise_request_exception=False,
        enforce_csrf_checks=True,
        headers={"authorization": "Bearer the-token"},
    )
    write("g")
    return client


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"), WRONG.values(), ids=WRONG.keys()
)
def test_the_problem_is_named(
    anybody: Client, method: str, path: str, body: Any, status: int, code: str
) -> None:
    data = json.dumps(body) if isinstance(body, dict) else body or b""
    answer = anybody.generic(method, f"/api/v1{path}", data, content_type="application/json")

    assert answer.headers["Content-Type"] == "application/problem+json"
    problem = json.loads(answer.content)
    assert (answer.status_code, problem["status"]) == (status, status)
    assert problem["code"].startswith(code)
    assert problem["detail"].endswith(".") or code == "parse_error"


def test_a_form_is_not_accepted_as_json(anybody: Client) -> None:
    answer = anybody.post(f"/api/v1{REBALANCES}", {"reason": "x"})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_only_lists_have_formats_other_than_json(anybody: Client) -> None:
    answer = anybody.get("/api/v1/groups", headers={"accept": "text/html"})
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")
    answer = anybody.get("/api/v1/me", headers={"accept": "text/csv"})
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


def test_a_request_keeps_its_id(anybody: Client) -> None:
    for path in ("/api/v1/groups", "/api/v1/nothing", "/api/v1/groups/missing"):
        answer = anybody.get(path, headers={"x-request-id": "from-the-proxy-7"})
        assert answer.headers["X-Request-ID"] == "from-the-proxy-7"


@pytest.mark.parametrize("given", ["", "two words", "ünï", "x" * 129])
def test_an_invalid_request_id_is_replaced(anybody: Client, given: str) -> None:
    first, second = (
        anybody.get("/api/v1/me", headers={"x-request-id": given}).headers["X-Request-ID"]
        for _ in range(2)
    )
    assert given not in (first, second) and first != second


def test_every_write_is_logged_with_its_request_id(
    anybody: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", "console.api"):
        anybody.get("/api/v1/me", headers={"x-request-id": "looks"})
        anybody.delete("/api/v1/groups/g/members/a%0Ab", headers={"x-request-id": "evicts"})
    lines = [record.getMessage() for record in caplog.records if "request" in record.getMessage()]
    assert lines == ["DELETE /api/v1/groups/g/members/a%0Ab: 400, request evicts"]


def test_a_defect_is_a_problem_document_with_the_request_id(
    anybody: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "_summaries", lambda page: page[100])
    answer = anybody.get("/api/v1/groups", headers={"x-request-id": "the-one"})

    assert (answer.status_code, answer.json()["code"]) == (500, "defect")
    assert "the-one" in answer.json()["detail"]
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_an_unreachable_broker_is_not_a_defect(
    anybody: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = Connection("amqp://127.0.0.1:1", transport_options={"max_retries": 0})
    monkeypatch.setattr(app.amqp, "_producer_pool", pools.producers[away])
    answer = anybody.post("/api/v1/reports")

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["Retry-After"] == "1"


def test_an_unreachable_database_is_not_a_defect(rf: RequestFactory) -> None:
    request = rf.get("/api/v1/groups")
    answer = problems.handle(OperationalError("connection refused"), {"request": request})

    assert answer is not None and answer.data is not None
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert "refused" not in answer.data["detail"]  # it is in the log, not in the response


TAKEN_AWAY = (
    "ALTER TABLE rollcall_group RENAME TO away",
    "REVOKE ALL ON rollcall_group FROM rollcall_web; SET LOCAL ROLE rollcall_web",
)


@pytest.mark.parametrize("statements", TAKEN_AWAY)
def test_a_table_that_an_administrator_took_away_is_not_a_defect(
    anybody: Client,
    statements: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It was answered 500, as a defect, while the nodes went on trying."""
    with pytest.raises(ProgrammingError) as told:
        _undone(f"{statements}; SELECT FROM rollcall_group")

    def refused(_page: object) -> None:
        raise told.value

    monkeypatch.setattr(resources, "_summaries", refused)
    answer = anybody.get("/api/v1/groups")
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["Retry-After"] == "1" and "is missing" in answer.json()["detail"]
    assert "rollcall_group" not in answer.json()["detail"] and "rollcall_group" in caplog.text


def _undone(statements: str) -> None:
    """Execute these; the error of one undoes all."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statements)
