"""The facts of groups whose ids begin with ``OFF`` are not made, in any process that imports this:
what the others' rounds cost more is what facts cost (``benchmarks.fact_costs``). And how long the
event loop of each stood still is in a file."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Final

from groups.core.classic import ownership
from groups.loop_watch import LoopWatch
from groups.store import records

OFF: Final = "off-"

NOTED: Final = ("assigned", "joined_again", "repeated", "synced", "round_ended", "interrupted")
"""What the rules of classic groups do for facts in a round, and for nothing else."""


def install() -> None:
    """Leave that out, and the statements, for groups that are ``OFF``."""
    for name in NOTED:
        setattr(ownership, name, _unless_off(getattr(ownership, name)))
    records.of_the_facts = _of_others(records.of_the_facts)
    _look_at_loops()


def _unless_off(note: Callable[..., None]) -> Callable[..., None]:
    @wraps(note)
    def noted(work: Any, *rest: Any, **more: Any) -> None:
        if not work.row.group_id.startswith(OFF):
            note(work, *rest, **more)

    return noted


def _of_others(statements: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    @wraps(statements)
    def of_others(writes: Sequence[Any]) -> Iterator[Any]:
        return statements([write for write in writes if not write.group_id.startswith(OFF)])

    return of_others


GAPS: Final = "ROLLCALL_LOOP_GAPS"
"""The folder in which each process writes how long its loop stood still."""

LOOK_S: Final = 0.002
GAP_S: Final = 0.01
"""Shorter ones are not written."""


def _look_at_loops() -> None:
    """In each process with an event loop: a line for every gap, its milliseconds by the clock and
    of the loop's thread on a processor, which says the same on a busy machine."""
    start = LoopWatch.start

    def started(self: LoopWatch) -> None:
        start(self)
        _Look(self._call_later, Path(os.environ[GAPS], str(os.getpid()))).next()

    LoopWatch.start = started  # type: ignore[method-assign]


class _Look:
    def __init__(self, call_later: Callable[..., object], path: Path) -> None:
        self._call_later, self._path = call_later, path
        path.touch()
        self._at, self._cpu = time.monotonic(), time.thread_time()

    def next(self) -> None:
        """Look once, and again."""
        at, cpu = time.monotonic(), time.thread_time()
        gap = at - self._at - LOOK_S
        if gap > GAP_S:
            with self._path.open("a") as file:
                file.write(f"{gap * 1e3:.1f} {(cpu - self._cpu) * 1e3:.1f}\n")
        self._at, self._cpu = at, cpu
        self._call_later(LOOK_S, self.next)
