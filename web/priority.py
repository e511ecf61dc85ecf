"""Lowers the priority of processes that share a machine with nodes: the web, the worker and
beat."""

import os
import time
from pathlib import Path
from typing import Final

YIELDS: Final = 5
"""What is added to the nice value of the process: heartbeats and commits go before pages and tasks.
These still get a third of a busy session's share, so that pages open on a busy machine; with 10 it
is a tenth."""

AUTOGROUP: Final = Path("/proc/self/autogroup")
"""The priority of the process's session. Where the kernel groups processes by session (sched(7),
*The autogroup feature*: Linux's default outside of containers), it shares processors between
sessions first, and the launcher starts each program in one of its own. So the priority of a process
alone would change nothing between web and node."""

ATTEMPTS, AGAIN_S = 5, 0.1
"""The kernel accepts one such change in a tenth of a second, from all processes together."""


def give_way(by: int = YIELDS) -> None:
    """Lower the priority of this process, and of its session if that is its own alone."""
    nice = os.nice(by)
    if os.getsid(0) != os.getpid() or not AUTOGROUP.exists():
        return
    for _ in range(ATTEMPTS):
        try:
            AUTOGROUP.write_text(str(nice))
        except BlockingIOError:
            time.sleep(AGAIN_S)
        except OSError:  # a kernel without it has no such file, or rejects the change
            return
        else:
            return
