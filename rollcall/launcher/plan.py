"""The table of what runs: which programs, in which order, with which environment.

To run one thing more, add a row here. How things are run is ``supervisor.py``.
"""

import http.client
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rollcall.launcher import ports
from rollcall.launcher.environment import CHECKOUT, Environment
from rollcall.launcher.places import DataDir
from rollcall.launcher.process import Command, Probe, Process, Stage, Task

WEB_HOST = ports.LOOPBACK
PROBE_TIMEOUT_S = 1.0

TASKS = (
    ("migrate", ("migrate", "--noinput", "--verbosity=0")),
    ("admin", ("ensure_admin",)),
    ("periodic", ("ensure_periodic",)),
)
"""manage.py's commands that come before anything serves: name, arguments. "migrate" also
creates the database roles and their grants (``groups.grants``)."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The port of each coordinator node, by node id, and the web's."""

    kafka: tuple[int, ...]
    web: int


def choose_ports(wanted: Environment) -> Ports:
    """The ports asked for; a free one wherever 0 was asked for."""
    free = iter(ports.free(wanted.nodes + 1))
    kafka = tuple(
        wanted.kafka_port + node if wanted.kafka_port else next(free)
        for node in range(wanted.nodes)
    )
    return Ports(kafka, wanted.web_port or next(free))


def build(wanted: Environment, data_dir: DataDir, database_url: str) -> tuple[Stage, ...]:
    """Everything but PostgreSQL: tasks first, then nodes, web, worker and beat together."""
    chosen = choose_ports(wanted)
    environ = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "coordinator_site.settings",
        "PYTHONUNBUFFERED": "1",
        "ROLLCALL_DATA_DIR": str(data_dir.path),
        "ROLLCALL_DATABASE_URL": database_url,
        "ROLLCALL_NODES": str(wanted.nodes),
        "ROLLCALL_WEB_PORT": str(chosen.web),
    }
    tasks = tuple(Task(name, manage(*command, environ=environ)) for name, command in TASKS)
    nodes = tuple(
        node(node_id, port, data_dir, environ) for node_id, port in enumerate(chosen.kafka)
    )
    periodic = tuple(celery(name, data_dir, environ) for name in CELERY)
    return (*tasks, (*nodes, web(chosen.web, environ), *periodic))


def manage(*arguments: str, environ: Mapping[str, str]) -> Command:
    """A command of manage.py."""
    return Command((sys.executable, str(CHECKOUT / "manage.py"), *arguments), environ, CHECKOUT)


def node(node_id: int, port: int, data_dir: DataDir, environ: Mapping[str, str]) -> Process:
    """A coordinator node; it writes HOST:PORT to its ready file when it serves."""
    name = f"node {node_id}"
    ready = data_dir.run / f"node-{node_id}.ready"
    ready.unlink(missing_ok=True)
    command = manage(
        "runcoordinator",
        f"--node-id={node_id}",
        f"--port={port}",
        environ={**environ, "ROLLCALL_READY_FILE": str(ready)},
    )
    return Process(name, command, ready_file(ready))


def web(port: int, environ: Mapping[str, str]) -> Process:
    """The web process: admin, REST and health."""
    argv = (sys.executable, "-m", "daphne", "-v", "0", "-b", WEB_HOST, "-p", str(port))
    own = {"ROLLCALL_DATABASE_ROLE": "rollcall_web"}
    command = Command((*argv, "coordinator_site.asgi:application"), {**environ, **own}, CHECKOUT)
    return Process("web", command, lambda: livez(port))


CELERY: Mapping[str, tuple[str, ...]] = {
    # Threads, not processes: tasks wait for the database, and memory is what idle costs.
    "worker": (
        "worker",
        "--pool=threads",
        "--concurrency=4",
        "--without-gossip",
        "--without-mingle",
        "--without-heartbeat",
    ),
    "beat": ("beat", "--pidfile="),
}
"""Celery's processes: the command of each."""


def celery(name: str, data_dir: DataDir, environ: Mapping[str, str]) -> Process:
    """One of Celery's processes; it writes its ready file when it serves."""
    ready = data_dir.run / f"{name}.ready"
    ready.unlink(missing_ok=True)
    own = {"ROLLCALL_DATABASE_ROLE": "rollcall_worker", "ROLLCALL_READY_FILE": str(ready)}
    argv = (sys.executable, "-m", "celery", "-q", "-A", "coordinator_site", *CELERY[name])
    command = Command((*argv, "--loglevel=WARNING"), {**environ, **own}, CHECKOUT)
    return Process(name, command, ready_file(ready))


def ready_file(path: Path) -> Probe:
    """A process serves once its ready file has a whole line, which says where."""

    def probe() -> str | None:
        try:
            text = path.read_text()
        except FileNotFoundError:
            return None
        return text.strip() if text.endswith("\n") else None

    return probe


def livez(port: int) -> str | None:
    """The web's URL once it answers on /livez."""
    connection = http.client.HTTPConnection(WEB_HOST, port, timeout=PROBE_TIMEOUT_S)
    try:
        connection.request("GET", "/livez")
        answer = connection.getresponse()
        return f"http://{WEB_HOST}:{port}" if answer.status == http.HTTPStatus.OK else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
