"""A process that has imported what Rollcall's programs import, and forks them when it is told to.

    python -m launcher.fork_server SOCKET

Importing takes seconds, a fork milliseconds, and what was imported is in memory once for all of
them. SOCKET is one end of a pair whose other end the launcher holds (``launcher.forks``):
it tells the environment first, then one request after the other, each with the pipe that becomes
the program's output. The program answers with its pid once it is the launcher's own child.

A fork copies everything: whatever belongs to one process must be made after it. So nothing is
imported here that makes an event loop, a connection or a thread, and each fork makes sure of that.
Linux only: elsewhere a process that forks without exec may not use the system's libraries.
"""

import array
import ctypes
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from launcher import commands
from launcher.parent_watch import request_death_signal

WITHOUT_SETTINGS = (
    "uvloop",
    "psycopg_pool",
    "django.core.management.commands.migrate",
    "django.core.asgi",
    "twisted.internet.asyncioreactor",
    "twisted.internet.endpoints",
    "twisted.web.http",
    "autobahn.twisted.websocket",
    "groups.core.kinds",
)
"""Imported while the launcher determines where the database will be."""

SETUP = (
    "groups.postgres.message_queue",
    "groups.sweeps.schedule",
    "groups.management.commands.setup",
    "console.operations.functions",
    "groups.store.sql.nodes",
    "console.queries.drains",
)
"""Before the first fork. The set-up runs while the rest is imported."""

NODE_TOO = (
    "groups.node",
    "protocol.apis",
    "protocol.connection.application",
    "protocol.apis_of_kinds",
    "protocol.connection.draft_connections",
    "protocol.metrics.metrics_listener",
    "protocol.management.commands.runcoordinator",
    "daphne.http_protocol",
    "daphne.ws_protocol",
    "protocol.fast_paths.commit_fast_path",
    "protocol.connection.connection",
    "protocol.connection.handed_out",
    "protocol.connection.keepalive",
    "protocol.metrics.node_report",
    "protocol.connection.tls_connection",
    "protocol.connection.unsent",
    "protocol.connection.traced",
    "protocol.connection.connection_list",
    "protocol.limits.file_descriptors",
    "protocol.limits.garbage",
    "groups.cluster.node_settings",
    "channels.routing",
    "encodings.idna",  # by Python, for the names of hosts
)
"""Before the first node."""

OTHERS = (
    "coordinator_site.urls",  # before the Celery application: pages ask tasks for their names
    "celery.apps.worker",
    "celery.apps.beat",
    "celery.app.amqp",
    "celery.app.log",
    "celery.concurrency.thread",
    "celery.events.dispatcher",
    "celery.events.receiver",
    "celery.worker.autoscale",
    "celery.worker.consumer",
    "celery.worker.control",
    "celery.worker.loops",
    "groups.postgres.message_queue_transport",
    "groups.tasks",
    "console.tasks",
    "groups.sweeps.beat",
    "groups.sweeps.pool",
    "asgiref.compatibility",
    "daphne.access",
    "daphne.endpoints",
    "django.contrib.messages.storage.session",
    "encodings.unicode_escape",
    "web.http_limits",
    "web.priority",
    "coordinator_site.asgi",
    "coordinator_site.celery",
)
"""Imported between forks, while the nodes start. A module that a process imports itself costs more
than its own memory: the import writes to pages that were shared."""

UNUSED = (
    "OpenSSL",  # by Twisted, for TLS: our listeners' is Python's own, the web's a proxy's
    "_nvx_utf8validator",  # by autobahn, for long texts: clients of our websockets send none
    "jinja2",  # by Django, for tests
    "psutil",  # by Celery, to look for leaks
    "pygments",  # by django-rest-framework, for pages of examples
    "requests",  # by django-rest-framework, for tests
    "rich",  # by structlog, for tracebacks in colours
    "sqlalchemy",  # by pgmq, for clients that we do not use
)
"""Libraries import these if they are installed, and work without them. They would be a fifth of
everything that is imported, also in programs that are forked before the rest is imported."""

NEEDED_LATER = ("requests",)
"""Of ``UNUSED``: what a program may need itself (logins of an OpenID provider)."""

NODE = "node"
"""The program that imports an installation's own assignors and strategies, which may need any of
them."""

ARG_START, ENV_START, ENV_END = 48 - 3, 50 - 3, 51 - 3
"""Fields of /proc/PID/stat (proc(5)), counted from the third on."""

OWN = ("ROLLCALL_DATABASE_URL", commands.ROLE_VARIABLE)
"""Shown before the rest of an environment: the processes differ in these."""

READY_FOR_TASKS = b"ready for tasks"
READY = b"ready"
MESSAGE_BYTES_MAX = 1 << 20

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)


@dataclass(frozen=True, slots=True)
class Request:
    """A program of ``launcher.commands`` that a fork is to become."""

    name: str
    arguments: tuple[str, ...]
    environ: Mapping[str, str]
    at_launchers_death: int


def main(arguments: Sequence[str]) -> None:
    """Serve until the launcher is gone; in a forked process, become the program."""
    gc.disable()  # imported objects are never garbage
    peer = socket.socket(fileno=int(arguments[0]))
    request = serve(peer, launcher=os.getppid())
    if request is not None:
        gc.enable()
        become(request)


