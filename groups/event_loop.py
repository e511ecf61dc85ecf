"""Fair use of one event loop: clocks, durations, slices of long work, and work beside the loop.

The lease, timers of groups and heartbeats of all connections need the loop within milliseconds.
Slices use a given clock, so that simulated time does not depend on the machine's speed.
"""

import asyncio
import time
from bisect import bisect_left
from collections.abc import Awaitable, Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar

from groups.core.group import Millis

T = TypeVar("T")

SLICE_MS: Millis = 10
"""No code should hold the loop for longer. This is also the longest wait of a heartbeat."""

CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Includes the time in which the machine is suspended, if the system has such a clock: leases
expire then too."""


def monotonic_ms() -> Millis:
    """The node's clock: monotonic, in milliseconds."""
    return time.clock_gettime_ns(CLOCK) // 1_000_000


def process_ms() -> Millis:
    """The process's own clock, in milliseconds."""
    return time.monotonic_ns() // 1_000_000


BOUNDS_S = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
    60.0,
)
"""Buckets of durations: from a request that memory answers to a rebalance that waits."""


class Durations:
    """A histogram of durations for Prometheus that costs a third of a microsecond; the client
    library's, which supports threads, costs more."""

    __slots__ = ("counts", "total_s")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS_S) + 1)
        self.total_s = 0.0

    def note(self, seconds: float) -> None:
        """Count one duration."""
        self.counts[bisect_left(BOUNDS_S, seconds)] += 1
        self.total_s += seconds


class Slices:
    """``if slices.is_over: await slices.pause()`` between two small parts of the work. ``until``:
    for those who have just read the clock."""

    __slots__ = ("_clock", "until")

    def __init__(self, clock: Callable[[], Millis] = process_ms) -> None:
        self._clock = clock
        self.until = clock() + SLICE_MS

    @property
    def is_over(self) -> bool:
        """Whether other tasks should have a turn."""
        return self._clock() >= self.until

    async def pause(self) -> None:
        """Let all other tasks run."""
        await asyncio.sleep(0)
        self.until = self._clock() + SLICE_MS


class CancelledByNobody(Exception):
    """A CancelledError was raised in a task that was not cancelled."""


async def lasting(work: Awaitable[T]) -> T:
    """The same coroutine, which ends with a cancellation only if its task is cancelled: a
    CancelledError of another origin (something that it awaited was cancelled) becomes an error."""
    try:
        return await work
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise CancelledByNobody from error


async def foreign(work: Callable[[], T]) -> T:
    """The result of ``work``, which is code of a plug-in and may never end: its thread blocks
    neither other work nor the end of the process. The interpreter's lock is handed over every
    millisecond (``protocol.server``), so the loop continues; the input of the work does not
    change."""
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
        except BaseException as raised:  # including StopIteration, which futures do not accept
            error = RuntimeError(f"it ended with {raised!r}")
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    Thread(target=run, daemon=True, name="foreign").start()
    return await ended
