"""The supervisor over real processes: order, restarts, and an end that leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from launcher import postgres
from launcher.process import POLITE
from tests.launcher.conftest import Launch, heed_signals
from tests.launcher.waiting import is_running, number_in, until

LAUNCHER = ("-m", "tests.launcher.small_launcher")

STOP_S_PROMISED = 10


def pid_of(folder: Path, name: str, other_than: int = 0) -> int:
    """The pid of the stand-in of that name, once it is another one than the one given."""

    def look() -> int | None:
        pid = number_in(folder / f"{name}.pid")
        return pid if pid != other_than else None

    return until(look, f"{name} started")


def wait_ready(launcher: "subprocess.Popen[str]") -> None:
    assert launcher.stdout is not None
    assert launcher.stdout.readline() == "ready\n"


def test_each_stage_starts_when_the_one_before_serves(launch: Launch, tmp_path: Path) -> None:
    launcher = launch(*LAUNCHER, str(tmp_path), "first", "second", "third")

    wait_ready(launcher)

    assert (tmp_path / "order").read_text().split() == ["first", "second", "third"]


def test_process_that_dies_is_restarted(launch: Launch, tmp_path: Path) -> None:
    launcher = launch(*LAUNCHER, str(tmp_path), "one", "two")
    wait_ready(launcher)
    one, two = pid_of(tmp_path, "one"), pid_of(tmp_path, "two")

    os.kill(one, signal.SIGKILL)

    assert is_running(pid_of(tmp_path, "one", other_than=one))
    assert pid_of(tmp_path, "two") == two


def test_each_restart_waits_longer_than_the_one_before(launch: Launch, tmp_path: Path) -> None:
    launcher = launch(*LAUNCHER, str(tmp_path), "one")
    wait_ready(launcher)

    pid = 0
    for _ in range(3):
        pid = pid_of(tmp_path, "one", other_than=pid)
        os.kill(pid, signal.SIGKILL)
    pid_of(tmp_path, "one", other_than=pid)

    launcher.send_signal(signal.SIGTERM)
    _, said = launcher.communicate()
    waits = [line.split(" in ")[1] for line in said.splitlines() if "starts again" in line]
    assert waits == ["0.2 s", "0.4 s", "0.8 s"]


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        *(pytest.param(n, marks=pytest.mark.long) for n in (signal.SIGINT, signal.SIGHUP)),
    ],
)
def test_signal_stops_everything(launch: Launch, tmp_path: Path, number: signal.Signals) -> None:
    launcher = launch(*LAUNCHER, str(tmp_path), "one", "two")
    wait_ready(launcher)

    launcher.send_signal(number)

    assert launcher.wait() == 0
    assert not is_running(pid_of(tmp_path, "one"))
    assert not is_running(pid_of(tmp_path, "two"))


def test_the_stop_takes_no_longer_than_documented() -> None:
    """However stubborn: first the programs, then PostgreSQL, each stage down its ladder at once."""
    seconds = [wait_s for _, wait_s in (*POLITE, *postgres.LADDER)]
    assert sum(seconds) < STOP_S_PROMISED


def test_stubborn_process_and_its_child_are_killed(launch: Launch, tmp_path: Path) -> None:
    launcher = launch(*LAUNCHER, str(tmp_path), "one:stubborn,parent")
    wait_ready(launcher)
    pids = [pid_of(tmp_path, "one"), pid_of(tmp_path, "one-child")]

    launcher.send_signal(signal.SIGTERM)
    launcher.wait()

    for pid in pids:
        until(lambda pid=pid: not is_running(pid), "nothing is left")  # type: ignore[misc]


def test_child_of_a_process_that_died_is_killed(launch: Launch, tmp_path: Path) -> None:
    launcher = launch(*LAUNCHER, str(tmp_path), "one:parent")
    wait_ready(launcher)
    child = pid_of(tmp_path, "one-child")

    os.kill(pid_of(tmp_path, "one"), signal.SIGKILL)

    until(lambda: not is_running(child), "the orphan ended")
    assert is_running(launcher.pid), "the launcher goes on, and starts it anew"


def test_nothing_outlives_a_launcher_that_is_killed(launch: Launch, tmp_path: Path) -> None:
    launcher = launch(*LAUNCHER, str(tmp_path), "one:stubborn", "two")
    wait_ready(launcher)

    launcher.kill()

    for name in ("one", "two"):
        pid = pid_of(tmp_path, name)
        until(lambda pid=pid: not is_running(pid), f"{name} ended")  # type: ignore[misc]
    assert launcher.wait() == -signal.SIGKILL


def test_process_that_never_serves_ends_the_start(launch: Launch, tmp_path: Path) -> None:
    launcher = launch(*LAUNCHER, str(tmp_path), "good", "bad:brief")

    _, said = launcher.communicate(timeout=20)

    assert launcher.returncode == 1
    assert "bad ended with status 3 at each start." in said
    assert not is_running(pid_of(tmp_path, "good"))


def test_signal_during_the_start_ends_it(launch: Launch, tmp_path: Path) -> None:
    launcher = launch(*LAUNCHER, str(tmp_path), "good", "bad:brief")
    pid_of(tmp_path, "bad")

    launcher.send_signal(signal.SIGINT)

    assert launcher.wait() == 0
    assert not is_running(pid_of(tmp_path, "good"))


def test_output_lines_have_the_name_of_their_process(launch: Launch, tmp_path: Path) -> None:
    launcher = launch(*LAUNCHER, str(tmp_path), "one", "two")
    wait_ready(launcher)
    launcher.send_signal(signal.SIGTERM)

    _, said = launcher.communicate()

    lines = [re.fullmatch(r"(.{11}\| )(\S+Z) info     (.*)", each) for each in said.splitlines()]
    assert [line and (line[1], line[3]) for line in lines] == [
        ("one        | ", "one is here"),
        ("two        | ", "two is here"),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="what make did is read from /proc")
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGKILL,
        *(pytest.param(n, marks=pytest.mark.long) for n in (signal.SIGINT, signal.SIGTERM)),
    ],
)
def test_launcher_stops_with_the_make_that_runs_it(tmp_path: Path, number: signal.Signals) -> None:
    command = f"{sys.executable} {' '.join(LAUNCHER)} --stop-with-parent {tmp_path} one"
    (tmp_path / "Makefile").write_text(f"run:\n\t@{command}\n")
    make = subprocess.Popen(
        ["make", "-f", str(tmp_path / "Makefile"), "run"],
        # The tests themselves may run below a make, which sets this for the processes below it.
        env={k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=heed_signals,
    )
    wait_ready(make)
    one = pid_of(tmp_path, "one")

    make.send_signal(number)  # to make alone, as a program that started it does

    until(lambda: not is_running(one), "the stand-in ended", patience_s=10)
    make.communicate(timeout=10)
    assert not is_running(make.pid)
