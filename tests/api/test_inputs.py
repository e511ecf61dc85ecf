"""Nothing is executed that a request did not say as it must be said: unknown names, odd JSON.

Every operation of the OpenAPI document is asked; one that comes to it is asked as well.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from console.api.views import Checked
from console.plain_text import text_problem
from tests.api.asked import Asked, document, everything, rows
from tests.examples import at_most
from tests.odd_values import query

pytestmark = pytest.mark.django_db

CLIENT_ERRORS = range(400, 500)


@pytest.fixture
def anybody(settings: Any) -> Client:
    """Somebody with every right, so that nothing else is a reason to refuse."""
    settings.API_TOKEN = "the-token"
    return Client(raise_request_exception=False, headers={"authorization": "Bearer the-token"})


def refused(client: Client, asked: Asked, raw: str | bytes | None = None) -> Any:
    """The problem document of the response."""
    answer = asked.send(client, raw)
    why = f"{asked} {raw!r:.300} was answered {answer.status_code} {answer.content!r:.300}"
    assert answer.status_code in CLIENT_ERRORS, why
    assert answer.headers["Content-Type"] == "application/problem+json", why
    return json.loads(answer.content)


@pytest.fixture
def requests(broker: Any) -> Iterator[list[Asked]]:
    """A right request for each operation. Of what a test makes of them nothing may come."""
    asked = everything()
    before = rows()
    yield asked
    assert rows() == before
    assert broker.qsize() == 0


def test_each_baseline_request_is_valid(anybody: Client, broker: Any) -> None:
    """Else the tests below would find a refusal for another reason."""
    for asked in everything():
        answer = asked.send(anybody)
        if asked.operation_id == "grow_topic":
            asked.but(body={"partitions": 12}).send(anybody)
        assert answer.status_code < 400, (asked, answer.content)


UNKNOWN = ("dryrun", "reasn", "format", "page-size", "\u202e", "")


@pytest.mark.parametrize("names", [UNKNOWN[:1], pytest.param(UNKNOWN[1:], marks=pytest.mark.long)])
def test_an_unknown_parameter_is_refused(
    anybody: Client, requests: list[Asked], names: tuple[str, ...]
) -> None:
    for asked in requests:
        for name in names:
            problem = refused(anybody, asked.but(query={**asked.query, name: "true"}))
            (error,) = (each for each in problem["errors"] if each["parameter"] == name)
            assert error["detail"].startswith("This operation has no such parameter.")


def test_an_unknown_field_is_refused(anybody: Client, requests: list[Asked]) -> None:
    for asked in requests:
        problem = refused(anybody, asked.but(body={**(asked.body or {}), "dry_run": True}))
        assert {"pointer": "#/dry_run", "detail": "There is no such field."} in problem["errors"]


def test_a_repeated_parameter_is_refused(anybody: Client, requests: list[Asked]) -> None:
    by_id = {asked.operation_id: asked for asked in requests}
    listed, evicts = by_id["list_operations"], by_id["evict_member"]
    asked = listed.but(path=f"{listed.path}?state=pending&state=failed", query={})
    assert refused(anybody, asked)["errors"][0]["parameter"] == "state"
    both = refused(anybody, evicts.but(query={"reason": "another"}))
    assert both["errors"] == [{"pointer": "#/reason", "detail": "This was given twice."}]


ASIDE = ("connection", "event")
"""Lists of connections wait three seconds for nodes, which are rows here; a stream does not end."""


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (5, 9))])
def test_odd_values_of_a_parameter_are_answered_or_refused(
    anybody: Client, requests: list[Asked], first: int
) -> None:
    told = {t["operationId"]: t for path in document()["paths"].values() for t in path.values()}
    count = 0
    for asked in requests:
        if asked.method != "GET" or any(word in asked.operation_id for word in ASIDE):
            continue
        listed = told[asked.operation_id].get("parameters", ())
        for name in (one["name"] for one in listed if one["in"] == "query"):
            rest = urlencode({k: v for k, v in asked.query.items() if k != name})
            odd = query(name, first + count)
            answer = anybody.get(f"{asked.path}?{odd}&{rest}".rstrip("&"))
            assert answer.status_code < 500, (asked, odd[:100], answer.content[:300])
            count += 1
    assert count > 150


COMMON: list[Any] = [None, True, 1.5, "", {"a": 1}, [[[]]]]

IDS = ["a\nb", "a\x1b[31mb", "a\u202eb", "a\u2066b", "a\u2028b", "\x7f"]

ODD: dict[type, list[Any]] = {
    int: [*COMMON, "1", 1e30, 10**30, -(10**30), "NaN", []],
    str: [
        *COMMON,
        1,
        [],
        ["a"],
        "a\0b",
        *IDS,
        "x" * 1_025,
    ],
    list: [*COMMON, 1, "a", {}],
    dict: [*COMMON, 1, "a", []],
}
"""What is none of this type, or none that can be."""

MEANT = {"expected_generation": [None], "ip": [None], "value": [None]}
"""Odd, and told by the document: whatever it is."""

ID_TO_COME = ("apply_attention_rule", "name")
"""The id of a group that need not exist, or its beginning: of any characters but NUL."""


def places(body: Any, *at: str | int) -> Iterator[tuple[str | int, ...]]:
    """Each place in a JSON value, the outermost first."""
    yield at
    if isinstance(body, dict | list):
        for name, value in body.items() if isinstance(body, dict) else enumerate(body):
            yield from places(value, *at, name)


def replaced(body: Any, at: tuple[Any, ...], value: Any) -> Any:
    """The body with this value in that place."""
    if not at:
        return value
    found = dict(body) if isinstance(body, dict) else list(body)
    found[at[0]] = replaced(body[at[0]], at[1:], value)
    return found


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
def test_unusual_values_are_refused_everywhere(
    anybody: Client, requests: list[Asked], step: int
) -> None:
    """A quarter of them in ``make test``: of each place some."""
    tried = 0
    for asked in requests:
        if asked.body is None or asked.operation_id.endswith("_by_query"):
            continue
        for at in places(asked.body):
            for odd in ODD[type(_within(asked.body, at))]:
                name = str(at[-1]) if at else ""
                is_id = (asked.operation_id, name) == ID_TO_COME and odd in IDS
                if odd not in MEANT.get(name, ()) and not is_id:
                    tried += 1
                    if tried % step == 0:
                        refused(anybody, asked, json.dumps(replaced(asked.body, at, odd)))
    assert tried > 300


def _within(body: Any, at: tuple[Any, ...]) -> Any:
    for name in at:
        body = body[name]
    return body


NO_JSON: dict[str, str | bytes] = {
    "a key twice": '{"reason": "a", "reason": "b"}',
    "a key twice, within": '{"reason": "a", "more": {"x": 1, "x": 2}}',
    "not a number": '{"reason": "a", "expected_generation": NaN}',
    "without end": '{"reason": "a", "expected_generation": -Infinity}',
    "beyond every number": '{"reason": "a", "expected_generation": 1e999}',
    "as many digits as Python reads": f'{{"reason": "a", "expected_generation": {"9" * 4_000}}}',
    "more digits than Python reads": f'{{"reason": "a", "expected_generation": {"9" * 9_000}}}',
    "deep": '{"reason": ' + "[" * 500 + "]" * 500 + "}",
    "deeper": '{"reason": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "half a character": '{"reason": "\\ud800"}',
    "half a character in a name": '{"reason": "a", "\\udfff": 1}',
    "half a character in a choice": '{"reason": "a", "on_in_progress": "\\ud800"}',
    "another encoding": '{"reason": "a"}'.encode("utf-16"),
    "with a mark of order": b'\xef\xbb\xbf{"reason": "a"}',
    "with something behind": '{"reason": "a"} {}',
    "a comma too many": '{"reason": "a",}',
    "a comment": '{"reason": "a" /* b */}',
    "no key": '{reason: "a"}',
    "other quotes": "{'reason': 'a'}",
    "too large": '{"reason": "' + " " * 1_100_000 + 'a"}',
    "many unknown fields": json.dumps({"reason": "a", **{f"x{n}": n for n in range(50_000)}}),
}


def test_an_ambiguous_request_is_refused(anybody: Client, requests: list[Asked]) -> None:
    for asked in requests:
        if asked.operation_id in ("force_rebalance", "evict_member", "start_reports"):
            for what, raw in NO_JSON.items():
                problem = refused(anybody, asked, raw)
                assert len(problem.get("errors", ())) <= 20, what


def test_a_chunked_body_is_read(anybody: Client, requests: list[Asked]) -> None:
    (start,) = (a for a in requests if a.operation_id == "start_reports")
    answer = anybody.post(start.path, headers={"transfer-encoding": "chunked"})
    assert (answer.status_code, answer.json()["code"]) == (411, "length_required")


def test_a_form_body_is_refused(anybody: Client, requests: list[Asked]) -> None:
    (start,) = (a for a in requests if a.operation_id == "start_reports")
    assert anybody.post(start.path, {"dry_run": "true"}).status_code == 400


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text() | st.sampled_from(["reason", "to"]), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
@example({"reason": "a", "expected_generation": None, "on_in_progress": None})
@settings(
    max_examples=at_most(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_json_body_gets_a_problem_document(anybody: Client, said: Any) -> None:
    """Also for a group that is not there: of a right request nothing comes either."""
    asked = Asked("force_rebalance", "POST", "/api/v1/groups/nobodys/rebalances", body=said)
    answer = asked.send(anybody, json.dumps(said))
    assert answer.status_code in CLIENT_ERRORS, answer.content


WRONG_WORDS = [
    "/groups?state=Stabel",
    "/groups?type=clasic",
    "/groups?state=",
    "/groups/g/journal?kind=rebalanced",
    "/groups/g/offsets?topic=",
    "/operations?state=done",
    "/operations?group_id=",
    "/groups?page_size=0",
    "/topics?page_size=501",
    "/nodes?page_size=x",
]


def test_an_invalid_keyword_is_refused_and_not_ignored(
    anybody: Client, requests: list[Asked]
) -> None:
    for path in WRONG_WORDS:
        problem = refused(anybody, Asked("", "GET", f"/api/v1{path}"))
        assert problem["errors"][0]["parameter"] in path


def test_keywords_are_case_insensitive(anybody: Client) -> None:
    everything()
    found = anybody.get("/api/v1/groups?state=stable&type=CLASSIC").json()["data"]
    assert [group["group_id"] for group in found] == ["g", "to-be-restored"]


def test_a_time_in_any_zone_is_parsed_or_refused(anybody: Client) -> None:
    """PostgreSQL has no zone that is 16 hours from UTC, and Python no time before its year 1."""
    everything()
    for zone in ("Z", "%2B15:59", "%2B16:00", "-16:36", "%2B23:59", "-23:59"):
        answers = [
            anybody.get(f"/api/v1/groups?updated_since={year}{zone}").status_code
            for year in ("2026-01-01T00:00:00", "0001-01-01T00:00:00", "9999-12-31T23:59:59")
        ]
        ahead = 400 if zone.startswith("%2B") else 200
        behind = 400 if zone.startswith("-") else 200
        assert answers == [200, ahead, behind], zone


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.9Z"])
def test_the_first_and_the_last_time_may_be_asked_for(
    anybody: Client, requests: list[Asked], text: str
) -> None:
    """Go sends the former for a time without a value. Whatever is added to one, it is no error of
    the server."""
    asked = [
        each.but(query={**{k: v for k, v in each.query.items() if k not in names}, name: text})
        for each in requests
        if each.method == "GET"
        for names in [moments_of(each.operation_id)]
        for name in names
    ]
    assert len(asked) > 20
    answers = [(each.operation_id, each.send(anybody).status_code) for each in asked]
    assert [answer for answer in answers if answer[1] >= 500] == []


def moments_of(operation_id: str) -> list[str]:
    """The parameters of an operation that are times."""
    operations = (
        operation for methods in document()["paths"].values() for operation in methods.values()
    )
    (found,) = (each for each in operations if each["operationId"] == operation_id)
    parameters = found.get("parameters", [])
    return [each["name"] for each in parameters if each["schema"].get("format") == "date-time"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("limit", "page_size"),
        ("per_page", "page_size"),
        ("pagesize", "page_size"),
        ("page_sise", "page_size"),
        ("sort", "ordering"),
        ("search", "q"),
        ("sate", "state"),
        ("zzz", None),
    ],
)
def test_an_unknown_parameter_is_answered_with_the_one_that_is_meant(
    anybody: Client, given: str, meant: str | None
) -> None:
    (error,) = anybody.get("/api/v1/groups", {given: "5"}).json()["errors"]
    hint = "" if meant is None else f" Did you mean {meant}?"
    assert error == {
        "parameter": given,
        "detail": f"This operation has no such parameter.{hint}",
    }


def test_a_browser_without_a_session_is_led_to_the_login_and_back() -> None:
    browser = {"accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
    sent = Client().get("/api/v1/docs", headers=browser)
    assert (sent.status_code, sent["Location"]) == (
        302,
        "/admin/login/?next=%2Fapi%2Fv1%2Fdocs",
    )
    program = Client().get("/api/v1/docs")
    assert (program.status_code, program["Content-Type"]) == (401, "application/problem+json")
    elsewhere = Client().get("/api/v1/groups", headers=browser)
    assert elsewhere["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/api/v1/docs", "/api/v1/schema"])
def test_requests_for_the_api_description_are_validated(anybody: Client, path: str) -> None:
    assert anybody.get(path).status_code == 200
    wrong = anybody.get(f"{path}?version=2")
    assert (wrong.status_code, wrong.headers["Content-Type"]) == (400, "application/problem+json")
    assert json.loads(wrong.content)["errors"][0]["parameter"] == "version"
    assert anybody.options("/api/v1/docs").status_code == 405


def test_every_view_validates_its_input() -> None:
    """Also those of others, which the document does not describe."""
    views = list(_views(get_resolver("console.api.urls").url_patterns))
    assert len(views) > 15
    assert [view for view in views if not issubclass(view, Checked)] == []


def _views(patterns: list[Any]) -> Iterator[type]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _views(pattern.url_patterns)
        elif isinstance(pattern, URLPattern) and hasattr(pattern.callback, "cls"):
            yield pattern.callback.cls


@pytest.mark.parametrize("text", ["Grüße", "再均衡", "👩‍👩‍👧 moved", "a - b", "“quoted”"])
def test_free_texts_must_be_printable(text: str) -> None:
    assert text_problem(text) is None
