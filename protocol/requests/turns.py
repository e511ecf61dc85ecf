"""Turns of requests on a server's event loop.

The lease, timers of groups and heartbeats of all connections need the loop within milliseconds,
whatever a few clients request. So requests share a time budget in each turn of the loop. A request
that arrives when it is spent waits for a later turn, first come, first served; a handler with many
elements checks in between (``Turns.next``). A small request never waits unless others have spent
the turn.
"""

import heapq
from asyncio import AbstractEventLoop, Future
from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from typing import Generic, TypeVar

T = TypeVar("T")

TURN_S = 0.010
"""The budget of all requests in one turn of the loop. A commit takes 0.03 ms of it."""

ADMITTED_MAX = 64
"""Requests that are admitted at the start of a turn; when it is spent, the others continue to wait
in order."""


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
