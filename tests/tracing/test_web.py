"""Spans of the web: requests to REST, and the trace that an operation carries to its node."""

import pytest
from django.test import Client

from groups.models import Operation
from groups.tracing import provider
from tests.api.conftest import Api, api, write
from tests.tracing.receiver import Received, Receiver

__all__ = ["api"]

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
PARENT = {"traceparent": f"00-{TRACE}-{CALLER}-01"}
REASON = {"reason": "a new deployment"}
ROUTE = "/api/v1/groups/<id:group_id>/rebalances"


def sent(receiver: Receiver) -> list[Received]:
    """What the web has sent, once it has sent all."""
    assert provider._started["rollcall-web"].force_flush()
    return receiver.spans()


@pytest.fixture
def operator(receiver: Receiver, api: Api) -> Client:
    """A client of a web process that is traced."""
    write("g")
    return api("view_group", "view_operation", "rebalance_group")


def test_a_request_is_a_span_below_its_callers(operator: Client, receiver: Receiver) -> None:
    assert operator.get("/api/v1/groups/g", headers=PARENT).status_code == 200
    (span,) = sent(receiver)
    assert (span.trace, span.span.parent_span_id.hex()) == (TRACE, CALLER)
    assert span.process["service.name"] == "rollcall-web"
    assert span.name == f"GET {span.said['http.route']}"
    assert span.said["url.path"] == "/api/v1/groups/g"
    assert span.said["http.response.status_code"] == 200
    assert span.said["rollcall.request.id"]


def test_an_operation_keeps_the_trace_of_the_first_request(
    operator: Client, receiver: Receiver
) -> None:
    where, key = "/api/v1/groups/g/rebalances", {"Idempotency-Key": "once"}
    for headers in ({**PARENT, **key}, key):
        answer = operator.post(where, REASON, "application/json", headers=headers)
        assert answer.status_code == 202
    first, again = sent(receiver)
    operation = Operation.objects.get()
    assert operation.traceparent == f"00-{TRACE}-{first.span.span_id.hex()}-01"
    assert again.trace != TRACE
    for span in (first, again):
        assert span.said["rollcall.operation.id"] == operation.pk


def test_each_operation_of_a_batch_keeps_it(operator: Client, receiver: Receiver) -> None:
    answer = operator.post(
        "/api/v1/groups:rebalance?q=g", REASON, "application/json", headers=PARENT
    )
    assert answer.status_code == 202, answer.content
    (span,) = sent(receiver)
    assert Operation.objects.get().traceparent == f"00-{TRACE}-{span.span.span_id.hex()}-01"


def test_reads_outside_of_rest_have_no_span(operator: Client, receiver: Receiver) -> None:
    for path in ("/livez", "/admin/login/", "/"):
        operator.get(path)
    operator.post("/admin/login/", {"username": "olga"})
    assert [span.said["url.path"] for span in sent(receiver)] == ["/admin/login/"]


def test_an_invalid_traceparent_is_ignored(operator: Client, receiver: Receiver) -> None:
    for odd in ("", "nonsense", f"00-{'0' * 32}-{CALLER}-01", "\u2603", "0" * 10_000):
        assert operator.get("/api/v1/groups", headers={"traceparent": odd}).status_code == 200
    assert all(span.span.parent_span_id == b"" for span in sent(receiver))


def test_an_unsampled_caller_is_not_recorded(operator: Client, receiver: Receiver) -> None:
    unsampled = {"traceparent": f"00-{TRACE}-{CALLER}-00"}
    operator.post("/api/v1/groups/g/rebalances", REASON, "application/json", headers=unsampled)
    assert sent(receiver) == []
    assert str(Operation.objects.get().traceparent).endswith("-00")


@pytest.mark.django_db
def test_without_traces_an_operation_has_none(api: Api) -> None:
    write("g")
    operator = api("view_group", "view_operation", "rebalance_group")
    headers = PARENT
    operator.post("/api/v1/groups/g/rebalances", REASON, "application/json", headers=headers)
    assert Operation.objects.get().traceparent is None
