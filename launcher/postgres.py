"""The embedded PostgreSQL server: its settings, whether it is ready, and how it stops.

``describe`` makes it a process of the supervisor; ``serve`` runs it alone, for tests.
"""

import signal
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from launcher import cluster as clusters
from launcher.cluster import PostgresCluster
from launcher.identity import CLEAN_ENVIRONMENT
from launcher.output import Output
from launcher.ports import LOOPBACK
from launcher.process import Command, Ladder, Process
from launcher.signals import Signals
from launcher.supervisor import Supervisor

SETTINGS: Mapping[str, str] = {
    # Loopback only, by password only: there is no socket file whose mode must be right.
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "password_encryption": "scram-sha-256",
    # Small, as it shares one machine with other processes; durable in any crash.
    "shared_buffers": "64MB",
    "max_connections": "100",  # more for many nodes (``for_processes``)
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "max_wal_size": "512MB",
    # Each process reads for itself: I/O workers that read ahead are for tables beyond memory.
    "io_method": "sync",
    "io_max_concurrency": "4",  # handles of every possible connection, in shared memory
    # A node keeps plans from when the tables were small until PostgreSQL has analysed them again.
    "autovacuum_naptime": "15s",
    "max_logical_replication_workers": "0",  # nothing here subscribes to another server
    # Notice a client that vanished, and release its locks.
    "client_connection_check_interval": "1s",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    # To standard error, where the supervisor adds the process's name.
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_line_prefix": "",
    "log_checkpoints": "off",
    "log_timezone": "UTC",
    "timezone": "UTC",
    # The file of a cluster that tests made has 1.
    "scram_iterations": "4096",
}
"""Given on the command line, so that an older data folder gets them too."""

CONNECTIONS_MIN = 100
OF_A_NODE, OF_OTHERS = 16, 16
"""The most connections of a node, while something is wrong; and those of set-up, an analysis,
users' own programs, and those that PostgreSQL reserves for its superuser."""


def for_processes(nodes: int, logins: int) -> Mapping[str, str]:
    """The settings for so many nodes, and for so many connections of the logins of web and worker.
    Neither can use up the other's connections, and the nodes' are reserved."""
    reserved = nodes * OF_A_NODE
    most = max(CONNECTIONS_MIN, reserved + logins + OF_OTHERS)
    return {**SETTINGS, "max_connections": str(most), "reserved_connections": str(reserved)}


THROWAWAY: Mapping[str, str] = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum_naptime": "1min",
    "scram_iterations": "1",
}
"""For tests, whose data need not survive."""

CONNECT_TIMEOUT_S = 1
PROTOCOL_VERSION = 3 << 16
PASSWORD_REQUEST = b"R"
"""The first byte of a server that accepts connections; one that starts or stops sends an error."""

LADDER: Ladder = (
    (signal.SIGINT, 2.0),  # fast: connections end, a checkpoint is written
    (signal.SIGQUIT, 0.7),  # immediate: the next start recovers
    (signal.SIGKILL, 0.3),
)
"""The general ladder takes 6.5 s at most, this one 3 s: everything has stopped within 10 s
(docs/architecture.md, *Contracts*)."""


def describe(cluster: PostgresCluster, settings: Mapping[str, str] = SETTINGS) -> Process:
    """The server as the supervisor runs it."""
    argv = clusters.server_command(cluster, {"port": str(cluster.port), **settings})
    command = Command(
        argv=tuple(argv),
        environ=CLEAN_ENVIRONMENT,
        identity=cluster.identity,
        at_our_death=signal.SIGINT,
    )
    return Process("postgres", command, lambda: probe(cluster), LADDER)


def probe(cluster: PostgresCluster) -> str | None:
    """Where the server accepts connections; None while it does not.

    It answers the first message of a connection, before it asks for the password. Written by hand,
    because importing a driver takes longer than the server's start.
    """
    words = ("user", clusters.SUPERUSER, "database", clusters.DATABASE, "", "")
    message = struct.pack("!I", PROTOCOL_VERSION) + "\0".join(words).encode()
    try:
        with socket.create_connection((LOOPBACK, cluster.port), CONNECT_TIMEOUT_S) as peer:
            peer.sendall(struct.pack("!I", len(message) + 4) + message)
            answer = peer.recv(1)
    except OSError:
        return None
    return f"{LOOPBACK}:{cluster.port}" if answer == PASSWORD_REQUEST else None


@contextmanager
def serve(path: Path, *, throwaway: bool = False, output: Output | None = None) -> Iterator[str]:
    """Run the server alone, and return its database's URL; for tests and for tools.

    Must be called by the main thread. Raises ``LaunchError`` if it cannot start.
    """
    cluster = clusters.prepare(path, throwaway=throwaway)
    settings = {**SETTINGS, **(THROWAWAY if throwaway else {})}
    supervisor = Supervisor(output or Output(), Signals())
    try:
        supervisor.begin((describe(cluster, settings),))
        yield cluster.url()
    finally:
        supervisor.stop()
        cluster.lock.close()
