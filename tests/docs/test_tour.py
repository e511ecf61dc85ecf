"""The README's first pages, word for word: two verbs, a stock worker, and one of ours.

Only the ports, the data folder and the folder of ``worker.py`` are the test's own.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path

import psycopg
import pytest

from launcher.installation import CHECKOUT
from tests.api.curl import Example, Request, send
from tests.launcher.conftest import folder, heed_signals
from tests.launcher.waiting import until

__all__ = ["folder"]

PAGE = (CHECKOUT / "README.md").read_text()
PRINTED = ("127.0.0.1:9092", "127.0.0.1:9392", "http://127.0.0.1:8000")
"""Kafka, draft and web."""

READY = re.compile(r"ready kafka=(\S+) draft=(\S+) web=(\S+)\n")
REBALANCES = (
    "SELECT trigger FROM rollcall_journal"
    " WHERE group_id = 'packers' AND kind = 'rebalance-started' ORDER BY id"
)
PATIENCE_S = 90.0
"""Longer than any step takes, on a machine that does much else."""

QUIET = {"MAKEFLAGS": "", "MAKELEVEL": "", "MFLAGS": ""}
"""The tests themselves may run below a make, which tells those below it that it does."""

TOKEN = "the-token"

pytestmark = pytest.mark.timeout(400)


def after(words: str, language: str = "", page: str = PAGE) -> str:
    """The first block of a language behind some words of the page."""
    found = re.search(rf"```{language}\n(.*?)```", page[page.index(words) :], re.DOTALL)
    assert found is not None
    return found[1]


class Terminal:
    """A command in a terminal of its own; what it prints, line by line."""

    def __init__(self, command: list[str], folder: Path, environ: dict[str, str]) -> None:
        self.said: list[str] = []
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "ROLLCALL_DATABASE_URL": "", **environ},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=heed_signals,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.said.extend(self.process.stdout)

    def until_printed(self, line: str, times: int = 1) -> None:
        """Wait until it has printed the line so often."""
        until(lambda: self.said.count(line + "\n") >= times, f"{line!r} in {self.said}", PATIENCE_S)

    def end(self, number: signal.Signals) -> None:
        """What Ctrl-C or ``kill`` sends, to all that runs in it."""
        os.killpg(self.process.pid, number)
        self.process.wait(PATIENCE_S)
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()


Open = Callable[..., Terminal]


@pytest.fixture
def open_terminal() -> Iterator[Open]:
    """Opens terminals; what still runs in them ends with the test."""
    opened: list[Terminal] = []

    def begin(*command: str, folder: Path = CHECKOUT, **environ: str) -> Terminal:
        opened.append(Terminal(list(command), folder, environ))
        return opened[-1]

    yield begin
    for terminal in reversed(opened):
        if terminal.process.poll() is None:
            terminal.end(signal.SIGTERM)


class Tour:
    """What the page says, with the addresses at which this test's Rollcall serves."""

    def __init__(self, open_terminal: Open, folder: Path) -> None:
        self.open, self.folder = open_terminal, folder
        self.addresses = PRINTED

    def make_run(self) -> Terminal:
        """``make run``, until it says that it is ready; on the same ports each time."""
        assert "make run" in after("## Two commands")
        is_first = self.addresses == PRINTED
        settings = {
            f"ROLLCALL_{name}_PORT": "0" if is_first else address.rpartition(":")[2]
            for name, address in zip(("KAFKA", "DRAFT", "WEB"), self.addresses, strict=True)
        }
        data = {"ROLLCALL_DATA_DIR": str(self.folder / "data"), "ROLLCALL_API_TOKEN": TOKEN}
        terminal = self.open("make", "run", **settings, **data, **QUIET)
        line = until(lambda: "".join(terminal.said[:1]), "the ready line", PATIENCE_S)
        ready = READY.fullmatch(line)
        assert ready, line
        self.addresses = (ready[1], ready[2], ready[3])
        return terminal

    def with_addresses(self, text: str) -> str:
        """A piece of the page for this Rollcall."""
        for printed, real in zip(PRINTED, self.addresses, strict=True):
            text = text.replace(printed, real)
        return text

    def worker(self, name: str) -> Terminal:
        """``.venv/bin/python worker.py NAME``"""
        command = f"worker.py {name}"
        assert f"`.venv/bin/python {command}`" in PAGE
        program = str(CHECKOUT / ".venv" / "bin" / "python")
        return self.open(program, *command.split(), folder=self.folder)

    def heard_of(self, client_id: str) -> datetime:
        """The time of a member's last heartbeat, from REST."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        url = f"{self.addresses[2]}/api/v1/groups/packers"
        members = json.loads(send(Request("GET", url, headers))[2])["members"]
        (found,) = (m for m in members if m["client_id"] == client_id)
        return datetime.fromisoformat(found["last_heartbeat_at"])

    def rebalances(self) -> list[str]:
        """The causes of the group's rebalances, in order, from its journal."""
        url = (self.folder / "data" / "database-url").read_text().strip()
        with psycopg.connect(url) as database:
            return [cause for (cause,) in database.execute(REBALANCES).fetchall()]


