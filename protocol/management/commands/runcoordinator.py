"""``manage.py runcoordinator``: one coordinator node in the foreground."""

import ipaddress
import os
import socket
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser


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
        from channels.routing import ProtocolTypeRouter

        from groups import fail_points
        from groups.node import Node
        from protocol.consumer import KafkaConsumer
        from protocol.server import CoordinatorServer  # sets the event loop policy

        server = CoordinatorServer(
            ProtocolTypeRouter({"kafka": KafkaConsumer.as_asgi()}),
            lambda me, desk: Node(me, desk.answer, fail=fail_points.from_environment(me.node_id)),
            node_id=options["node_id"],
            host=options["host"],
            port=options["port"],
            advertised=(options["advertised_host"] or options["host"], options["advertised_port"]),
            ready=announce,
        )
        server.run()
        sys.exit(server.exit_code)


def is_loopback(host: str) -> bool:
    """Whether an address, or every address of a name, can be reached from this machine only."""
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return all(ipaddress.ip_address(address).is_loopback for address in found)


def announce(host: str, port: int) -> None:
    """Tell the supervisor, if there is one, and whoever reads the log."""
    ready_file = os.environ.get("ROLLCALL_READY_FILE")
    if ready_file:
        partial = Path(f"{ready_file}.partial")
        partial.write_text(f"{host}:{port}\n")
        partial.rename(ready_file)
    print(f"serving kafka={host}:{port}", flush=True)