def serve(peer: socket.socket, launcher: int) -> Request | None:
    """Import and fork; returns in forked processes, with what to become, and at the end."""
    handlers = [signal.getsignal(number) for number in SIGNALS]
    hide(UNUSED)
    load(WITHOUT_SETTINGS)
    message = peer.recv(MESSAGE_BYTES_MAX)
    if not message:
        return None
    set_environ(json.loads(message))
    importlib.import_module("django").setup()
    load(SETUP)
    peer.send(READY_FOR_TASKS)
    rest = [*NODE_TOO, *OTHERS]
    while True:
        if rest and not select.select([peer], [], [], 0)[0]:
            load([rest.pop(0)])
            if len(rest) == len(OTHERS):
                peer.send(READY)
            continue
        message, (output,) = receive(peer)
        if not message:
            return None
        check([0, 1, 2, peer.fileno(), output])
        assert [signal.getsignal(number) for number in SIGNALS] == handlers
        words = json.loads(message)
        request = Request(words[0], tuple(words[1]), words[2], words[3])
        if fork(peer, output, launcher, request):
            return request


def load(names: Sequence[str]) -> None:
    """Import modules."""
    for name in names:
        importlib.import_module(name)


def hide(names: Sequence[str]) -> None:
    """Make imports of these modules fail, here and in forked processes, as if they were not
    installed."""
    for name in names:
        sys.modules[name] = None  # type: ignore[assignment]  # Python's own way to say so


def reveal(names: Sequence[str]) -> None:
    """Make these modules importable again."""
    for name in names:
        if sys.modules.get(name) is None:
            sys.modules.pop(name, None)


def receive(peer: socket.socket) -> tuple[bytes, tuple[int]]:
    """The next request and its pipe; no bytes once the launcher is gone."""
    fds = array.array("i", [-1])
    message, ancillary, _, _ = peer.recvmsg(MESSAGE_BYTES_MAX, socket.CMSG_SPACE(fds.itemsize))
    for _, _, data in ancillary:
        fds.frombytes(data[: fds.itemsize])
    return message, (fds[-1],)


def check(ours: Sequence[int]) -> None:
    """Check that this process has nothing that two processes must not share. ``AssertionError``
    ends this process: the launcher then starts programs without it, and logs that."""
    assert threading.active_count() == len(os.listdir("/proc/self/task")) == 1, "a thread"
    assert "twisted.internet.reactor" not in sys.modules, "an event loop"
    for fd in Path("/proc/self/fd").iterdir():
        try:
            leads_to = str(fd.readlink())
        except FileNotFoundError:  # the one that lists them
            continue
        is_plain = leads_to.startswith("/")
        assert is_plain or int(fd.name) in ours, f"{leads_to} would be inherited"


def fork(peer: socket.socket, output: int, launcher: int, request: Request) -> bool:
    """Return whether this is the new process. The intermediate process ends at once, so that the
    launcher, which is the reaper of orphans, becomes the parent: it sees the program's end, and the
    program sees its end."""
    gc.freeze()  # a collection would write to every page that is shared
    gone, ended = os.pipe()
    between = os.fork()
    if between:
        os.close(output)
        os.waitpid(between, 0)  # its child has another parent now
        os.close(ended)
        os.close(gone)
        return False
    os.close(ended)
    if os.fork():
        os._exit(0)
    os.read(gone, 1)  # nothing: the fork server has closed the other end
    os.close(gone)
    request_death_signal(launcher, request.at_launchers_death)
    os.setsid()
    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(output)
    with peer:
        peer.send(str(os.getpid()).encode())
    return True


def become(request: Request) -> None:
    """Run the program, as ``python ARGUMENTS`` would."""
    reveal(NEEDED_LATER)
    set_environ(request.environ)
    if take_settings(request.environ) and request.name == NODE:
        reveal(UNUSED)
    command = commands.argv(request.name, *request.arguments)
    show(command, request.environ)
    _, first, *rest = command
    if first == "-m":
        module, *rest = rest
        sys.argv = [module, *rest]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    else:
        sys.argv = [first, *rest]
        runpy.run_path(first, run_name="__main__")


def set_environ(environ: Mapping[str, str]) -> None:
    """Set the environment as if this process had been started with it. Django has set the time
    zone; it stays."""
    kept = {name: os.environ[name] for name in ("TZ",) if name in os.environ}
    os.environ.clear()
    os.environ.update({**environ, **kept})


def show(command: Sequence[str], environ: Mapping[str, str]) -> None:
    """Make `ps` show this command line, and /proc this environment, as far as there is room.

    The kernel reads where the arguments and the environment were at the start; it reads the
    arguments beyond their end if their last byte is not NUL. Nothing in this process points there
    any more.
    """
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, room, end = (int(fields[number]) for number in (ARG_START, ENV_START, ENV_END))
    text = " ".join(command).encode()[: end - start - 1] + b"\0"
    shown = text.ljust(room - start, b"\0")
    for name, value in sorted(environ.items(), key=lambda entry: entry[0] not in OWN):
        entry = f"{name}={value}\0".encode()
        if len(shown) + len(entry) <= end - start:
            shown += entry
    ctypes.memmove(start, shown.ljust(end - start, b"\0"), end - start)


def take_settings(environ: Mapping[str, str]) -> bool:
    """The settings that differ between the programs of an installation; what was imported may
    hold the table of databases already. Returns whether settings name code of the installation's
    own."""
    from django.conf import settings

    from coordinator_site import own_settings

    own = own_settings.read(environ, settings.DATA_DIR, settings.KAFKA_SETTINGS)
    settings.DATABASES["default"].update(own.pop("DATABASES")["default"])
    for name, value in own.items():
        setattr(settings, name, value)
    return own_settings.names_foreign_code(settings.KAFKA_SETTINGS)


if __name__ == "__main__":
    main(sys.argv[1:])
