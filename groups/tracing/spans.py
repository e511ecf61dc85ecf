"""A node's spans: a request or an operation, and below it the steps and transactions that it took.

A step decides what several requests asked, and a transaction writes several groups. Whoever looks
at a trace wants to see what its own request waited for: so each request gets spans of its own for
the step that took its event, and for the one that answered it, with the same times.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from groups.core.errors import ErrorCode
from groups.core.events import Event, Ticket
from groups.core.events import Verb as VerbEvent
from groups.core.group import Decision
from groups.core.replies import Operated
from groups.tracing.context import OPERATION_ID

SCOPE: Final = "rollcall.node"

OPEN_MAX: Final = 20_000
"""Requests and operations that are traced at the same time, of each; more are not. It is what a
crowd of two full groups asks at once."""

CHILDREN_MAX: Final = 100
"""Requests that get spans of one step: a span costs some 20 us of the event loop, and a step may
answer ten thousand."""

GROUP: Final = "rollcall.group"
ERROR: Final = "rollcall.error"

Value = str | int | bool


@dataclass(slots=True)
class Step:
    """When one group was stepped and written, in nanoseconds since 1970; 0: it was not written.

    ``groups``: how many the transaction wrote.
    """

    began: int
    decided: int
    writing: int = 0
    written: int = 0
    groups: int = 0

    def is_being_written(self, groups: int) -> None:
        """A transaction begins, perhaps not the first."""
        self.writing, self.groups = time.time_ns(), groups


@dataclass(slots=True)
class Traced:
    """An open span, and the context of what is below it."""

    span: Span
    below: Context = field(init=False)

    def __post_init__(self) -> None:
        self.below = set_span_in_context(self.span)


class NodeSpans:
    """What is open on a node. Used by its event loop only."""

    def __init__(self, provider: TracerProvider) -> None:
        self.provider = provider
        self._tracer = provider.get_tracer(SCOPE)
        self._requests: dict[Ticket, Traced] = {}
        self._operations: dict[int, Traced] = {}

    # -- requests

    def begin(self, api: str, ticket: Ticket, attributes: Mapping[str, Value]) -> Span:
        """A request that waits in the queue."""
        span = self._tracer.start_span(api, Context(), SpanKind.SERVER, attributes)
        if span.is_recording() and len(self._requests) < OPEN_MAX:
            self._requests[ticket] = Traced(span)
        return span

    def end(self, ticket: Ticket, span: Span, error: int | None) -> None:
        """It is answered, with this code; None: its connection closed."""
        self._requests.pop(ticket, None)
        if error is None:
            span.set_attribute(ERROR, "closed")
        elif error:
            span.set_attribute(ERROR, _name(error))
        span.end()

    # -- operations

    def begin_operation(
        self, event: VerbEvent, group_id: str, verb: str, traceparent: str | None
    ) -> None:
        """An operation was found; the request that asked for it is its parent, if one is known."""
        self.left(event.operation_id)
        header = {} if traceparent is None else {"traceparent": traceparent}
        above = TraceContextTextMapPropagator().extract(header, Context())
        attributes: dict[str, Value] = {OPERATION_ID: event.operation_id, GROUP: group_id}
        attributes["rollcall.verb"] = verb
        span = self._tracer.start_span(f"operation {verb}", above, SpanKind.CONSUMER, attributes)
        if span.is_recording() and len(self._operations) < OPEN_MAX:
            self._operations[event.operation_id] = Traced(span)

    def left(self, operation_id: int) -> None:
        """Nothing more happens to it here: it was not decided, or not by a step."""
        traced = self._operations.pop(operation_id, None)
        if traced is not None:
            traced.span.end()

    def _ended(self, operated: Operated) -> None:
        traced = self._operations.get(operated.operation_id)
        if traced is None or not operated.ended:
            return
        if operated.error is not ErrorCode.NONE:
            traced.span.set_attribute(ERROR, operated.error.name)
            traced.span.set_status(Status(StatusCode.ERROR, operated.detail))
        self.left(operated.operation_id)

    # -- what became of them

    def stepped(self, step: Step, events: Iterable[Event], decision: Decision) -> None:
        """A decision is in force: tell it to those whose events it took and whom it answers."""
        if not self._requests and not self._operations:
            return
        for traced, answers in self._concerned(events, decision):
            self._add_children(traced, step, decision, answers=answers)
        for operated in decision.operations:
            self._ended(operated)

    def _concerned(self, events: Iterable[Event], decision: Decision) -> list[tuple[Traced, bool]]:
        answered = [answer.ticket for answer in decision.answers]
        tickets = [event.ticket for event in events if event.ticket is not None]
        found = {ticket: True for ticket in answered if ticket in self._requests}
        for ticket in tickets:
            if ticket in self._requests:
                found.setdefault(ticket, False)
        parents = [(self._requests[ticket], answers) for ticket, answers in found.items()]
        ids = {event.operation_id: False for event in events if isinstance(event, VerbEvent)}
        ids |= {each.operation_id: each.ended for each in decision.operations}
        parents += [
            (self._operations[i], ended) for i, ended in ids.items() if i in self._operations
        ]
        return parents[-CHILDREN_MAX:]

    def _add_children(
        self, traced: Traced, step: Step, decision: Decision, *, answers: bool
    ) -> None:
        row = decision.group.durable.group
        attributes: dict[str, Value] = {
            GROUP: row.group_id,
            "rollcall.generation": row.generation,
            "rollcall.state": str(row.state),
            "rollcall.answers": answers,
        }
        span = self._tracer.start_span(
            "step", traced.below, start_time=step.began, attributes=attributes
        )
        span.end(step.decided)
        if not step.written:
            return
        attributes = {"db.system.name": "postgresql", "rollcall.groups": step.groups}
        below = set_span_in_context(span)
        kind = SpanKind.CLIENT
        span = self._tracer.start_span("commit", below, kind, attributes, start_time=step.writing)
        span.end(step.written)


def _name(code: int) -> str:
    """Kafka's name of an error code."""
    try:
        return ErrorCode(code).name
    except ValueError:
        return str(code)
