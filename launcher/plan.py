"""What runs: which programs of ``launcher.commands``, in which order, on which ports.

``supervisor.py`` runs it.
"""

import json
import os
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coordinator_site import secret_files
from launcher import commands, output, own_secrets, ports
from launcher.data_dir import DataDir
from launcher.environment import Environment
from launcher.errors import LaunchError
from launcher.forks import Forks
from launcher.process import Command, Probe, Process, Stage, Task, Together

PROBE_TIMEOUT_S = 1.0

LISTENERS = ("ROLLCALL_LISTENERS", "ROLLCALL_ADVERTISED_LISTENERS")
"""They replace the Kafka port; a node itself reports errors in them."""

METRICS_PORT = "ROLLCALL_METRICS_PORT"

CELERY = {
    ("worker", "beat"): ("worker", "--beat"),  # one process, an import less
    ("worker",): ("worker",),
    ("beat",): ("beat",),
}
"""What runs for these processes of ``ROLLCALL_PROCESSES``."""

OWN_POSTGRESQL = {"ROLLCALL_DATABASE_ROLES": "logins"}
"""By default, each kind of process logs in to our own embedded server as its role."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of each coordinator node of this host, in order, and the web's."""

    kafka: tuple[int, ...]
    draft: tuple[int, ...]
    web: int


def choose_ports(configured: Environment) -> Ports:
    """The ports that are set; a free one for each 0. ``LaunchError`` for a port that another
    program uses, among those that this host's processes need."""
    free = iter(ports.free(2 * configured.nodes + 1, configured.host))
    first = 0 if os.environ.get(LISTENERS[0]) else configured.kafka_port
    kafka = _of_nodes(first, configured.nodes, free)
    draft = _of_nodes(configured.draft_port, configured.nodes, free)
    beside = free if configured.web_host == configured.host else _one(configured.web_host)
    web = configured.web_port or next(beside)
    needed = {
        "node": (("KAFKA", configured.host, kafka), ("DRAFT", configured.host, draft)),
        "web": (("WEB", configured.web_host, (web,)),),
    }
    for name in configured.processes:
        for variable, host, found in needed.get(name, ()):
            for port in found:
                ports.demand(port, f"ROLLCALL_{variable}_PORT", host)
    return Ports(kafka, draft, web)


def _one(host: str) -> Iterator[int]:
    """A free port of another address, chosen when it is needed."""
    yield from ports.free(1, host)


def _of_nodes(first: int, nodes: int, free: Iterator[int]) -> tuple[int, ...]:
    """The first node's port and the following ones; for 0 free ones."""
    return tuple(first + node if first else next(free) for node in range(nodes))


