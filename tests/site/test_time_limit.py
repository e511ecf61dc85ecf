"""A test that hangs ends, wherever its time limit finds it."""

import subprocess
import sys
from pathlib import Path

import pytest

from launcher.installation import CHECKOUT

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


DEAF = """
import signal
import time

def test_hangs():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(300)
"""


def ran(test: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """pytest with a limit of a second."""
    (folder / "test_hangs.py").write_text(test)
    words = [sys.executable, "-m", "pytest", "-p", "tests.time_limit", "-p", "no:django"]
    options = ["-o", "asyncio_mode=auto", "-p", "no:cacheprovider", "--timeout=1", "-q"]
    return subprocess.run(
        [*words, *options, "-c", "/dev/null", "--rootdir", str(folder), str(folder)],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_the_alarm_rings_again_where_a_task_took_it(tmp_path: Path) -> None:
    ended = ran(HANGS, tmp_path)
    assert "1 failed" in ended.stdout, ended.stdout + ended.stderr
    assert "Timeout (>1.0s)" in ended.stdout


@pytest.mark.long
def test_a_process_that_hears_no_alarm_is_ended_and_says_where_it_stood(tmp_path: Path) -> None:
    ended = ran(DEAF, tmp_path)
    assert ended.returncode == 1
    assert "time.sleep(300)" in ended.stdout + ended.stderr
