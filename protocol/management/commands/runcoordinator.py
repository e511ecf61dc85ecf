"""``manage.py runcoordinator``: one coordinator node in the foreground."""

import ipaddress
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

DRAFT_PORT = 9392
"""Of node 0; further nodes one more each."""

HOST_BYTES_MAX, PORT_MAX = 255, 65_535
"""Of a name in DNS, and of TCP."""


class Command(BaseCommand):
    """Serve the Kafka protocol as one node of the cluster."""

    help = "Run one coordinator node in the foreground."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen, and what to tell clients."""
        parser.add_argument("--node-id", type=int, default=0)
        parser.add_argument("--host", default="127.0.0.1", help="the address to bind")
        port = int(os.environ.get("ROLLCALL_KAFKA_PORT", "9092"))
        parser.add_argument("--port", type=int, default=port, help="0: any free one")
        parser.add_argument(
            "--draft-port",
            type=int,
            help="for clients of the 0.9 draft; 0: any free one, -1: no such listener; default:"
            " ROLLCALL_DRAFT_PORT or 9392, and the node id more, or a free one where --port is 0",
        )
        parser.add_argument("--advertised-host", help="what clients are told; default: --host")
        advertised = os.environ.get("ROLLCALL_ADVERTISED_PORT")
        parser.add_argument(
            "--advertised-port",
            type=int,
            default=int(advertised) if advertised else None,
            help="what clients are told, where a proxy stands between; default: the bound port",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run until SIGINT or SIGTERM."""
        if not is_loopback(options["host"]):
            raise CommandError(
                f"{options['host']} is not a loopback address. Any other one needs TLS and"
                " authentication, which this version does not have."
            )
        advertised = options["advertised_host"] or options["host"]
        if problem := address_problem(advertised, options["advertised_port"]):
            raise CommandError(problem)
        from channels.routing import ProtocolTypeRouter

        from groups.coordinator import fail_points
        from groups.node import Node
        from protocol.application import KafkaConsumer
        from protocol.server import CoordinatorServer  # sets the event loop policy

        server = CoordinatorServer(
            ProtocolTypeRouter({"kafka": KafkaConsumer.as_asgi()}),
            lambda me, desk: Node(me, desk.answer, fail=fail_points.from_environment(me.node_id)),
            node_id=options["node_id"],
            host=options["host"],
            port=options["port"],
            advertised=(advertised, options["advertised_port"]),
            ready=announce,
            draft_port=draft_port(options, os.environ),
        )
        server.run()
        sys.exit(server.exit_code)


def draft_port(options: Mapping[str, Any], environ: Mapping[str, str]) -> int | None:
    """Where the draft's listener binds, 0: on any free port; None: there shall be none."""
    wanted: int | None = options["draft_port"]
    if wanted is not None:
        return wanted if wanted >= 0 else None
    first = int(environ.get("ROLLCALL_DRAFT_PORT") or DRAFT_PORT)
    return first + int(options["node_id"]) if first and options["port"] else 0


def address_problem(host: str, port: int | None) -> str | None:
    """Why no client could connect to such an address, whatever serves there; None: one could."""
    try:
        labels = host.encode("idna")
    except UnicodeError as error:
        return f"{host!r} is no host that clients can be told: {error}"
    if not labels or b"\0" in labels or len(labels) > HOST_BYTES_MAX:
        return f"{host!r} is no host that clients can be told"
    if port is not None and not 1 <= port <= PORT_MAX:
        return f"{port} is no port that clients can be told"
    return None


def is_loopback(host: str) -> bool:
    """Whether an address, or every address of a name, can be reached from this machine only."""
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return all(ipaddress.ip_address(address).is_loopback for address in found)


def announce(host: str, port: int, draft_port: int) -> None:
    """Tell the supervisor, if there is one, and whoever reads the log."""
    ready_file = os.environ.get("ROLLCALL_READY_FILE")
    if ready_file:
        partial = Path(f"{ready_file}.partial")
        partial.write_text(f"{host}:{port}\n")
        partial.rename(ready_file)
    draft = f" draft={host}:{draft_port}" if draft_port else ""
    print(f"serving kafka={host}:{port}{draft}", flush=True)
