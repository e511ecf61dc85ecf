"""What runs: which programs of ``launcher.commands``, in which order, on which ports.

``supervisor.py`` runs it.
"""

import os
import re
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from coordinator_site import secret_files
from launcher import commands, output, own_secrets, ports
from launcher.data_dir import DataDir
from launcher.environment import Environment
from launcher.forks import Forks
from launcher.process import Command, Probe, Process, Stage, Task

WEB_HOST = ports.LOOPBACK
PROBE_TIMEOUT_S = 1.0

LISTENERS = ("ROLLCALL_LISTENERS", "ROLLCALL_ADVERTISED_LISTENERS")
"""They replace the Kafka port; a node itself reports errors in them."""

OWN_POSTGRESQL = {"ROLLCALL_DATABASE_ROLES": "logins"}
"""By default, each kind of process logs in to our own embedded server as its role."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of each coordinator node, by node id, and the web's."""

    kafka: tuple[int, ...]
    draft: tuple[int, ...]
    web: int


def choose_ports(configured: Environment) -> Ports:
    """The ports that are set; a free one for each 0. ``LaunchError`` for a port that another
    program uses."""
    free = iter(ports.free(2 * configured.nodes + 1))
    first = 0 if os.environ.get(LISTENERS[0]) else configured.kafka_port
    kafka = _of_nodes(first, configured.nodes, free)
    draft = _of_nodes(configured.draft_port, configured.nodes, free)
    web = (configured.web_port or next(free),)
    for variable, found in (("KAFKA", kafka), ("DRAFT", draft), ("WEB", web)):
        for port in found:
            ports.demand(port, f"ROLLCALL_{variable}_PORT")
    return Ports(kafka, draft, *web)


def _of_nodes(first: int, nodes: int, free: Iterator[int]) -> tuple[int, ...]:
    """The first node's port and the following ones; for 0 free ones."""
    return tuple(first + node if first else next(free) for node in range(nodes))


def build(
    configured: Environment, data_dir: DataDir, database_url: str, forks: Forks | None
) -> tuple[Stage, ...]:
    """Everything but PostgreSQL: tasks first, then the nodes, then web and worker together.

    The nodes come first because members wait for them.
    """
    chosen = choose_ports(configured)
    environ = {
        **({} if configured.database_url else OWN_POSTGRESQL),
        **secret_files.read(os.environ),
        "ROLLCALL_DATA_DIR": str(data_dir.path),
        "ROLLCALL_DATABASE_URL": database_url,
        "ROLLCALL_NODES": str(configured.nodes),
        "ROLLCALL_WEB_PORT": str(chosen.web),
        # Tell programs whether their output goes to a terminal: they only see a pipe.
        **({"ROLLCALL_TERMINAL": "1"} if os.isatty(output.STANDARD_ERROR) else {}),
    }
    if forks is not None:
        forks.send_environ(own_secrets.of_nobody(environ))
    tasks = tuple(Task(name, command(name, environ=environ)) for name in commands.TASKS)
    nodes = tuple(
        node(node_id, at, data_dir, environ)
        for node_id, at in enumerate(zip(chosen.kafka, chosen.draft, strict=True))
    )
    return (*tasks, nodes, (web(chosen.web, environ), worker(data_dir, environ)))


def command(name: str, *arguments: str, environ: Mapping[str, str]) -> Command:
    """A program of the table, with its environment."""
    return Command(
        commands.argv(name, *arguments),
        commands.environ(name, own_secrets.of(name, environ)),
        commands.CHECKOUT,
        program=(name, *arguments),
    )


def node(
    node_id: int, at: tuple[int, int], data_dir: DataDir, environ: Mapping[str, str]
) -> Process:
    """A coordinator node on its Kafka and its draft port; it writes HOST:PORT of the former to its
    ready file when it serves both."""
    ready, awaited_environ = awaited(f"node-{node_id}", data_dir, environ)
    kafka, draft = at
    where = (f"--node-id={node_id}", f"--port={kafka}", f"--draft-port={draft}")
    own = {
        name: moved(awaited_environ[name], node_id) for name in LISTENERS if name in awaited_environ
    }
    serve = command("node", *where, environ={**awaited_environ, **own})
    probe = ready_file(ready)

    def served() -> str | None:
        return (address := probe()) and f"{address} draft={ports.LOOPBACK}:{draft}"

    return Process(f"node {node_id}", serve, served)


def moved(listeners: str, node_id: int) -> str:
    """The listeners of a further node: their ports plus its number; 0 stays 0."""
    return re.sub(
        r":(\d+)(?=\s*(?:,|$))",
        lambda port: f":{int(port[1]) + node_id if int(port[1]) else 0}",
        listeners,
    )


def web(port: int, environ: Mapping[str, str]) -> Process:
    """The web process: admin, REST and health."""
    serve = command("web", "-b", WEB_HOST, "-p", str(port), environ=environ)
    return Process("web", serve, lambda: livez(port))


def worker(data_dir: DataDir, environ: Mapping[str, str]) -> Process:
    """Celery's worker with its beat; it writes its ready file when both serve."""
    ready, awaited_environ = awaited("worker", data_dir, environ)
    return Process(
        "worker", command("worker", "--beat", environ=awaited_environ), ready_file(ready)
    )


def awaited(
    name: str, data_dir: DataDir, environ: Mapping[str, str]
) -> tuple[Path, dict[str, str]]:
    """The ready file of a process that is about to start, and the environment variable with its
    path."""
    ready = data_dir.run / f"{name}.ready"
    ready.unlink(missing_ok=True)
    return ready, {**environ, "ROLLCALL_READY_FILE": str(ready)}


def ready_file(path: Path) -> Probe:
    """A process serves once its ready file has a complete line, with its address."""

    def probe() -> str | None:
        try:
            text = path.read_text()
        except FileNotFoundError:
            return None
        return text.strip() if text.endswith("\n") else None

    return probe


def livez(port: int) -> str | None:
    """The web's URL once /livez answers. Written by hand: Python's HTTP client imports TLS, and the
    launcher's memory stays in use as long as it runs."""
    try:
        with socket.create_connection((WEB_HOST, port), PROBE_TIMEOUT_S) as peer:
            peer.sendall(b"GET /livez HTTP/1.0\r\nHost: %b\r\n\r\n" % WEB_HOST.encode())
            status = peer.makefile("rb").readline()
    except OSError:
        return None
    return f"http://{WEB_HOST}:{port}" if status.split()[1:2] == [b"200"] else None
