"""The leash: a command ends when its parent process does, however that is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from launcher import child
from tests.launcher.conftest import Launch
from tests.launcher.waiting import is_running, number_in, until

HOLDER = """
import os, subprocess, sys
leash, out, way = sys.argv[1:4]
ours, theirs = os.pipe()
hold = str(ours) if way == "pipe" else "-"
command = [sys.executable, "-c", "import os, signal, sys;"
    "open(sys.argv[1], 'w').write(f'{os.getpid()}\\\\n'); signal.pause()", out]
subprocess.Popen(
    [sys.executable, leash, str(os.getpid()), "15", "-", hold, *command],
    pass_fds=(ours,) if way == "pipe" else (),
).wait()
"""

WAYS = ["pipe", *(["kernel"] if sys.platform == "linux" else [])]


@pytest.mark.parametrize("way", WAYS)
def test_command_ends_when_its_parent_is_killed(launch: Launch, tmp_path: Path, way: str) -> None:
    out = tmp_path / "pid"
    holder = launch("-c", HOLDER, str(child.LEASH), str(out), way)
    command = until(lambda: number_in(out), "the command started")

    os.kill(holder.pid, signal.SIGKILL)

    until(lambda: not is_running(command), "the command ended")


def test_watcher_ends_when_its_command_does(launch: Launch, tmp_path: Path) -> None:
    out = tmp_path / "pid"
    holder = launch("-c", HOLDER, str(child.LEASH), str(out), "pipe")
    command = until(lambda: number_in(out), "the command started")
    watcher = int(Path(f"/proc/{command}/task/{command}/children").read_text())

    os.kill(command, signal.SIGKILL)

    until(lambda: not is_running(watcher), "the watcher ended")
    assert holder.wait() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's way is Linux's")
def test_command_never_starts_when_its_parent_has_ended() -> None:
    gone = os.getppid()  # not the parent of what we start, as if that had died

    done = subprocess.run(
        [sys.executable, str(child.LEASH), str(gone), "9", "-", "-", "/bin/echo", "here"],
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (1, b"")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_command_runs_as_the_given_user() -> None:
    arguments = [str(os.getpid()), "9", "12345:23456", "-", "/usr/bin/id"]

    output = subprocess.check_output([sys.executable, str(child.LEASH), *arguments], text=True)

    assert output.split() == ["uid=12345", "gid=23456", "groups=23456"]
