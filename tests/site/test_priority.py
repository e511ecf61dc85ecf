"""Where the kernel shares processors between sessions first, a process that gives way does so by
the priority of its session."""

from pathlib import Path

import psutil
import pytest

from launcher.installation import Installation
from web.priority import AUTOGROUP, YIELDS


def session_nice(pid: int) -> int:
    """What the kernel says of the process's session."""
    return int(Path(f"/proc/{pid}/autogroup").read_text().split()[-1])


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="this kernel does not group by session")
def test_the_web_has_a_lower_priority_than_the_nodes(installation: Installation) -> None:
    listeners = {c.laddr.port: c.pid for c in psutil.net_connections("tcp") if c.status == "LISTEN"}
    web = listeners[int(installation.web.rpartition(":")[2])]
    node = listeners[int(installation.kafka.rpartition(":")[2])]
    assert web and node
    lower = psutil.Process(node).nice() + YIELDS  # the run itself may be nice
    assert (psutil.Process(web).nice(), session_nice(web)) == (lower, lower)
    assert session_nice(node) == 0
