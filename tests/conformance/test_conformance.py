"""Each conformance case against a real installation. Apache Kafka 4.4.0 passes them all."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher.installation import Installation

FOLDER = Path(__file__).resolve().parent

SETTINGS = {
    "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
    "ROLLCALL_GROUP_MIN_SESSION_TIMEOUT_MS": "300",
    "ROLLCALL_OFFSETS_RETENTION_CHECK_INTERVAL_MS": "500",
    "ROLLCALL_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS": "1000",
    "ROLLCALL_GROUP_CONSUMER_SESSION_TIMEOUT_MS": "3000",
    "ROLLCALL_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS": "200",
    "ROLLCALL_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS": "500",
}
"""What the cases ask of the server under test (see ``run.py``)."""

CASES_MIN = 115
"""A run that finds fewer has lost some on the way."""


QUICK = (
    *("-k", "api_versions,find_coordinator,metadata,offset,txn,create_,header,garbage,pipelined"),
    *("-x", "retention,follower,and_fetch,offset_delete"),
)
"""Cases that need none of these settings: the installation that all tests share passes them."""

QUICK_MIN = 20

VARIANTS = "cases_variants"
VARIANTS_MIN = 13
"""Their module, and how many there are."""


@pytest.fixture(scope="module")
def served() -> Iterator[Installation]:
    """It serves as the cases want it."""
    with Installation(SETTINGS) as running:
        yield running


@pytest.mark.long
@pytest.mark.timeout(400)
def test_every_case_passes(served: Installation) -> None:
    passes(served, CASES_MIN)


@pytest.mark.timeout(400)
def test_cases_of_every_configuration_pass(installation: Installation) -> None:
    passes(installation, QUICK_MIN, *QUICK)


@pytest.mark.timeout(400)
def test_variants_of_public_reports_pass(installation: Installation) -> None:
    passes(installation, VARIANTS_MIN, VARIANTS)


def passes(running: Installation, least: int, *chosen: str) -> None:
    """So many cases at least, and no other fails."""
    host, _, port = running.kafka.rpartition(":")
    run = subprocess.run(
        [sys.executable, "run.py", "--host", host, "--port", port, *chosen],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=False,
    )
    passed, failed = _counts(run.stdout)
    assert failed == 0 and run.returncode == 0, run.stdout + run.stderr
    assert passed >= least


def _counts(output: str) -> tuple[int, int]:
    """The last line is '<n> passed, <n> failed'."""
    words = output.splitlines()[-1].split() if output else ["0", "", "1"]
    return int(words[0]), int(words[2])
