"""What the operating system says of processes and disks: CPU seconds, memory, file systems.

It starts nothing that is measured, and speaks to none of it.
"""

import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

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


LOOK_S = 0.5
"""Between two looks at processes that may end."""


@contextmanager
def watched() -> Iterator[Callable[[], Mapping[str, float]]]:
    """What tells the CPU seconds of this process and all that it started, by the processes' names,
    those that have ended among them, as far as the last look at each.

    What a parent has waited for is not enough: Spark's daemon ignores the end of its Pythons, so
    that nobody is told what they used.
    """
    seen: dict[tuple[int, float], tuple[str, float]] = {}
    ended, turn = threading.Event(), threading.Lock()

    def look() -> Mapping[str, float]:
        with turn:
            own = psutil.Process()
            for process in (own, *own.children(recursive=True)):
                with suppress(psutil.NoSuchProcess):
                    used = sum(process.cpu_times()[:2])
                    seen[process.pid, process.create_time()] = (process.name(), used)
            total = defaultdict[str, float](float)
            for name, used in seen.values():
                total[name] += used
            return total

    def watch() -> None:
        while not ended.wait(LOOK_S):
            look()

    watcher = threading.Thread(target=watch, name="watch", daemon=True)
    watcher.start()
    try:
        yield look
    finally:
        ended.set()
        watcher.join()


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


def coordinators(pids: Iterable[int]) -> list[int]:
    """Those of the processes that are coordinator nodes."""
    return [pid for pid in pids if "runcoordinator" in _look(pid).cmdline]


def databases(pids: Iterable[int]) -> list[int]:
    """Those of the processes that are PostgreSQL's."""
    return [pid for pid in pids if _look(pid).name == "postgres"]


class _Look(NamedTuple):
    name: str = ""
    cmdline: Sequence[str] = ()


def _look(pid: int) -> _Look:
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        return _Look(process.name(), process.cmdline())
    return _Look()


def file_system(path: Path) -> str:
    """The type of the file system that a folder lies on; "unknown" where df does not say."""
    shown = subprocess.run(
        ["df", "-T", str(path)], capture_output=True, text=True, check=False
    ).stdout.splitlines()
    return shown[-1].split()[1] if len(shown) > 1 else "unknown"
