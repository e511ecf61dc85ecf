"""One child process: started under ``parent_watch``, in its own session, its output passed on.

Knows nothing of other children, of order, or of when to restart.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Protocol

from launcher.output import Output
from launcher.process import Command

LEASH = Path(__file__).with_name("parent_watch.py")
PUMP_END_S = 0.5
"""How long to wait for the last lines of a child that has ended."""


class Started(Protocol):
    """A process that is our child: a ``Popen``, or one that was forked (``forks.py``)."""

    @property
    def pid(self) -> int:
        """The process id."""

    @property
    def stdout(self) -> IO[bytes] | None:
        """The reading end of its output."""

    def poll(self) -> int | None:
        """The exit status, None while it runs."""

    def send_signal(self, number: int) -> None:
        """Signal it, if it runs."""


Way = Callable[[Command], Started | None]
"""Another way to start a command than this file's; None if it cannot."""


class Child:
    """A running command. Must be made by the main thread: Linux watches the thread that made it.

    ``keep`` are descriptors that it inherits.
    """

    def __init__(
        self,
        name: str,
        command: Command,
        output: Output,
        way: Way = lambda command: None,
        keep: tuple[int, ...] = (),
    ) -> None:
        self.name = name
        self._hold: int | None = None
        self._process = way(command) or self._start(command, keep)
        self._pump = pump(output, name, self._process.stdout)

    def _start(self, command: Command, keep: tuple[int, ...]) -> Started:
        theirs: int | None = None
        if sys.platform != "linux":
            theirs, self._hold = os.pipe()
        started = subprocess.Popen(
            [*leash(command, theirs), *command.argv],
            env=dict(command.environ),
            cwd=command.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=keep if theirs is None else (*keep, theirs),
        )
        if theirs is not None:
            os.close(theirs)
        return started

    @property
    def pid(self) -> int:
        """The process id, which is also its group's."""
        return self._process.pid

    def status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._process.poll()

    def send(self, number: signal.Signals) -> None:
        """Signal the process; SIGKILL also goes to everything that it started."""
        if number is signal.SIGKILL:
            self.clear()
        elif self.status() is None:
            self._process.send_signal(number)

    def clear(self) -> None:
        """Kill the rest of the process group."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # macOS: EPERM for a group of zombies
            return

    def forget(self) -> None:
        """After the end: kill the rest of its group, and wait for its last lines."""
        self.clear()
        self._pump.join(PUMP_END_S)
        if self._hold is not None:
            os.close(self._hold)
            self._hold = None


def leash(command: Command, hold: int | None) -> list[str]:
    """The command line that goes before the command's own, see ``parent_watch.py``."""
    return [
        sys.executable,
        "-I",
        "-S",
        str(LEASH),
        str(os.getpid()),
        str(int(command.at_our_death)),
        command.identity.leash_argument() if command.identity else "-",
        "-" if hold is None else str(hold),
    ]


def pump(output: Output, name: str, stream: IO[bytes] | None) -> threading.Thread:
    """Pass on a child's output; there is one, since we asked for a pipe."""
    assert stream is not None
    return output.pump(name, stream)


def describe(status: int) -> str:
    """An exit status in words."""
    if status == -signal.SIGPROF:
        return "was ended by its watch: its event loop was busy and did not turn"
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"
