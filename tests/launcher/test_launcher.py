"""The whole launcher: everything that ``make run`` serves, and its end."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations
from pathlib import Path

import psutil
import psycopg
import pytest

from launcher import postgres
from launcher.installation import Installation
from tests.launcher.conftest import Launch
from tests.launcher.waiting import is_running, until
from tests.nodes import all_nodes
from tests.pooler import pooled
from web.log_lines import STAMP

LAUNCHER = ("-m", "launcher")
READY = re.compile(
    r"ready kafka=127\.0\.0\.1:(\d+) draft=127\.0\.0\.1:(\d+) web=(http://127\.0\.0\.1:\d+)\n"
)


def environ(folder: Path, **more: str) -> dict[str, str]:
    """An environment for a launcher of its own, with free ports and its own PostgreSQL."""
    ports = dict.fromkeys(("ROLLCALL_KAFKA_PORT", "ROLLCALL_DRAFT_PORT", "ROLLCALL_WEB_PORT"), "0")
    own = {**ports, "ROLLCALL_DATABASE_URL": ""}
    return {**own, "ROLLCALL_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "", **more}


def wait_ready(launcher: "subprocess.Popen[str]") -> "re.Match[str]":
    """The ready line."""
    assert launcher.stdout is not None
    line = launcher.stdout.readline()
    match = READY.fullmatch(line)
    assert match, f"{line!r}, and said: {launcher.stderr.read() if launcher.stderr else ''}"
    return match


def descendants(pid: int) -> list[int]:
    """All processes below this one."""
    listing = subprocess.check_output(["ps", "-A", "-o", "pid=,ppid="], text=True)
    children: dict[int, list[int]] = {}
    for line in listing.splitlines():
        child, parent = (int(word) for word in line.split())
        children.setdefault(parent, []).append(child)
    found, waiting = [], [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def listening(pid: int) -> set[str]:
    """The addresses on which a process takes connections; none of one that has ended."""
    with suppress(psutil.NoSuchProcess):
        found = psutil.Process(pid).net_connections("tcp")
        return {each.laddr.ip for each in found if each.status == psutil.CONN_LISTEN}
    return set()


def processes_of(lines: list[str], form: str) -> set[str]:
    """Whose lines these are; each has a time and a level."""
    if form == "json":
        records = [json.loads(line) for line in lines]
        assert all(each.keys() >= {"timestamp", "level", "event"} for each in records)
        return {each["process"] for each in records}
    found = [re.match(rf"(.{{11}})\| (({STAMP.pattern})[a-z]+ |  )", line) for line in lines]
    assert all(found), lines
    return {each[1].strip() for each in found if each}


def test_an_unknown_argument_starts_nothing(folder: Path, launch: Launch) -> None:
    refused = launch(*LAUNCHER, "--nodes=3", **environ(folder))
    _, said = refused.communicate()
    assert refused.returncode == 2 and "unrecognized arguments: --nodes=3" in said
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)]
)
def test_everything_serves_and_ends(folder: Path, launch: Launch, number: signal.Signals) -> None:
    form = "json" if number == signal.SIGINT else "text"
    launcher = launch(*LAUNCHER, **environ(folder, ROLLCALL_LOG_FORMAT=form))
    ready = wait_ready(launcher)
    for port in (ready[1], ready[2]):
        socket.create_connection(("127.0.0.1", int(port))).close()
    with urllib.request.urlopen(f"{ready[3]}/readyz?verbose") as answer:
        body = answer.read()  # periodic work may not have begun yet: told, and no reason
        assert body.startswith(b"[+]db ok\n[+]migrations ok\n") and body.endswith(b"\nok\n")
    below = descendants(launcher.pid)
    assert len(below) > 3
    assert {host for pid in below for host in listening(pid)} == {"127.0.0.1"}

    launcher.send_signal(number)
    out, said = launcher.communicate()

    assert (launcher.returncode, out) == (0, "")
    assert processes_of(said.splitlines(), form) > {"postgres", "setup", "node 0"}
    assert not [pid for pid in below if is_running(pid)]


@pytest.mark.long
def test_nothing_outlives_a_launcher_that_is_killed(folder: Path, launch: Launch) -> None:
    launcher = launch(*LAUNCHER, **environ(folder))
    wait_ready(launcher)
    below = descendants(launcher.pid)
    assert len(below) > 3

    launcher.kill()

    until(lambda: not any(is_running(pid) for pid in below), "all processes ended")


@pytest.mark.long
@pytest.mark.xdist_group("pair")
def test_each_node_has_a_port_and_a_dead_one_comes_back(pair: Installation) -> None:
    node = serving(pair, 1)
    ready = pair.data_dir / "run" / "node-1.ready"
    ready_line = ready.read_text()
    host, port = ready_line.split()[0].split(":")

    ready.unlink()
    os.kill(node, signal.SIGKILL)

    until(ready.exists, "the node served again")
    assert ready.read_text() == ready_line
    socket.create_connection((host, int(port))).close()


def pid_with_argument(launcher: int, argument: str) -> int:
    """The launcher's process that was started with this argument."""
    for pid in descendants(launcher):
        output = subprocess.run(
            ["ps", "-ww", "-o", "args=", "-p", str(pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        if argument in output.stdout:
            return pid
    raise AssertionError(f"no process was started with {argument}")


@pytest.mark.long
def test_first_admin_is_created_once_and_its_password_is_in_a_file(
    folder: Path, launch: Launch
) -> None:
    said = []
    for _ in range(2):
        launcher = launch(*LAUNCHER, **environ(folder))
        wait_ready(launcher)
        launcher.send_signal(signal.SIGTERM)
        said.append(launcher.communicate()[1])

    assert said[0].count("first admin user: admin, password in ") == 1
    assert "first admin" not in said[1]
    kept = folder / "first-admin-password"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.read_text().strip() not in "".join(said)


@pytest.mark.long
def test_given_database_is_used_instead_of_an_embedded_one(folder: Path, launch: Launch) -> None:
    with postgres.serve(folder / "theirs", throwaway=True) as url:
        own = folder / "own"
        launcher = launch(*LAUNCHER, **environ(own, ROLLCALL_DATABASE_URL=url))
        wait_ready(launcher)
        with psycopg.connect(url) as connection:
            row = connection.execute("SELECT count(*) FROM rollcall_node").fetchone()
        launcher.send_signal(signal.SIGTERM)
        launcher.communicate()

    assert row == (1,)
    assert not (own / "postgres").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="who is asked for by /proc")
def test_a_signal_to_the_process_group_is_a_stop(folder: Path, launch: Launch) -> None:
    """As a container or a session ends: here while initdb works, which fails for it."""
    launcher = launch(*LAUNCHER, **environ(folder))
    part = folder / "postgres" / "data.part"
    until(lambda: (part / "PG_VERSION").exists(), "initdb is at work")
    everybody = [launcher.pid, *descendants(launcher.pid)]
    for pid in everybody:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)

    out, said = launcher.communicate()

    assert (launcher.returncode, out, said) == (0, "", "")
    until(lambda: not any(is_running(pid) for pid in everybody), "nothing is left")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"ROLLCALL_NODES": "none"}, "ROLLCALL_NODES must be a whole number, not 'none'."),
        ({"ROLLCALL_WEB_PORT": "70000"}, "ROLLCALL_WEB_PORT must be between 0 and 65535"),
        ({"ROLLCALL_GROUP_MAX_SIZE": "0"}, "ROLLCALL_GROUP_MAX_SIZE (group.max.size) must be"),
        (
            {"ROLLCALL_DATABASE_URL": "postgresql://a:secret@127.0.0.1:1/x"},
            "ROLLCALL_DATABASE_URL: no connection to the database",
        ),
    ],
)
def test_wrong_setting_is_reported_in_one_line(
    folder: Path, launch: Launch, wrong: dict[str, str], sentence: str
) -> None:
    launcher = launch(*LAUNCHER, **environ(folder, **wrong))

    out, said = launcher.communicate(timeout=20)

    assert (launcher.returncode, out) == (1, "")
    assert sentence in said
    assert "Traceback" not in said
    assert "secret" not in said


