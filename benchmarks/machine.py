"""What the operating system says of processes and disks: CPU seconds, memory, file systems.

It starts no process that is measured and knows nothing of Rollcall.
"""

import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

IN_MEMORY = frozenset({"tmpfs", "ramfs"})
"""File systems that a flush costs nothing on: figures of durable writes would be worth nothing."""

Pids = Callable[[], Iterable[int]]
"""Which processes are watched; asked again at the end, since some are born meanwhile."""


@dataclass(slots=True)
class Spent:
    """CPU seconds (user and system, all threads) and wall seconds."""

    cpu_s: float = 0.0
    wall_s: float = 0.0


def cpu_seconds(pids: Iterable[int]) -> float:
    """CPU seconds that the processes, and children whose end they have seen, used so far."""
    total = 0.0
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            total += sum(psutil.Process(pid).cpu_times()[:4])  # own and children's, user and system
    return total


@contextmanager
def spending(pids: Pids) -> Iterator[Spent]:
    """Measure what the processes spend inside the block."""
    spent = Spent()
    before, start = cpu_seconds(pids()), time.monotonic()
    yield spent
    spent.cpu_s, spent.wall_s = cpu_seconds(pids()) - before, time.monotonic() - start


def proportional_mib(pids: Iterable[int]) -> float:
    """Memory of the processes, shared pages counted in shares (PSS), in MiB."""
    total = 0
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            full = psutil.Process(pid).memory_full_info()
            total += getattr(full, "pss", full.uss)
    return total / 2**20


def with_argument(argument: str, pids: Iterable[int]) -> list[int]:
    """Those of the processes whose command line has this argument."""
    found = []
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            if argument in psutil.Process(pid).cmdline():
                found.append(pid)
    return found


def file_system(path: Path) -> str:
    """The type of the file system that a folder lies on; "unknown" where df does not say."""
    shown = subprocess.run(
        ["df", "-T", str(path)], capture_output=True, text=True, check=False
    ).stdout.splitlines()
    return shown[-1].split()[1] if len(shown) > 1 else "unknown"
