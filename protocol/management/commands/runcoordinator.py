"""``manage.py runcoordinator``: one coordinator node in the foreground."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from groups.cluster.view import DRAFT
from groups.loop_watch import LoopWatch
from groups.tracing import provider
from protocol.authentication import principals
from protocol.authentication.sasl import OAUTHBEARER
from protocol.authentication.tls import Tls, TlsError, TlsSettings
from protocol.connection import listeners
from protocol.connection.listeners import Listener, ListenerError, ListenerSettings
from protocol.metrics.metrics_listener import MetricsAddress

if TYPE_CHECKING:
    from groups.tracing.spans import NodeSpans
    from protocol.authentication.tokens.tokens import Tokens

DRAFT_PORT = 9392
"""The port of node 0; each further node has the next one."""

TRACED_AS = "rollcall-node"
"""Its ``service.name`` in traces, unless the environment says another."""


class Command(BaseCommand):
    """Serve the Kafka protocol as one node of the cluster."""

    help = "Run one coordinator node in the foreground."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options: where to listen, and which address to advertise."""
        parser.add_argument("--node-id", type=int, default=0)
        parser.add_argument(
            "--host",
            default="127.0.0.1",
            help="the address to bind, unless the setting listeners is set",
        )
        port = int(os.environ.get("ROLLCALL_KAFKA_PORT", "9092"))
        parser.add_argument("--port", type=int, default=port, help="0: any free one")
        parser.add_argument(
            "--draft-port",
            type=int,
            help="the port for clients of the 0.9 draft; 0: any free one, -1: no such listener;"
            " default:"
            " ROLLCALL_DRAFT_PORT or 9392, plus the node id, or a free one if --port is 0",
        )
        parser.add_argument(
            "--metrics-port",
            type=int,
            help="for Prometheus; 0: any free one, -1: no such listener; default: none, or"
            " ROLLCALL_METRICS_PORT plus the node id",
        )
        parser.add_argument(
            "--advertised-host", help="the host that clients receive; default: --host"
        )
        advertised = os.environ.get("ROLLCALL_ADVERTISED_PORT")
        parser.add_argument(
            "--advertised-port",
            type=int,
            default=int(advertised) if advertised else None,
            help="the port that clients receive if there is a proxy in between; default: the bound"
            " port",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run until SIGINT or SIGTERM."""
        try:
            where = listeners_of(options)
            draft = draft_of(options)
            metrics = metrics_of(options)
        except ListenerError as error:
            raise CommandError(str(error)) from None
        secured = tls() if any(listener.security.has_tls for listener in where) else None
        accepted = tokens() if any(listener.security.has_sasl for listener in where) else None
        from channels.routing import ProtocolTypeRouter

        from groups.node import Node
        from groups.runtime import fail_points
        from protocol.connection.application import RequestConsumer
        from protocol.connection.traced import TracedConsumer
        from protocol.server import CoordinatorServer  # sets the event loop policy

        traces = spans(options["node_id"])
        consumer = RequestConsumer if traces is None else TracedConsumer
        server = CoordinatorServer(
            ProtocolTypeRouter({"kafka": consumer.as_asgi()}),
            lambda me, desk: Node(
                me,
                desk.answer,
                hang_up=desk.hang_up,
                fail=fail_points.from_environment(me.node_id),
                spans=traces,
            ),
            node_id=options["node_id"],
            listeners=where,
            ready=announce,
            draft=draft,
            tls=secured,
            secret=setting("SECRET_KEY").encode(),
            metrics=metrics,
            tokens=accepted,
        )
        watch = LoopWatch(server.loop.call_later, setting("NODE_STILL_MAX_MS") / 1000)
        watch.start()
        server.run()
        watch.stop()
        if traces is not None:
            traces.provider.shutdown()
        sys.exit(server.exit_code)


def setting(name: str) -> Any:
    """A setting of ``coordinator_site.kafka_settings``."""
    return getattr(settings, name)


def listener_settings() -> ListenerSettings:
    """The settings of listeners."""
    return ListenerSettings(
        listeners=setting("LISTENERS"),
        advertised=setting("ADVERTISED_LISTENERS"),
        security_map=setting("LISTENER_SECURITY_PROTOCOL_MAP"),
        has_certificate=bool(setting("SSL_KEYSTORE_LOCATION")),
        needs_client_certificate=setting("SSL_CLIENT_AUTH") == "required",
        may_be_insecure=setting("INSECURE_LISTENERS_ALLOW"),
    )


def listeners_of(options: Mapping[str, Any]) -> Sequence[Listener]:
    """The listeners of the settings, or the one of the command line; raises ``ListenerError``."""
    if setting("LISTENERS"):
        return listeners.read(listener_settings())
    host = options["host"]
    only = listeners.plain(
        host, options["port"], options["advertised_host"] or host, options["advertised_port"]
    )
    listeners.check(only, listener_settings())
    return (only,)


def draft_of(options: Mapping[str, Any]) -> Listener | None:
    """The listener for the 0.9 draft, which supports neither TLS nor SASL."""
    port = draft_port(options, os.environ)
    if port is None:
        return None
    host = options["host"]
    found = Listener(DRAFT, host, port, advertised_host=options["advertised_host"] or host)
    listeners.check(found, listener_settings())
    return found


def metrics_of(options: Mapping[str, Any]) -> MetricsAddress | None:
    """Where Prometheus reads, if anywhere. Raises ``ListenerError`` for an address that other
    machines reach and that needs no token."""
    port = metrics_port(options, os.environ)
    if port is None:
        return None
    host, token = setting("METRICS_HOST"), setting("METRICS_TOKEN")
    if not token and not listeners.is_loopback(host):
        raise ListenerError(f"metrics.host ({host}) is not a loopback address: set a token")
    return MetricsAddress(host, port, token)


def tls() -> Tls:
    """The certificates in the settings."""
    try:
        return Tls(
            TlsSettings(
                keystore=setting("SSL_KEYSTORE_LOCATION"),
                truststore=setting("SSL_TRUSTSTORE_LOCATION"),
                client_auth=setting("SSL_CLIENT_AUTH"),
                rules=principals.read(setting("SSL_PRINCIPAL_MAPPING_RULES")),
                handshake_s=setting("SSL_HANDSHAKE_TIMEOUT_MS") / 1000,
            )
        )
    except (TlsError, principals.RuleError) as error:
        raise CommandError(str(error)) from None


def tokens() -> "Tokens | None":
    """How clients' tokens are verified; None if they are not accepted. The libraries for it are
    loaded only if they are."""
    if OAUTHBEARER not in setting("SASL_ENABLED_MECHANISMS"):
        return None
    from protocol.authentication.bearer import TokenSettings, TokenSettingsError

    try:
        return TokenSettings.from_django(setting).tokens()
    except TokenSettingsError as error:
        raise CommandError(str(error)) from None


def spans(node_id: int) -> "NodeSpans | None":
    """Where requests and operations are traced; None: nobody wants that."""
    started = provider.start(os.environ, TRACED_AS, f"node-{node_id}")
    if started is None:
        return None
    from groups.tracing.spans import NodeSpans

    return NodeSpans(started)


def draft_port(options: Mapping[str, Any], environ: Mapping[str, str]) -> int | None:
    """The port of the draft's listener, 0 for any free one; None: there is no such listener."""
    port: int | None = options["draft_port"]
    if port is not None:
        return port if port >= 0 else None
    first = int(environ.get("ROLLCALL_DRAFT_PORT") or DRAFT_PORT)
    return first + int(options["node_id"]) if first and options["port"] else 0


def metrics_port(options: Mapping[str, Any], environ: Mapping[str, str]) -> int | None:
    """The port of the listener for Prometheus, 0 for any free one; None: there is no such
    listener."""
    port: int | None = options["metrics_port"]
    if port is None:
        text = environ.get("ROLLCALL_METRICS_PORT") or "-1"
        if not re.fullmatch(r"-1|\d{1,5}", text):
            raise ListenerError(f"ROLLCALL_METRICS_PORT is a port, 0 or -1, not {text!r}")
        first = int(text)
        port = first + int(options["node_id"]) if first > 0 else first
    if port > listeners.PORT_MAX:
        raise ListenerError(f"{port} is not a port (ROLLCALL_METRICS_PORT)")
    return port if port >= 0 else None


def announce(kafka_at: str, draft_at: str) -> None:
    """Report where it listens (HOST:PORT; "": nowhere) to the supervisor, if any, and the log."""
    ready_file = os.environ.get("ROLLCALL_READY_FILE")
    if ready_file:
        partial = Path(f"{ready_file}.partial")
        partial.write_text(f"{kafka_at}\n")
        partial.rename(ready_file)
    draft = f" draft={draft_at}" if draft_at else ""
    print(f"serving kafka={kafka_at}{draft}", flush=True)
