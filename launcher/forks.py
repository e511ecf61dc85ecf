"""The launcher's side of the fork server (``launcher.fork_server``): it requests processes.

If the fork server cannot fork, for example because it died, the process is started without it, as
on systems other than Linux, and takes seconds to import everything.
"""

import array
import ctypes
import json
import os
import select
import socket
import sys
from collections.abc import Mapping
from typing import IO

from coordinator_site.secret_files import SECRETS
from launcher import commands
from launcher.child import Child, Started
from launcher.output import Output
from launcher.process import Command

PR_SET_CHILD_SUBREAPER = 36
"""The option of Linux's prctl(2) that makes orphans among our descendants our own children."""

READY_FOR_TASKS = b"ready for tasks"
READY = b"ready"
ANSWER_S = 10.0
"""A fork takes milliseconds; longer on a busy machine."""

ROOM_FOR_ARGUMENTS = {"ROLLCALL_FORK_SERVER": "." * 1024}
"""A fork writes its own arguments where the fork server's arguments and environment were at the
start."""

MODULE = ("-m", "launcher.fork_server")


class Forked:
    """A process that the fork server forked and that is our child."""

    def __init__(self, pid: int, stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdout = stdout
        self._status: int | None = None

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status

    def send_signal(self, number: int) -> None:
        """Signal it, if it runs."""
        if self.poll() is None:
            os.kill(self.pid, number)


class Forks:
    """A fork server that runs. Made and used by the main thread only."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._environ: Mapping[str, str] | None = None
        self._ready: set[bytes] = set()
        self._peer, self._child = self._start()

    def send_environ(self, environ: Mapping[str, str]) -> None:
        """Send the environment in which Django's settings are read."""
        self._environ = commands.environ("node", environ)
        try:
            self._peer.send(json.dumps(self._environ).encode())
        except OSError:
            return  # it is gone, or the environment is too long for a message

    def is_settled(self, command: Command) -> bool:
        """Whether it can fork this program, or never will."""
        if not self._can(command) and self._is_readable(0.0):
            self._ready.add(self._receive())
        return self._can(command) or self._child.status() is not None

    def start(self, command: Command) -> Started | None:
        """Let it fork a program; None if it does not."""
        if not self._can(command):
            return None
        ours, theirs = os.pipe()
        try:
            pid = self._request(command, theirs)
        finally:
            os.close(theirs)
        if pid is None:
            os.close(ours)
            return None
        return Forked(pid, os.fdopen(ours, "rb"))

    def mend(self) -> None:
        """Restart it if it has died, unless it never became ready."""
        if READY in self._ready and self._child.status() is not None:
            self._output.say("forks", "the fork server has ended; it is restarted")
            self.stop()
            self._ready = set()
            self._peer, self._child = self._start()
            if self._environ is not None:
                self.send_environ(self._environ)

    def stop(self) -> None:
        """Stop it: it has no state that could be lost."""
        self._peer.close()
        self._child.clear()
        self._child.forget()

    def _start(self) -> tuple[socket.socket, Child]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(ANSWER_S)
        with theirs:
            argv = (sys.executable, *MODULE, str(theirs.fileno()))
            variables = {k: v for k, v in os.environ.items() if k not in SECRETS}
            environ = {**commands.environ("node", variables), **ROOM_FOR_ARGUMENTS}
            command = Command(argv, environ, commands.CHECKOUT)
            return ours, Child("forks", command, self._output, keep=(theirs.fileno(),))

    def _request(self, command: Command, output: int) -> int | None:
        name, *arguments = command.program
        words = [name, arguments, dict(command.environ), int(command.at_our_death)]
        fds = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [output]))]
        subreaper(True)
        try:
            self._peer.sendmsg([json.dumps(words).encode()], fds)
            while (reply := self._receive()) == READY:  # it had just imported the rest
                self._ready.add(reply)
        except OSError:
            reply = b""
        finally:
            subreaper(False)
        return int(reply) if reply else None

    def _can(self, command: Command) -> bool:
        """Whether it has imported what the program needs."""
        is_task = command.program[:1] in [(name,) for name in commands.TASKS]
        return bool(command.program) and (READY_FOR_TASKS if is_task else READY) in self._ready

    def _is_readable(self, timeout_s: float) -> bool:
        return bool(select.select([self._peer], [], [], timeout_s)[0])

    def _receive(self) -> bytes:
        try:
            return self._peer.recv(len(READY_FOR_TASKS) + 16)
        except OSError:
            return b""


def subreaper(is_one: bool) -> None:
    """Set whether orphans become our children: only while we wait for one."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(is_one), 0, 0, 0)


def served(output: Output) -> Forks | None:
    """A fork server, if this system supports one."""
    return Forks(output) if sys.platform == "linux" else None
