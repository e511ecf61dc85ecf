"""Fair use of one event loop: clocks, durations, slices of long work, turns of requests, and work
beside the loop.

The lease, timers of groups and heartbeats of all connections need the loop within milliseconds,
whatever a few clients request. So requests share a time budget in each turn of the loop. A request
that arrives when it is spent waits for a later turn, first come, first served; a handler with many
elements checks in between (``Turns.next``). A small request never waits unless others have spent
the turn.

Slices use a given clock, so that simulated time does not depend on the machine's speed.
"""

import asyncio
import heapq
import time
from asyncio import AbstractEventLoop, Future
from bisect import bisect_left
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from itertools import count
from threading import Thread
from typing import Generic, TypeVar

from groups.core.group import Millis

T = TypeVar("T")

SLICE_MS: Millis = 10
"""No code should hold the loop for longer. This is also the longest wait of a heartbeat."""

TURN_S = 0.010
"""The budget of all requests in one turn of the loop. A commit takes 0.03 ms of it."""

ADMITTED_MAX = 64
"""Requests that are admitted at the start of a turn; when it is spent, the others continue to wait
in order."""

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
    """``if slices.is_over: await slices.pause()`` between two small parts of the work."""

    __slots__ = ("_clock", "_until")

    def __init__(self, clock: Callable[[], Millis] = process_ms) -> None:
        self._clock = clock
        self._until = clock() + SLICE_MS

    @property
    def is_over(self) -> bool:
        """Whether other tasks should have a turn."""
        return self._clock() >= self._until

    def is_over_at(self, now: Millis) -> bool:
        """The same for a caller that has just read the clock."""
        return now >= self._until

    async def pause(self) -> None:
        """Let all other tasks run."""
        await asyncio.sleep(0)
        self._until = self._clock() + SLICE_MS


class TurnQueue(Generic[T]):
    """Short work on items of which thousands may come at once: ``most`` of them in each turn of the
    loop, in order. An item is worked on at once while the turn has room."""

    def __init__(self, loop: AbstractEventLoop, work: Callable[[T], object], most: int) -> None:
        self._loop = loop
        self._work = work
        self._most = self._left = most
        self._items: deque[T] = deque()
        self._is_counting = False

    def __len__(self) -> int:
        """How many items wait."""
        return len(self._items)

    def add(self, item: T) -> None:
        """One more item."""
        self.extend((item,))

    def extend(self, items: Iterable[T]) -> None:
        """More items."""
        self._items.extend(items)
        self._go_on()

    def _next_turn(self) -> None:
        self._is_counting, self._left = False, self._most
        self._go_on()

    def _go_on(self) -> None:
        if self._items and not self._is_counting:
            self._is_counting = True
            self._loop.call_soon(self._next_turn)
        while self._items and self._left:
            self._left -= 1
            self._work(self._items.popleft())


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


class Turns:
    """The budget of a server's loop."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._end: float | None = None
        self._numbers = count()
        self._waiting: list[tuple[int, Future[bool]]] = []

    @property
    def is_over(self) -> bool:
        """Whether others should have the loop now. Reading it begins a turn."""
        return bool(self._waiting) or self._is_spent()

    def _is_spent(self) -> bool:
        now = self._loop.time()
        if self._end is None:
            self._end = now + TURN_S
            self._loop.call_soon(self._over)
        return now >= self._end

    async def next(self) -> None:
        """Wait for a turn of the loop with time left."""
        number = next(self._numbers)
        while True:
            admitted: Future[bool] = self._loop.create_future()
            heapq.heappush(self._waiting, (number, admitted))
            self._is_spent()  # the end of a turn admits others
            if await admitted or not self._is_spent():
                return

    def _over(self) -> None:
        self._end = None
        if self._waiting:
            self._is_spent()
        is_first = True  # at least one in each turn, even if the loop is late
        for _ in range(min(len(self._waiting), ADMITTED_MAX)):
            _, admitted = heapq.heappop(self._waiting)
            if not admitted.done():  # otherwise it was cancelled with its connection
                admitted.set_result(is_first)
                is_first = False
