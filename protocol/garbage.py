"""How often the interpreter looks for garbage while long requests are worked off.

A frame may have 100,000 elements. By the thresholds of a server so many objects are looked at in
one go, while no other thread runs: 50 ms.
"""

import gc
from typing import Final

THRESHOLDS_WITH_LONG: Final = (10_000, 3, 100)
"""The longest pause beside frames of 100,000 elements is 7 ms, and a commit costs a seventh more:
the frames are rare, commits are not."""


class LongRequests:
    """Those of a server. Thresholds are the process's, which has one server."""

    __slots__ = ("_before", "_count")

    def __init__(self) -> None:
        self._count = 0
        self._before = gc.get_threshold()

    def begin(self) -> None:
        """One is worked off from now on."""
        if not self._count:
            self._before = gc.get_threshold()
            gc.set_threshold(*THRESHOLDS_WITH_LONG)
        self._count += 1

    def end(self) -> None:
        """It was answered, or not."""
        self._count -= 1
        if not self._count:
            gc.set_threshold(*self._before)
