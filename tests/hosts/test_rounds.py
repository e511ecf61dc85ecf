"""A round of ``make hosts``: a host that its database's packets do not reach any more."""

import subprocess
import sys

import pytest

from launcher.installation import CHECKOUT
from tests.hosts import network

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


def test_a_host_is_cut_off_from_the_database_and_nobody_is_evicted() -> None:
    if not network.is_possible():
        pytest.skip("network namespaces cannot be made here")
    command = [sys.executable, "-m", "tests.hosts", "--only", "database-to-host"]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-3_000:]
    assert "holds" in done.stdout
