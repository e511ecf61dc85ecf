"""A stock client's group over a restart that takes longer than its session."""

import asyncio
import subprocess
import sys

import pytest

from benchmarks.wire import create_topic
from launcher.installation import CHECKOUT, Installation

SESSION_MS = 6_000
ATTEMPTS = 8
"""After so many in vain kafka-python waits 50 ms * 2^7 before the next: more than the session."""


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_worker_is_not_evicted_by_a_slow_restart() -> None:
    """Its attempts are then further apart than its session is long (the README's tour, step 4)."""
    with Installation({"ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "0"}) as running:
        asyncio.run(create_topic(running.kafka, "orders", 2))
        arguments = (running.kafka, "packers", "orders", str(SESSION_MS), str(ATTEMPTS))
        with subprocess.Popen(
            [sys.executable, "-m", "tests.clients.patient", *arguments],
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as worker:
            assert worker.stdin is not None and worker.stdout is not None
            assert worker.stdout.readline() == "owns\n"
            running.stop()
            assert worker.stdout.readline() == "waits\n"
            running.start()
            assert worker.communicate("go on\n")[0] == "same\n"
