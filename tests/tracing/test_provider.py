"""Who wants traces, by OpenTelemetry's own variables, and what cannot be sent."""

import logging
import subprocess
import sys

import pytest

from groups.tracing import provider

AT = "OTEL_EXPORTER_OTLP_ENDPOINT"
OF_TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
HERE = "http://127.0.0.1:4318"


@pytest.mark.parametrize(
    "environ",
    [
        {AT: HERE},
        {OF_TRACES: f"{HERE}/v1/traces"},
        {"OTEL_TRACES_EXPORTER": "otlp"},
        {AT: HERE, "OTEL_SDK_DISABLED": "false"},
    ],
)
def test_an_endpoint_or_the_exporter_enables_traces(environ: dict[str, str]) -> None:
    assert provider.is_enabled(environ)
    assert provider.problem_of(environ) is None


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {AT: ""},
        {"OTEL_SERVICE_NAME": "rollcall", "OTEL_TRACES_SAMPLER": "always_on"},
        {AT: HERE, "OTEL_TRACES_EXPORTER": "none"},
        {AT: HERE, "OTEL_SDK_DISABLED": "TRUE"},
    ],
)
def test_traces_are_disabled_by_default(environ: dict[str, str]) -> None:
    assert not provider.is_enabled(environ)
    assert provider.start(environ, "rollcall-node", "node-0") is None


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "OTEL_TRACES_EXPORTER is otlp or none, not 'zipkin'"),
        (
            {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf, not 'grpc'",
        ),
        (
            {
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            },
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is http/protobuf, not 'http/json'",
        ),
    ],
)
def test_an_export_failure_is_a_warning_and_ends_nothing(
    more: dict[str, str], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert provider.start({AT: HERE, **more}, "rollcall-node", "node-0") is None
    assert caplog.messages == [f"no traces are sent: {said}"]


def test_the_protocol_of_traces_takes_precedence() -> None:
    environ = {
        AT: HERE,
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
    }
    assert provider.problem_of(environ) is None


def test_without_the_extra_the_error_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(provider, "NEEDS", "opentelemetry_of_nobody.exporter")
    assert provider.start({AT: HERE}, "rollcall-node", "node-0") is None
    assert caplog.messages == [
        "no traces are sent: OpenTelemetry is not installed (the dependency group otel)"
    ]


def test_a_node_without_traces_imports_nothing_of_opentelemetry() -> None:
    look = (
        "import os, sys, django; django.setup();"
        "import protocol.connection.traced, groups.runtime.traced, coordinator_site.asgi;"
        "from groups.tracing import provider;"
        "assert provider.start(os.environ, 'rollcall-node', 'node-0') is None;"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", look],
        capture_output=True,
        text=True,
        check=False,
        env={
            "DJANGO_SETTINGS_MODULE": "coordinator_site.settings",
            "ROLLCALL_SECRET_KEY": "k" * 50,
        },
    )
    assert ended.stdout == "[]\n", ended.stderr