def build(
    configured: Environment, data_dir: DataDir, database_url: str, forks: Forks | None
) -> tuple[Stage, ...]:
    """Everything but PostgreSQL: tasks first, then the nodes, then web and worker together; of
    them what this host runs.

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
    stages: list[Stage] = [*_tasks(configured, environ)]
    if "node" in configured.processes:
        stages.append(_nodes(configured, chosen, data_dir, environ))
    stages.append(_others(configured, chosen, data_dir, environ))
    return tuple(stages)


def _tasks(configured: Environment, environ: Mapping[str, str]) -> Iterator[Task]:
    """What runs before. A database of its own has this host's nodes alone, so that they need no
    lease of their ids."""
    leases = configured.database_url is not None and "node" in configured.processes
    options = (f"--nodes={configured.nodes}",) if leases else ()
    for name in commands.TASKS:
        yield Task(name, command(name, *options, environ=environ))


def _nodes(
    configured: Environment, chosen: Ports, data_dir: DataDir, environ: Mapping[str, str]
) -> Callable[[], Together]:
    """The nodes of this host, once set-up has leased their ids."""
    addresses = tuple(zip(chosen.kafka, chosen.draft, strict=True))

    def nodes() -> Together:
        ids = range(configured.nodes) if configured.database_url is None else leased(data_dir)
        return tuple(
            node(place, node_id, configured, at, data_dir, environ)
            for place, (node_id, at) in enumerate(zip(ids, addresses, strict=True))
        )

    return nodes


def _others(
    configured: Environment, chosen: Ports, data_dir: DataDir, environ: Mapping[str, str]
) -> Together:
    """Web, worker and beat, as far as this host runs them."""
    own = [web(configured.web_host, chosen.web, environ)] if "web" in configured.processes else []
    celery = CELERY.get(tuple(name for name in configured.processes if name in ("worker", "beat")))
    return (*own, *([worker(celery, data_dir, environ)] if celery else []))


def leased(data_dir: DataDir) -> Sequence[int]:
    """The ids that set-up has leased."""
    try:
        return [int(node_id) for node_id in json.loads(data_dir.node_ids.read_text())["node_ids"]]
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise LaunchError(f"{data_dir.node_ids} cannot be read: {failure!r}.") from None


def command(name: str, *arguments: str, environ: Mapping[str, str]) -> Command:
    """A program of the table, with its environment."""
    return Command(
        commands.argv(name, *arguments),
        commands.environ(name, own_secrets.of(name, environ)),
        commands.CHECKOUT,
        program=(name, *arguments),
    )


def node(
    place: int,
    node_id: int,
    configured: Environment,
    at: tuple[int, int],
    data_dir: DataDir,
    environ: Mapping[str, str],
) -> Process:
    """The ``place``-th coordinator node of this host on its Kafka and its draft port; it writes
    HOST:PORT of the former to its ready file when it serves both."""
    ready, awaited_environ = awaited(f"node-{node_id}", data_dir, environ)
    kafka, draft = at
    where = [f"--node-id={node_id}", f"--host={configured.host}", f"--port={kafka}"]
    where.append(f"--draft-port={draft}")
    if configured.advertised_host:
        where.append(f"--advertised-host={configured.advertised_host}")
    if (metrics := environ.get(METRICS_PORT, "")).isdecimal() and int(metrics):
        where.append(f"--metrics-port={int(metrics) + place}")
    own = {
        name: moved(awaited_environ[name], place) for name in LISTENERS if name in awaited_environ
    }
    serve = command("node", *where, environ={**awaited_environ, **own})
    probe = ready_file(ready)

    def served() -> str | None:
        return (kafka_at := probe()) and f"{kafka_at} draft={ports.address(configured.host, draft)}"

    return Process(f"node {node_id}", serve, served)


def moved(listeners: str, place: int) -> str:
    """The listeners of a further node of this host: their ports plus its place; 0 stays 0."""
    return re.sub(
        r":(\d+)(?=\s*(?:,|$))",
        lambda port: f":{int(port[1]) + place if int(port[1]) else 0}",
        listeners,
    )


def web(host: str, port: int, environ: Mapping[str, str]) -> Process:
    """The web process: admin, REST and health."""
    serve = command("web", "-b", host, "-p", str(port), environ=environ)
    return Process("web", serve, lambda: livez(host, port))


def worker(words: Sequence[str], data_dir: DataDir, environ: Mapping[str, str]) -> Process:
    """Celery's worker, or its beat, or both; it writes its ready file when it serves."""
    ready, awaited_environ = awaited("worker", data_dir, environ)
    return Process(words[0], command(*words, environ=awaited_environ), ready_file(ready))


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


def livez(host: str, port: int) -> str | None:
    """The web's URL once /livez answers. Written by hand: Python's HTTP client imports TLS, and the
    launcher's memory stays in use as long as it runs."""
    try:
        with socket.create_connection((host, port), PROBE_TIMEOUT_S) as peer:
            peer.sendall(b"GET /livez HTTP/1.0\r\nHost: %b\r\n\r\n" % ports.LOOPBACK.encode())
            status = peer.makefile("rb").readline()
    except OSError:
        return None
    return f"http://{ports.address(host, port)}" if status.split()[1:2] == [b"200"] else None
