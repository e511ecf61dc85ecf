"""A test that hangs ends, wherever its time limit finds it."""

import asyncio
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from launcher.installation import CHECKOUT
from tests.loops import Loop

HANGS = """
import asyncio
import signal

rung = []

async def busy():
    while not rung:  # the alarm rings while this task runs, and ends it alone
        try:
            while True:
                pass
        except BaseException:
            rung.append(True)
            raise

async def test_hangs():
    task = asyncio.create_task(busy())
    await asyncio.sleep(0)
    await asyncio.Event().wait()
"""


FAILS_AND_HANGS = """
import threading

import pytest

@pytest.fixture
def endless():
    yield
    threading.Event().wait()

def test_fails_and_its_ending_hangs(endless):
    assert False
"""


DEAF = """
import signal
import time

from tests import time_limit

time_limit.UNHEARD_S = 1.0  # from the time limit on

def test_hangs():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(300)
"""


WITHOUT = ("-p", "no:hypothesispytest", "-p", "no:schemathesis")

LIMIT_S = 3
"""Longer than pytest takes for its report of a failure, on a busy machine, too: the alarm, which
rings again and again, would end that."""


def ran(test: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """pytest with a limit of seconds, without plugins that compile modules at its end: CPython
    3.11 cannot parse one while it collects a task whose traceback it parses for (gh-106905)."""
    (folder / "test_hangs.py").write_text(test)
    words = [sys.executable, "-m", "pytest", "-p", "tests.time_limit", "-p", "no:django", *WITHOUT]
    options = ["-o", "asyncio_mode=auto", "-p", "no:cacheprovider", f"--timeout={LIMIT_S}", "-q"]
    return subprocess.run(
        [*words, *options, "-c", "/dev/null", "--rootdir", str(folder), str(folder)],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.long
def test_hung_code_is_ended_and_so_is_the_hung_teardown_of_a_failed_test(tmp_path: Path) -> None:
    """The alarm rings again where a task took it, and in what follows a failure."""
    ended = ran(HANGS + FAILS_AND_HANGS, tmp_path)
    said = ended.stdout + ended.stderr
    assert "2 failed, 1 error" in ended.stdout, said
    assert "ERROR at teardown of test_fails_and_its_ending_hangs" in said, said
    assert said.count(f"Timeout (>{LIMIT_S}.0s)") >= 2, said


def test_a_hung_loop_is_ended_and_its_open_tasks_are_listed() -> None:
    """Its peer, which closes nothing, is no reason to wait."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        loop = Loop()
        connecting = loop.create_connection(asyncio.Protocol, *server.getsockname())
        loop.run_until_complete(connecting)
        with pytest.raises(ResourceWarning, match="TCPTransport"):
            loop.close()
    assert loop.is_closed()


@pytest.mark.long
def test_a_process_that_ignores_the_alarm_is_ended_and_prints_its_stack(tmp_path: Path) -> None:
    ended = ran(DEAF, tmp_path)
    assert ended.returncode == 1
    assert "time.sleep(300)" in ended.stdout + ended.stderr