@pytest.mark.long
def test_the_tour_works_as_documented(folder: Path, open_terminal: Open) -> None:
    tour = Tour(open_terminal, folder)
    rollcall = tour.make_run()

    topic = tour.with_addresses(after("## Five minutes with a stock client"))
    subprocess.run(["sh", "-c", topic], cwd=CHECKOUT, check=True, timeout=PATIENCE_S)
    (folder / "worker.py").write_text(
        tour.with_addresses(after("Save this as `worker.py`", "python"))
    )

    anna = tour.worker("anna")
    anna.until_printed("works on [0, 1, 2, 3, 4, 5]")
    ben = tour.worker("ben")
    until(lambda: shared(anna, ben), "each has three", PATIENCE_S)

    ben.end(signal.SIGKILL)
    anna.until_printed("works on [0, 1, 2, 3, 4, 5]", times=2)

    said, stopped = list(anna.said), datetime.now(UTC)
    rollcall.end(signal.SIGINT)
    tour.make_run()
    until(lambda: tour.heard_of("anna") > stopped, "Anna is back", PATIENCE_S)
    again = tour.worker("ben")
    until(lambda: shared(anna, again), "each has three again", PATIENCE_S)
    joined = "member-joined"
    assert tour.rebalances() == [joined, joined, "session-expired", joined], "none by the restart"
    assert anna.said[: len(said)] == said and len(anna.said) == len(said) + 2

    for command in re.findall(
        r"^curl (?:.*\\\n)*.*$", tour.with_addresses(after("**REST**, at")), re.M
    ):
        request = Example(command, frozenset()).request({"TOKEN": TOKEN})
        assert send(request)[0] in (HTTPStatus.OK, HTTPStatus.ACCEPTED), command
    for terminal in (anna, again):
        terminal.end(signal.SIGTERM)
    ours = tour.open(
        *(str(CHECKOUT / ".venv" / "bin" / "python"), "-c"),
        tour.with_addresses(after("## A worker in Python", "python")),
    )
    ours.until_printed("assigned [0, 1, 2, 3, 4, 5]")
    ours.end(signal.SIGTERM)
    short = tour.open(
        *(str(CHECKOUT / ".venv" / "bin" / "python"), "-c"),
        tour.with_addresses(after("# Rollcall", "python")),
    )
    until(lambda: len(packed(short)) == 6, "a function for each partition", PATIENCE_S)
    shelves = (CHECKOUT / "examples" / "README.md").read_text()
    commands = after("**Command line**") + after("Create the topic", page=shelves)
    for command in re.findall(r"^\.venv/bin/rollcall .*", commands, re.MULTILINE):
        environ = {**os.environ, "ROLLCALL_TOKEN": TOKEN, "ROLLCALL_URL": tour.addresses[2]}
        done = subprocess.run(
            ["sh", "-c", command.replace("orders", "shelves")], env=environ, cwd=CHECKOUT
        )
        assert done.returncode == 0, command


def packed(terminal: Terminal) -> set[str]:
    """The partitions for which it packs."""
    return set(re.findall(r"packing for (\d) under token \d", "".join(terminal.said)))


def test_make_prints_nothing_while_it_installs_its_tools(tmp_path: Path) -> None:
    """`make run` prints the ready line first, though ``uv.lock`` is newer than what is here."""
    (tmp_path / "docker").mkdir()
    for name in ("Makefile", "pyproject.toml", "uv.lock", "docker/uv-requirements.txt"):
        shutil.copy(CHECKOUT / name, tmp_path / name)
    uv, python = tmp_path / ".tools/uv/bin/uv", tmp_path / ".venv/bin/python"
    for program in (uv, python):
        program.parent.mkdir(parents=True)
    shutil.copy(str(shutil.which("true")), uv)
    python.symlink_to(sys.executable)

    environ = {**os.environ, **QUIET}
    output = subprocess.check_output(["make", "setup"], cwd=tmp_path, env=environ)

    assert (tmp_path / ".venv/.synced").exists()
    assert output == b""


def shared(*terminals: Terminal) -> bool:
    """Whether what each said last is that it works on three, no two on the same."""
    last = [re.fullmatch(r"works on \[(.*)\]\n", "".join(t.said[-1:])) for t in terminals]
    parts = [set(found[1].split(", ")) for found in last if found]
    return [len(part) for part in parts] == [3, 3] and not parts[0] & parts[1]
