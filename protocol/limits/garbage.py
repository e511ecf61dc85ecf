"""Thresholds of the garbage collector, and others while long requests are processed.

A frame may have 100,000 elements. With a server's usual thresholds, one collection would look at
all these objects and stop every thread for 50 ms.
"""

import gc
from typing import Final

THRESHOLDS: Final = (50_000, 20, 100)
"""Of a server: a collection costs more with every group in memory, and objects of a request are
freed by reference counts."""

THRESHOLDS_WITH_LONG: Final = (10_000, 3, 100)
"""With these, the longest pause beside frames of 100,000 elements is 7 ms, and a commit costs a
seventh more: such frames are rare, commits are not."""


class LongRequests:
    """Counts a server's long requests. The thresholds belong to the process, which has one
    server."""

    __slots__ = ("_before", "_count")

    def __init__(self) -> None:
        self._count = 0
        self._before = gc.get_threshold()

    def begin(self) -> None:
        """A long request begins."""
        if not self._count:
            self._before = gc.get_threshold()
            gc.set_threshold(*THRESHOLDS_WITH_LONG)
        self._count += 1

    def end(self) -> None:
        """It has ended, answered or not."""
        self._count -= 1
        if not self._count:
            gc.set_threshold(*self._before)
