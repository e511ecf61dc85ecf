"""Celery's worker and beat as the launcher runs them: the broker is PostgreSQL itself."""

import os
import signal
import time

import psutil
import psycopg
import pytest

from launcher.installation import Installation
from tests.processes import told


@pytest.fixture(autouse=True)
def _prepared() -> None:
    """The installation has a database of its own."""


@pytest.mark.long
@pytest.mark.timeout(180)
@pytest.mark.xdist_group("pair")
def test_sweeps_continue_after_the_worker_was_killed(pair: Installation) -> None:
    url = (pair.data_dir / "database-url").read_text().strip()
    runs = until_swept(url, 2)
    os.kill(worker_of(pair), signal.SIGKILL)
    until_swept(url, runs + 2)


def worker_of(installation: Installation) -> int:
    """The process id of the installation's Celery worker."""
    commands = told(installation, psutil.Process.cmdline)
    (found,) = (
        pid for pid, argv in commands.items() if "launcher.celery" in argv and "worker" in argv
    )
    return found


def until_swept(url: str, runs: int) -> int:
    """Wait until the session sweep has run so often; pytest's own limit ends what never comes."""
    with psycopg.connect(url, autocommit=True) as connection:
        while True:
            row = connection.execute(
                "SELECT runs, failures FROM rollcall_sweep WHERE name = 'session sweep'"
            ).fetchone()
            if row and row[0] >= runs:
                assert row[1] == 0
                return int(row[0])
            time.sleep(0.1)


@pytest.mark.long
@pytest.mark.xdist_group("pair")
def test_nodes_have_priority_over_pages_and_periodic_work(pair: Installation) -> None:
    processes = told(pair, lambda process: (" ".join(process.cmdline()), process.nice()))
    nice: dict[str, set[int]] = {"runcoordinator": set(), "web_server": set(), "celery": set()}
    for command, level in processes.values():
        for name, found in nice.items():
            if name in command:
                found.add(level)
    ours = os.nice(0)
    lower = min(ours + 5, 19)
    assert nice == {"runcoordinator": {ours}, "web_server": {lower}, "celery": {lower}}
