"""The fork server: what it makes sure of before each fork, and what is new in each process."""

import os
import re
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from launcher.environment import CHECKOUT
from launcher.installation import Installation

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")

TWO_FORKS = """
import os, random, socket, sys
from launcher import fork_server
from launcher import forks
random.seed(1)
forks.subreaper(True)
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
os.environ.clear()
for _ in range(2):
    reading, writing = os.pipe()
    if fork_server.fork(theirs, writing, os.getpid(), fork_server.Request("node", (), {}, 9)):
        fork_server.show(("python", "shown", "--node-id=7"), {"ROLLCALL_DATABASE_URL": "its own"})
        print(random.random(), os.getppid(), flush=True)
        print(open("/proc/self/cmdline").read().strip("\\0"), flush=True)
        print(open("/proc/self/environ").read().strip("\\0").split("\\0")[-1], flush=True)
        os._exit(3)
    pid = int(ours.recv(64))
    with os.fdopen(reading) as said:
        print(os.getpid(), pid, said.read(), end="")
    forked = forks.Forked(pid, None)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    print("status", forked.poll())
"""


def run(script: str, **environ: str) -> str:
    """What a Python program says."""
    return subprocess.run(
        [sys.executable, "-c", script, ""],
        cwd=CHECKOUT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_each_forked_process_is_the_launchers_child_and_has_its_own_random_state() -> None:
    lines = run(TWO_FORKS).splitlines()

    assert len(lines) == 8
    luck = []
    for said, shown, environ, status in (lines[:4], lines[4:]):
        launcher, pid, number, parent = said.split()
        assert parent == launcher != pid
        assert (shown, status) == ("python shown --node-id=7", "status 3")
        assert environ == "ROLLCALL_DATABASE_URL=its own", "what the server was started with"
        luck.append(number)
    assert luck[0] != luck[1], "both go on with the seed that was copied"


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (
            "import threading as t; t.Thread(target=t.Event().wait, daemon=True).start()",
            "a thread",
        ),
        ("import socket; kept = socket.socket()", "would be inherited"),
        ("import asyncio; kept = asyncio.new_event_loop()", "would be inherited"),
        ("import twisted.internet.reactor", "an event loop"),
        ("import os; kept = os.pipe()", "would be inherited"),
    ],
)
def test_nothing_is_forked_that_two_processes_must_not_share(made: str, told: str) -> None:
    script = f"from launcher import fork_server; fork_server.check([0, 1, 2]); {made}; " + (
        "fork_server.check([0, 1, 2])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 1
    assert "AssertionError" in ended.stderr and told in ended.stderr.splitlines()[-1]


@pytest.mark.long
def test_modules_imported_before_the_fork_hold_no_connections_or_threads() -> None:
    """The modules of all programs, without and with Django's settings."""
    script = """
import os
from launcher import fork_server as it
it.hide(it.UNUSED)
it.load(it.WITHOUT_SETTINGS)
os.environ.update(DJANGO_SETTINGS_MODULE="coordinator_site.settings",
                  ROLLCALL_DATABASE_URL="postgresql://127.0.0.1:1/none")
import django; django.setup()
it.load(it.SETUP); it.load(it.NODE_TOO); it.load(it.OTHERS)
it.check([0, 1, 2])
from coordinator_site.celery import app
assert not app.configured, "it would hold settings that are read after the fork"
import sys
print([name for name in it.UNUSED if sys.modules[name] is not None])
it.reveal(it.NEEDED_LATER)
import requests
"""
    assert run(script) == "[]\n"


def test_a_node_does_not_import_what_it_never_needs() -> None:
    """Pages, forms and tests, which other programs bring, are loaded after the first fork."""
    script = """
import os, sys
from launcher import fork_server as it
it.hide(it.UNUSED)
it.load(it.WITHOUT_SETTINGS)
os.environ.update(DJANGO_SETTINGS_MODULE="coordinator_site.settings",
                  ROLLCALL_DATABASE_URL="postgresql://127.0.0.1:1/none")
import django; django.setup()
it.load(it.SETUP); it.load(it.NODE_TOO)
heavy = "console.admin unfold.admin rest_framework.views unittest sqlalchemy rich scramp".split()
print([name for name in heavy if sys.modules.get(name)])
"""
    assert run(script) == "[]\n"


IMPORTED = re.compile(r"^(node 0|web|worker) .*import time: +\d+ \| +\d+ \| +(\S+)$", re.MULTILINE)
LOOPS = {"daphne.server", "daphne.cli", "protocol.server"}
"""They make event loops, and so come after the fork."""


@pytest.mark.long
def test_programs_import_nothing_more_after_the_fork() -> None:
    """Somebody would wait for it at each start, and have it in memory once more."""
    installation = Installation({"PYTHONPROFILEIMPORTTIME": "1"})
    installation.log = deque()
    with installation:
        pass
    found = {name for _, name in IMPORTED.findall("".join(installation.log))}
    assert found == LOOPS


EARLY_SET_UP = """
import os
from launcher import forks
from launcher.output import Output
from launcher.plan import command
environ = {**os.environ, "ROLLCALL_DATABASE_URL": "postgresql://127.0.0.1:1/none"}
set_up, node = command("setup", environ=environ), command("node", environ=environ)
server = forks.Forks(Output())
server.send_environ(environ)
while not server.is_settled(set_up):
    server._is_readable(1.0)
print(server.start(node))
started = server.start(set_up)
print(started.stdout.read().decode())
os.waitid(os.P_PID, started.pid, os.WEXITED | os.WNOWAIT)
while not server.is_settled(node):
    server._is_readable(1.0)
print(started.poll(), server.start(node) is not None)
server.stop()
"""


def test_a_set_up_is_forked_before_a_nodes_modules_are_imported(tmp_path: Path) -> None:
    before, *said, after = run(EARLY_SET_UP, ROLLCALL_DATA_DIR=str(tmp_path)).splitlines()
    assert before == "None", "a node would import the rest by itself"
    assert any("No connection to the database" in line for line in said)
    assert after == "1 True"


OWN_ASSIGNOR = """
import sqlalchemy, rich
def assign(*_): return {}
"""


@pytest.mark.parametrize(
    ("settings", "is_found"),
    [({"GROUP_CONSUMER_ASSIGNORS": "uniform,own"}, True), ({}, False)],
    ids=["named", "not named"],
)
def test_a_custom_assignor_may_import_modules_hidden_from_others(
    tmp_path: Path, settings: dict[str, str], is_found: bool
) -> None:
    (tmp_path / "own.py").write_text(OWN_ASSIGNOR)
    told = tmp_path / "own-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[rollcall.assignors]\nown = own:assign\n")
    environ = {
        "DJANGO_SETTINGS_MODULE": "coordinator_site.settings",
        "ROLLCALL_DATABASE_URL": "postgresql://127.0.0.1:1/none",
        "ROLLCALL_DATA_DIR": str(tmp_path / "data"),
        **{f"ROLLCALL_{name}": value for name, value in settings.items()},
    }
    script = f"""
import os, runpy, sys
sys.path.insert(0, {str(tmp_path)!r})
from launcher import fork_server as it
it.hide(it.UNUSED)
os.environ.update({environ!r})
import django; django.setup()
from groups import plugins
def run(*_, **__):
    try:
        print(list(plugins.load(["own"])))
    except plugins.NotLoaded as error:
        print(error)
runpy.run_path = runpy.run_module = run
it.show = lambda *_: None
it.become(it.Request("node", (), dict(os.environ), 9))
"""
    assert (run(script) == "['own']\n") is is_found


OWN_LISTENERS = """
import os, sys
os.environ["ROLLCALL_LISTENERS"] = "PLAINTEXT://127.0.0.1:9092"
from django.conf import settings
from launcher import fork_server
settings.LISTENERS
fork_server.take_settings({**os.environ, "ROLLCALL_LISTENERS": "PLAINTEXT://127.0.0.1:9093"})
print(settings.LISTENERS, settings.ADVERTISED_LISTENERS)
"""


def test_a_forked_node_listens_where_its_own_environment_says(tmp_path: Path) -> None:
    """A host's nodes were all told the first one's ports: half of the groups were out of reach."""
    told = run(
        OWN_LISTENERS,
        DJANGO_SETTINGS_MODULE="coordinator_site.settings",
        ROLLCALL_DATA_DIR=str(tmp_path),
        ROLLCALL_DATABASE_URL="postgresql://127.0.0.1/none",
    )
    assert told.split() == ["PLAINTEXT://127.0.0.1:9093"]
