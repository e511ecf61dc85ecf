"""Find and end server processes that outlived their launcher.

A launcher that was killed leaves a server that is still shutting down, and a server that was killed
may leave backends behind. All of them work in the data folder, which identifies them; a pid alone
proves nothing, because pids are reused. The caller holds the data folder's lock, so a process that
is found has no launcher any more.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from launcher.errors import LaunchError

LADDER = (
    (signal.SIGINT, 5.0),  # fast shutdown: what the server gets when its launcher dies
    (signal.SIGQUIT, 2.0),  # immediate: no checkpoint, the next start recovers
    (signal.SIGKILL, 2.0),
)
"""What to send, and how many seconds to wait for it to work."""

LOOK_AGAIN_S = 0.02
PROC = Path("/proc")
HAS_PROC = (PROC / "self" / "cwd").exists()


def end_all(data: Path, report: Callable[[str], None]) -> None:
    """End every server process of this data folder, then drop a misleading pid file."""
    for number, wait_s in LADDER:
        pids = find(data)
        if not pids:
            break
        report(f"a server of an earlier run is still running (pid {pids[0]}): ending it")
        send(pids, number)
        wait_gone(data, wait_s)
    if pids := find(data):
        raise LaunchError(f"The server process {pids[0]} still uses {data} and does not end.")
    drop_false_pid_file(data)


def find(data: Path) -> list[int]:
    """The pids of PostgreSQL processes that work in the data folder."""
    if HAS_PROC:
        return [int(p.name) for p in PROC.iterdir() if p.name.isdigit() and works_in(p, data)]
    pid = recorded_pid(data)
    return [pid] if pid is not None and str(data) in command_of(pid) else []


def works_in(process: Path, data: Path) -> bool:
    """Whether this /proc entry is a PostgreSQL process whose current folder is ``data``."""
    try:
        name = (process / "comm").read_text().strip()
        return name == "postgres" and (process / "cwd").readlink() == data
    except OSError:  # it ended meanwhile, or belongs to another user
        return False


def recorded_pid(data: Path) -> int | None:
    """The server's pid as its own file has it."""
    try:
        return int((data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return None


def command_of(pid: int) -> str:
    """The command line of a process, empty if there is none; for systems without /proc."""
    listing = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return listing.stdout


def send(pids: list[int], number: signal.Signals) -> None:
    """Signal each process that is still there."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def wait_gone(data: Path, wait_s: float) -> None:
    """Wait until nothing works in the folder any more, or the time is over."""
    until = time.monotonic() + wait_s
    while find(data) and time.monotonic() < until:
        time.sleep(LOOK_AGAIN_S)


def drop_false_pid_file(data: Path) -> None:
    """Remove a pid file whose pid now belongs to another program.

    The server refuses to start if there is one, because it cannot tell. If no process has the pid,
    the file stays: the server then also checks that no shared memory of the old one is in use.
    """
    pid = recorded_pid(data)
    if pid is not None and is_alive(pid):
        (data / "postmaster.pid").unlink()


def is_alive(pid: int) -> bool:
    """Whether any process has this pid."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