READ_ONLY = "ROLLCALL_DATABASE_URL: the database accepts no writes"


def test_database_that_accepts_no_writes_is_reported_in_one_line(
    folder: Path, launch: Launch, database_url: str
) -> None:
    """It was the traceback of the first statement that writes, of the set-up."""
    mode = "options=-c%20default_transaction_read_only%3Don"
    url = f"{database_url}{'&' if '?' in database_url else '?'}{mode}"
    launcher = launch(*LAUNCHER, **environ(folder, ROLLCALL_DATABASE_URL=url))

    out, said = launcher.communicate(timeout=20)

    assert (launcher.returncode, out) == (1, "")
    assert READ_ONLY in said and "Traceback" not in said


def test_pooler_before_the_database_is_reported_in_one_line(
    folder: Path, launch: Launch, database_url: str
) -> None:
    """Whoever gave the database the timeouts that the nodes missed got nodes which served, and
    failed on each other's prepared statements."""
    with pooled(database_url) as port:
        url = re.sub(r":\d+/", f":{port}/", database_url)
        launcher = launch(*LAUNCHER, **environ(folder, ROLLCALL_DATABASE_URL=url))
        out, said = launcher.communicate(timeout=20)

    assert (launcher.returncode, out) == (1, "")
    assert "ROLLCALL_DATABASE_URL: a connection pooler is in between" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "names", [("KAFKA",), pytest.param(("DRAFT", "WEB"), marks=pytest.mark.long)], ids="+".join
)
def test_port_in_use_is_reported_in_one_line(
    folder: Path, launch: Launch, database_url: str, names: Sequence[str]
) -> None:
    """Each is waited for in case its program is just ending: so all at once."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        launchers = {}
        for name in names:
            taken = {f"ROLLCALL_{name}_PORT": str(port), "ROLLCALL_DATABASE_URL": database_url}
            launchers[name] = launch(*LAUNCHER, **environ(folder / name, **taken))
        outputs = {name: each.communicate(timeout=60) for name, each in launchers.items()}

    for name, (out, said) in outputs.items():
        assert (launchers[name].returncode, out) == (1, "")
        variable = f"ROLLCALL_{name}_PORT"
        assert f"Port {port} of 127.0.0.1 is in use by another program ({variable})." in said
        assert "Traceback" not in said


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_processes_share_nothing_but_memory(installation: Installation) -> None:
    launcher = launcher_of(installation)
    programs = [pid_with_argument(launcher, said) for said in PROGRAMS]

    assert {parent_of(pid) for pid in programs} == {launcher}
    assert [os.getsid(pid) for pid in programs] == programs
    for one, other in combinations(programs, 2):
        assert not ends_of(one) & ends_of(other)
    for pid in programs:
        assert not mask_of(pid, "SigBlk") and not mask_of(pid, "SigIgn") & MEANT_TO_STOP


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
@pytest.mark.xdist_group("pair")
def test_processes_are_restarted_without_the_fork_server(pair: Installation) -> None:
    node = serving(pair, 0)
    launcher = launcher_of(pair)
    server = pid_with_argument(launcher, "launcher.fork_server")
    ready = pair.data_dir / "run" / "node-0.ready"
    ready.unlink()

    os.kill(server, signal.SIGKILL)
    os.kill(node, signal.SIGKILL)

    until(ready.exists, "the node served again", patience_s=60)
    assert pid_with_argument(launcher, "launcher.fork_server") != server


def serving(pair: Installation, node_id: int) -> int:
    """The node's pid, once both serve: a test before may have killed one."""
    asyncio.run(all_nodes(pair, 2))
    return pair.node_pid(node_id)


def launcher_of(installation: Installation) -> int:
    """The launcher's pid, started by any process."""
    return int((installation.data_dir / "lock").read_text())


PROGRAMS = (
    "--node-id=0",
    "web.web_server",
    "launcher.celery worker --beat",
)
MEANT_TO_STOP = 1 << signal.SIGTERM - 1 | 1 << signal.SIGINT - 1


def parent_of(pid: int) -> int:
    """The process that is notified of its end."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def ends_of(pid: int) -> set[str]:
    """The sockets and pipes that it holds: each has a number of its own."""
    held = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        try:
            held.add(str(fd.readlink()))
        except FileNotFoundError:  # closed meanwhile
            continue
    return {name for name in held if name.startswith(("socket:", "pipe:"))}


def mask_of(pid: int, name: str) -> int:
    """A mask of signals, of /proc/PID/status."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1], 16)
    raise AssertionError(f"no {name}")


@pytest.mark.long
def test_second_launcher_is_refused(folder: Path, launch: Launch) -> None:
    with postgres.serve(folder, throwaway=True):
        launcher = launch(*LAUNCHER, **environ(folder))
        _, said = launcher.communicate(timeout=40)

    assert launcher.returncode == 1
    assert "Another Rollcall" in said
