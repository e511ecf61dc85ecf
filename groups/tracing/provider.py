"""Whether traces are wanted, and what sends them: read from OpenTelemetry's own variables.

What the SDK reads by itself (the endpoint, headers, time-outs, the sampler, limits, batches) is not
repeated here. As OpenTelemetry's specification asks, a value that is not understood is a warning
and never ends the program (*Environment variables*, *Enum*).
"""

import logging
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from django.conf import settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

logger = logging.getLogger(__name__)

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
EXPORTER: Final = "OTEL_TRACES_EXPORTER"
DISABLED: Final = "OTEL_SDK_DISABLED"
SERVICE_NAME: Final = "service.name"

OTLP: Final = "otlp"
HTTP_PROTOBUF: Final = "http/protobuf"
NEEDS: Final = "opentelemetry.exporter.otlp.proto.http"
"""Of the dependency group ``otel``; the rest of it comes along."""

_started: dict[str, "TracerProvider"] = {}


def problem_of(environ: Mapping[str, str]) -> str | None:
    """Why wanted traces cannot be sent: a sentence for the log."""
    exporter = environ.get(EXPORTER, "").strip() or OTLP
    if exporter != OTLP:
        return f"{EXPORTER} is otlp or none, not {exporter!r}"
    for name in PROTOCOLS:
        protocol = environ.get(name, "").strip()
        if protocol and protocol != HTTP_PROTOBUF:
            return f"{name} is {HTTP_PROTOBUF}, not {protocol!r}"
        if protocol:
            break  # that of traces counts before that of all
    if not _is_installed():
        return "OpenTelemetry is not installed (the dependency group otel)"
    return None


def is_enabled(environ: Mapping[str, str]) -> bool:
    """Whether the environment asks for traces: it names an endpoint, or the exporter itself."""
    if environ.get(DISABLED, "").strip().lower() == "true":
        return False
    exporter = environ.get(EXPORTER, "").strip()
    return exporter != "none" and bool(exporter or any(environ.get(name) for name in ENDPOINTS))


def start(environ: Mapping[str, str], service: str, instance: str) -> "TracerProvider | None":
    """What sends the spans of this process, or None: its ``service.name``, unless the environment
    says another, and its ``service.instance.id``. The same object each time."""
    if not is_enabled(environ):
        return None
    problem = problem_of(environ)
    if problem is not None:
        logger.warning("no traces are sent: %s", problem)
        return None
    if service not in _started:
        _started[service] = _new_provider(environ, service, instance)
    return _started[service]


def _new_provider(environ: Mapping[str, str], service: str, instance: str) -> "TracerProvider":
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    attributes = {"service.instance.id": instance, "service.version": settings.VERSION}
    named = environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    if not environ.get("OTEL_SERVICE_NAME") and f"{SERVICE_NAME}=" not in named:
        attributes[SERVICE_NAME] = service
    provider = TracerProvider(resource=Resource.create(attributes))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def _is_installed() -> bool:
    try:
        return find_spec(NEEDS) is not None
    except ModuleNotFoundError:  # not even the package that it is in
        return False
