"""Runs a command on a leash: when the process that asked for it dies, the command is signalled.

    parent_watch.py PARENT SIGNAL USER HOLD COMMAND [ARGUMENT ...]

PARENT is the pid of the process that asks, SIGNAL the number to send, USER is ``uid:gid`` to
become first, or ``-``. HOLD is ``-`` where the kernel does the watching (Linux), else the number
of an inherited pipe whose other end only the parent holds (macOS has no such signal).

This file runs as a script, by path and before anything is installed or readable for the new
user. It imports the standard library only, and never anything of Rollcall.
"""

import ctypes
import os
import select
import sys

PR_SET_PDEATHSIG = 1
"""The option of Linux's prctl(2) that asks for a signal at the parent's death."""

LOOK_AGAIN_S = 1.0
"""How often a watcher checks whether the command itself has ended."""


def become(user: str) -> None:
    """Give up root for ``uid:gid``; no supplementary groups remain."""
    uid, gid = (int(part) for part in user.split(":"))
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def request_death_signal(parent: int, signal_number: int) -> None:
    """Have Linux signal this process, and what it becomes, at the parent's death.

    A change of user clears the request, so it comes after ``become``.
    """
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal_number) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    if os.getppid() != parent:  # it died before we asked
        sys.exit(1)


def fork_watcher(hold: int, signal_number: int) -> None:
    """Leave a small process behind that waits for the end of the pipe, then signals us."""
    command = os.getpid()
    if os.fork() != 0:
        os.close(hold)
        return
    for inherited in (0, 1, 2):  # the command's output must end when it ends
        os.close(inherited)
    while os.getppid() == command:
        if select.select([hold], [], [], LOOK_AGAIN_S)[0]:
            os.kill(command, signal_number)
            break
    os._exit(0)


def main(arguments: list[str]) -> None:
    """Set up the watch, then become the command."""
    parent, signal_number, user, hold, *command = arguments
    if user != "-":
        become(user)
    if hold == "-":
        request_death_signal(int(parent), int(signal_number))
    else:
        fork_watcher(int(hold), int(signal_number))
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
