"""Spans of requests to REST, and of changes in the admin, where traces are wanted.

The caller's ``traceparent`` is carried on; operations that are asked for keep it, and the node
that steps one continues the trace (docs/tracing.md).
"""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from console.people import audit
from groups.tracing import context, provider

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

SERVICE: Final = "rollcall-web"
SCOPE: Final = "rollcall.web"

REST: Final = ("/api/", "/kafka/")
"""Everything below these; of other paths only what may change something."""

READS: Final = frozenset(["GET", "HEAD", "OPTIONS"])
FAILED: Final = 500

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class Current:
    """``context.Current``, by OpenTelemetry's own context of the thread."""

    def traceparent(self) -> str | None:
        """Of a span that is recorded; whoever continues one that is not would record it."""
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        header: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(header)
        return header.get("traceparent")

    def note(self, name: str, value: str | int) -> None:
        """Give it to the span of the request."""
        from opentelemetry.trace import get_current_span

        get_current_span().set_attribute(name, value)


def traced(get_response: GetResponse) -> GetResponse:
    """The middleware; without traces it is not part of the chain."""
    started = provider.start(os.environ, SERVICE, f"web-{os.getpid()}")
    if started is None:
        raise MiddlewareNotUsed
    context.use(Current())
    return tracing(get_response, started)


def tracing(get_response: GetResponse, provided: "TracerProvider") -> GetResponse:
    """The same, with what sends the spans."""
    from opentelemetry.propagate import extract
    from opentelemetry.trace import SpanKind

    tracer = provided.get_tracer(SCOPE)

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method in READS and not request.path.startswith(REST):
            return get_response(request)
        attributes = {"http.request.method": request.method or "", "url.path": request.path}
        above = extract(request.headers)
        with tracer.start_as_current_span(
            request.method or "HTTP", above, SpanKind.SERVER, attributes
        ) as span:
            response = get_response(request)
            _answered(span, request, response.status_code)
        return response

    return middleware


def _answered(span: "Span", request: HttpRequest, status: int) -> None:
    from opentelemetry.trace import Status, StatusCode

    span.set_attribute("http.response.status_code", status)
    if status >= FAILED:
        span.set_status(Status(StatusCode.ERROR))
    request_id = getattr(request, audit.REQUEST_ID, None)
    if request_id is not None:
        span.set_attribute("rollcall.request.id", request_id)
    if request.resolver_match is not None:
        route = f"/{request.resolver_match.route}"
        span.set_attribute("http.route", route)
        span.update_name(f"{request.method} {route}")
