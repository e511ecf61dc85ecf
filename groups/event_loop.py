"""How one event loop serves everybody in turn: clocks, long work in slices, work beside the loop.

Slices go by the clock that is given, so that in simulated time nothing depends on how fast the
machine is.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar

from groups.core.group import Millis

T = TypeVar("T")

SLICE_MS: Millis = 10
"""Longer than this nobody holds the loop by choice. A heartbeat waits as long at the most."""

CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Runs on while the machine sleeps, where the system has such a clock: a lease does too."""


def monotonic_ms() -> Millis:
    """The node's clock: monotonic, in milliseconds."""
    return time.clock_gettime_ns(CLOCK) // 1_000_000


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


async def foreign(work: Callable[[], T]) -> T:
    """What ``work`` returns, which is somebody else's code and may never end: its thread holds
    nobody else's work up, nor the end of the process. The interpreter's lock changes hands every
    millisecond (``protocol.server``), so the loop goes on; what the work reads does not change."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if ended.done():
            return
        if error is not None:
            ended.set_exception(error)
        else:
            ended.set_result(result)  # type: ignore[arg-type]  # T may be None itself

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as raised:
            error = raised
        except BaseException as raised:  # StopIteration's like: a future takes no such
            error = RuntimeError(f"it ended with {raised!r}")
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    Thread(target=run, daemon=True, name="foreign").start()
    return await ended
