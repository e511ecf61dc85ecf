"""What the operating system says of processes: CPU seconds and memory."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psutil


@dataclass(slots=True)
class Spent:
    """CPU seconds (user and system, all threads) and wall seconds."""

    cpu: float = 0.0
    wall: float = 0.0


def cpu_seconds(pids: Iterable[int]) -> float:
    """CPU seconds that the processes have used so far."""
    total = 0.0
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            times = psutil.Process(pid).cpu_times()
            total += times.user + times.system
    return total


@contextmanager
def spending(pids: Iterable[int]) -> Iterator[Spent]:
    """Measures what the processes spend inside the block."""
    watched, spent = list(pids), Spent()
    before, start = cpu_seconds(watched), time.monotonic()
    yield spent
    spent.cpu, spent.wall = cpu_seconds(watched) - before, time.monotonic() - start


def proportional_mib(pids: Iterable[int]) -> float:
    """Memory of the processes, shared pages counted in shares (PSS), in MiB."""
    total = 0
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            full = psutil.Process(pid).memory_full_info()
            total += getattr(full, "pss", full.uss)
    return total / 2**20


def node_pids(pids: Iterable[int]) -> list[int]:
    """Those of the processes that are coordinator nodes."""
    found = []
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            if "runcoordinator" in psutil.Process(pid).cmdline():
                found.append(pid)
    return found
