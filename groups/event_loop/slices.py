"""Long work of the event loop, in slices: between two of them everybody else has a turn.

By the clock that is given, so that in simulated time nothing depends on how fast the machine is.
"""

import asyncio
import time
from collections.abc import Callable

from groups.core.group import Millis

SLICE_MS: Millis = 10
"""Longer than this nobody holds the loop by choice. A heartbeat waits as long at the most."""


def process_ms() -> Millis:
    """Milliseconds of the process's own clock."""
    return time.monotonic_ns() // 1_000_000


class Slices:
    """``if slices.is_over: await slices.pause()`` between two small pieces of work."""

    __slots__ = ("_clock", "_until")

    def __init__(self, clock: Callable[[], Millis] = process_ms) -> None:
        self._clock = clock
        self._until = clock() + SLICE_MS

    @property
    def is_over(self) -> bool:
        """Whether others should have a turn."""
        return self._clock() >= self._until

    def is_over_at(self, now: Millis) -> bool:
        """The same for who has just read the clock."""
        return now >= self._until

    async def pause(self) -> None:
        """Let everybody else have one."""
        await asyncio.sleep(0)
        self._until = self._clock() + SLICE_MS
