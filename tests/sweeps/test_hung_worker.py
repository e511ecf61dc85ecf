"""A server process of PostgreSQL that hangs under worker or beat: no error shows it, and no
periodic work was done until it answered again. The process ends instead, and its supervisor starts
another one."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from groups.postgres.message_queue_transport import TAKING
from groups.sweeps.beat import BEAT
from groups.sweeps.pool import TASK
from launcher.commands import argv, environ
from launcher.environment import CHECKOUT
from tests import databases
from tests.launcher.waiting import until

STILL_S = 2.0

PROGRAM = f"""
import sys, django
django.setup()
from groups.postgres import message_queue_transport
from groups.sweeps import beat, pool
from launcher import celery

beat.BEAT_STILL_S = message_queue_transport.TAKING_STILL_S = pool.TASK_STILL_S = {STILL_S}
celery.main(*sys.argv[1:])
"""

SESSIONS = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'rollcall worker%%' AND query LIKE %s
"""


SPAN = "SELECT extract(epoch FROM max(enqueued_at) - min(enqueued_at))::int FROM pgmq.q_rollcall"
SENT = 3 * STILL_S + 2
"""Longer than what is watched may stand still, and the watchdog needs to see it."""


@pytest.fixture(autouse=True)
def _prepared() -> None:
    """The worker has a database of its own."""


@pytest.fixture(scope="module")
def url(database_url: str) -> Iterator[str]:
    """A database in which everything is set up."""
    with databases.empty(f"test_hung_worker_{os.getpid()}") as made:
        env = environ("setup", {**os.environ, "ROLLCALL_DATABASE_URL": made})
        subprocess.run(argv("setup"), cwd=CHECKOUT, env=env, check=True)
        yield made


@contextmanager
def working(url: str, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """A worker over this database."""
    env = environ("worker", {**os.environ, "ROLLCALL_DATABASE_URL": url})
    command = [sys.executable, "-c", PROGRAM, "worker", *options]
    with subprocess.Popen(
        command, cwd=CHECKOUT, env=env, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.long
def test_a_beat_without_a_worker_is_not_watched_for_taking_tasks(url: str) -> None:
    """It sends one after the other, and ends only when it is told to."""
    env = environ("beat", {**os.environ, "ROLLCALL_DATABASE_URL": url})
    with subprocess.Popen([sys.executable, "-c", PROGRAM, "beat"], cwd=CHECKOUT, env=env) as beat:
        try:
            until(lambda: beat.poll() is not None or sent(url) >= SENT, "tasks", patience_s=90)
            assert beat.poll() is None
        finally:
            beat.kill()


def sent(url: str) -> int:
    """Seconds between the first task that nobody took and the last."""
    with psycopg.connect(url) as connection:
        row = connection.execute(SPAN).fetchone()
    return row[0] if row and row[0] else 0


def suspend_until_ended(process: "subprocess.Popen[str]", url: str, last: str) -> None:
    """Suspend each server process whose last statement was like this, while the process runs."""
    suspended: set[int] = set()
    with psycopg.connect(url, autocommit=True) as connection:
        try:
            while process.poll() is None:
                for (pid,) in connection.execute(SESSIONS, [last]):
                    os.kill(pid, signal.SIGSTOP)
                    suspended.add(pid)
                time.sleep(0.05)
        finally:
            for pid in suspended:
                os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize(
    ("part", "last", "options"),
    [
        (BEAT, "%django_celery_beat%", ["--beat"]),
        (TASK % "", "%rollcall_sweep%", ["--beat"]),
        pytest.param(TAKING, "COMMIT", [], marks=pytest.mark.long),
    ],
)
def test_a_process_of_which_a_part_waits_for_a_hung_backend_ends(
    url: str, part: str, last: str, options: list[str]
) -> None:
    assert f"\n{part}" in output_until_ended(url, last, *options)


def test_a_worker_whose_first_statement_is_never_answered_ends(url: str) -> None:
    with psycopg.connect(url) as holder:
        holder.execute("LOCK TABLE pgmq.meta")
        assert TAKING in output_until_ended(url, "%list_queues%")


def output_until_ended(url: str, last: str, *options: str) -> str:
    """What a worker says whose server processes hang after such a statement, and which ends."""
    with working(url, *options) as process:
        suspend_until_ended(process, url, last)
        _, output = process.communicate()
    assert process.returncode == 1
    assert f" has stood still for {STILL_S:g} s: " in output
    return output
