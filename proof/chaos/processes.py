"""Finds, signals and awaits processes.

Only processes below one root are ever touched.
"""

import asyncio
import os
import signal
from collections.abc import Iterable, Sequence
from contextlib import suppress

import psutil

GONE = (psutil.NoSuchProcess, psutil.ZombieProcess)


class Tree:
    """The processes that descend from some roots, listed again each time."""

    def __init__(self, roots: Iterable[int]) -> None:
        self.roots = tuple(roots)

    def all(self) -> list[psutil.Process]:
        """Every living descendant."""
        found = []
        for root in self.roots:
            with suppress(*GONE):
                found += psutil.Process(root).children(recursive=True)
        return found

    def matching(self, *words: str) -> list[psutil.Process]:
        """Those whose command line has all these words."""
        return [process for process in self.all() if _has_words(process, words)]

    def one(self, *words: str) -> psutil.Process | None:
        """The first one started, or None if none is alive."""
        return min(self.matching(*words), key=_started, default=None)


def _has_words(process: psutil.Process, words: Sequence[str]) -> bool:
    try:
        line = process.cmdline()
        ended = process.status() == psutil.STATUS_ZOMBIE
    except GONE:
        return False
    text = " ".join(line)
    return bool(line) and not ended and all(word in text for word in words)


def _started(process: psutil.Process) -> float:
    try:
        return float(process.create_time())
    except GONE:
        return float("inf")


def send(process: psutil.Process | None, number: signal.Signals) -> bool:
    """Signal a process; False if it is not alive."""
    if process is None:
        return False
    try:
        os.kill(process.pid, number)
    except ProcessLookupError:
        return False
    return True


async def stopped(process: psutil.Process, limit_s: float) -> bool:
    """Wait until a process is stopped; False if it was not in time, or ended."""
    with suppress(TimeoutError, *GONE):
        async with asyncio.timeout(limit_s):
            while process.status() != psutil.STATUS_STOPPED:
                await asyncio.sleep(0.02)
            return True
    return False
