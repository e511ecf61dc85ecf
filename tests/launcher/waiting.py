"""Waiting for what other processes do: until it is seen, never for a fixed time."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 90.0
"""Longer than anything takes, on a machine that does much else."""
LOOK_AGAIN_S = 0.01


def until(look: Callable[[], T | None], what: str, patience_s: float = PATIENCE_S) -> T:
    """The first true answer of ``look``; fails with ``what`` if none comes in time."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        if answer := look():
            return answer
        time.sleep(LOOK_AGAIN_S)
    raise AssertionError(f"in {patience_s} s it did not happen that {what}")


def is_running(pid: int) -> bool:
    """Whether the process lives; a zombie does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return not Path("/proc/self").exists()


def number_in(path: Path) -> int | None:
    """The number that a process wrote to a file, once it has."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    return int(text) if text.endswith("\n") else None
