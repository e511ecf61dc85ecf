"""A whole installation as a child process: what tests, benchmarks and the demo run against.

It starts what ``make run`` starts, on free ports and in a data folder of its own, and reads
the one line that says where it serves.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

CHECKOUT = Path(__file__).resolve().parent.parent

PYTHON = Path(".venv/bin/python")

START_S = 90
"""Longer than any start takes, even on a busy machine."""

STOP_S = 15

NOT_PASSED_ON = ("ROLLCALL_", "PYTHONDONTWRITEBYTECODE")
"""Variables of the caller, by their first letters. Without bytecode, which the Makefile also sees
to, each start would compile every module of ours."""

LINES_KEPT = 400
"""Of the child's log, for the error message of a start that failed."""

READY = re.compile(r"^ready kafka=(?P<kafka>\S+) draft=(?P<draft>\S+) web=(?P<web>\S+)$")


class Installation:
    """``with Installation() as it: it.kafka`` is HOST:PORT of node 0, ``it.draft`` of its listener
    for the 0.9 draft.

    ``settings`` are environment variables (``ROLLCALL_...``). The data folder is kept between
    ``stop`` and ``start`` and removed at the end, unless one was given. ``checkout``: the folder
    of another version, with an environment of its own.
    """

    def __init__(
        self,
        settings: Mapping[str, str] | None = None,
        data_dir: Path | None = None,
        checkout: Path | None = None,
    ) -> None:
        self.settings = dict(settings or {})
        self._own = data_dir is None
        self.checkout = checkout or CHECKOUT
        self._python = str(checkout / PYTHON) if checkout else sys.executable
        self.data_dir = data_dir or Path(tempfile.mkdtemp(prefix="rollcall-"))
        self.data_dir.chmod(0o711)  # PostgreSQL's own user has to pass through it
        self.kafka = ""
        self.draft = ""
        self.web = ""
        self.log: deque[str] = deque(maxlen=LINES_KEPT)
        self.process: subprocess.Popen[str] | None = None
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        if self._own:
            shutil.rmtree(self.data_dir, ignore_errors=True)

    def start(self) -> None:
        """Start it and wait until it serves; the ports stay the same over a restart."""
        self._ready.clear()
        port = self.kafka.rpartition(":")[2] or "0"
        environ = {k: v for k, v in os.environ.items() if not k.startswith(NOT_PASSED_ON)}
        self.process = subprocess.Popen(
            [self._python, "-m", "launcher", "--stop-with-parent"],
            cwd=self.checkout,
            env={
                **environ,
                "DJANGO_SETTINGS_MODULE": "coordinator_site.settings",
                "ROLLCALL_DATA_DIR": str(self.data_dir),
                "ROLLCALL_KAFKA_PORT": port,
                "ROLLCALL_DRAFT_PORT": self.draft.rpartition(":")[2] or "0",
                "ROLLCALL_WEB_PORT": "0",
                **self.settings,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()
        if not self._ready.wait(START_S):
            self.kill()
            raise RuntimeError("Rollcall did not start:\n" + "".join(self.log))

    def stop(self) -> None:
        """Stop it as Ctrl-C would."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """Kill every process of it at once with SIGKILL, PostgreSQL included."""
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if self.process is not None:
            self.process.wait()

    def pids(self) -> list[int]:
        """The launcher's process id and those of all its descendants."""
        if self.process is None:
            return []
        children = _children()
        found, new = [], [self.process.pid]
        while new:
            pid = new.pop()
            found.append(pid)
            new += children.get(pid, [])
        return found

    def node_pid(self, node_id: int) -> int:
        """The process id of a coordinator node; ``LookupError`` while it does not run."""
        return self._pid(f"--node-id={node_id}")

    def web_pid(self) -> int:
        """The process id of the web; ``LookupError`` while it does not run."""
        return self._pid("web.web_server")

    def _pid(self, wanted: str) -> int:
        """The pid of the process whose command line contains this word."""
        ours = set(self.pids())
        for line in _listed("pid=,args="):
            pid, _, command = line.strip().partition(" ")
            if int(pid) in ours and wanted in command.split():
                return int(pid)
        raise LookupError(f"no process of {wanted} runs")

    def _read(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self.log.append(line)
                found = READY.match(line)
                if found:
                    self.kafka, self.draft, self.web = found["kafka"], found["draft"], found["web"]
                    self._ready.set()


def _children() -> dict[int, list[int]]:
    """Parent to children, for every process of this machine."""
    children: dict[int, list[int]] = {}
    for line in _listed("pid=,ppid="):
        pid, parent = map(int, line.split())
        children.setdefault(parent, []).append(pid)
    return children


def _listed(columns: str) -> list[str]:
    """One line for each process that ``ps`` shows."""
    return subprocess.run(
        ["ps", "-A", "-ww", "-o", columns], capture_output=True, text=True, check=True
    ).stdout.splitlines()
