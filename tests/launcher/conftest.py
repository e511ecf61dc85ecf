"""Folders and launchers for the tests of the launcher; whatever they start ends with the test."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from launcher import stale_processes
from launcher.environment import CHECKOUT
from tests.launcher.waiting import until

PASSABLE = 0o711
STOP_S = 10

Launch = Callable[..., "subprocess.Popen[str]"]


def heed_signals() -> None:
    """What a terminal starts heeds these; a run in the background, or under nohup, hands on that
    it ignores them."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def data_folder() -> Iterator[Path]:
    """A data folder that any user may pass through, unlike pytest's own temporary ones."""
    path = Path(tempfile.mkdtemp(prefix="rollcall-launcher-"))
    path.chmod(PASSABLE)
    yield path
    for data in (path / "postgres" / "data", path / "data" / "postgres" / "data"):
        until(lambda data=data: not stale_processes.find(data), "the server ended")  # type: ignore[misc]
    shutil.rmtree(path)


@pytest.fixture
def folder() -> Iterator[Path]:
    """One for the test."""
    with data_folder() as path:
        yield path


@pytest.fixture
def launch() -> Iterator[Launch]:
    """Starts a Python program from the checkout, its output captured; kills it in the end."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **environ: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=CHECKOUT,
            env={**os.environ, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heed_signals,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.terminate()
        try:
            process.communicate(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
