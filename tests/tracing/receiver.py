"""A receiver of traces: OTLP over HTTP, decoded by OpenTelemetry's own messages."""

import gzip
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

PATH = "/v1/traces"

Value = str | int | bool


@dataclass(frozen=True)
class Received:
    """A span, and the attributes of the process that it comes from."""

    process: dict[str, Value]
    span: Span

    @property
    def name(self) -> str:
        """What was done."""
        return self.span.name

    @property
    def trace(self) -> str:
        """The trace's id, in hexadecimal digits."""
        return self.span.trace_id.hex()

    @property
    def said(self) -> dict[str, Value]:
        """Its attributes."""
        return values(self.span.attributes)

    def is_below(self, other: "Received") -> bool:
        """Whether the other is its parent."""
        same = self.span.trace_id == other.span.trace_id
        return same and self.span.parent_span_id == other.span.span_id


class Receiver(ThreadingHTTPServer):
    """Records what it receives. ``url`` is the endpoint of exporters."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.paths: set[str] = set()
        self._spans: list[Received] = []
        self._came = threading.Condition()

    def take(self, path: str, request: ExportTraceServiceRequest) -> None:
        """Keep what a request brings."""
        with self._came:
            self.paths.add(path)
            for process in request.resource_spans:
                attributes = values(process.resource.attributes)
                for scope in process.scope_spans:
                    self._spans += [Received(attributes, span) for span in scope.spans]
            self._came.notify_all()

    def spans(self, name: str = "", **said: Value) -> list[Received]:
        """Those of this name that have these attributes; ``_`` replaces a dot in their names."""
        wanted = {key.replace("_", "."): value for key, value in said.items()}
        with self._came:
            return [
                each
                for each in self._spans
                if name in ("", each.name) and wanted.items() <= each.said.items()
            ]

    def awaited(self, name: str, seconds: float = 60, **said: Value) -> Received:
        """The first of these, once it is there."""
        with self._came:
            found = self._came.wait_for(lambda: self.spans(name, **said), seconds)
        assert found, f"no {name} {said} among {[each.name for each in self.spans()]}"
        return self.spans(name, **said)[0]

    def below(self, above: Received, name: str) -> list[Received]:
        """The children of this name, in the order in which they came."""
        return [each for each in self.spans(name) if each.is_below(above)]


class Handler(BaseHTTPRequestHandler):
    """One request, as the protocol wants it answered."""

    server: Receiver

    def do_POST(self) -> None:
        """Decode and keep."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        assert self.headers["Content-Type"] == "application/x-protobuf"
        self.server.take(self.path, ExportTraceServiceRequest.FromString(body))
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.end_headers()
        self.wfile.write(ExportTraceServiceResponse().SerializeToString())

    def log_message(self, *_arguments: object) -> None:
        """Nothing is printed."""


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that serves."""
    with Receiver() as receiver:
        thread = threading.Thread(target=receiver.serve_forever)
        thread.start()
        try:
            yield receiver
        finally:
            receiver.shutdown()
            thread.join()


def values(pairs: Iterable[KeyValue]) -> dict[str, Value]:
    """Attributes as Python has them."""
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: AnyValue) -> Value:
    kind = value.WhichOneof("value")
    found: Value = getattr(value, kind) if kind else ""
    return found
