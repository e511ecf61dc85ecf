"""How long requests may hold the event loop before everybody else has a turn.

The lease, the timers of groups and the heartbeats of all connections need the loop within
milliseconds, whatever a few clients ask for. So requests share one budget of time for each turn of
the loop. Who comes when it is spent waits for a later turn, first come, first served; a handler
that meets many elements asks in between (``Turns.next``). A request that needs little never
waits unless others have spent the turn.
"""

import heapq
from asyncio import AbstractEventLoop, Future
from itertools import count

TURN_S = 0.010
"""Of one turn of the loop, for all requests together. A commit takes 0.03 ms of it."""

ADMITTED_MAX = 64
"""Requests that are admitted at the start of a turn; those that find it spent go on waiting, in
their order."""


class Turns:
    """The budget of a server's loop."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._end: float | None = None
        self._numbers = count()
        self._waiting: list[tuple[int, Future[bool]]] = []

    @property
    def is_over(self) -> bool:
        """Whether somebody else should have the loop now. Reading it begins a turn."""
        return bool(self._waiting) or self._is_spent()

    def _is_spent(self) -> bool:
        now = self._loop.time()
        if self._end is None:
            self._end = now + TURN_S
            self._loop.call_soon(self._over)
        return now >= self._end

    async def next(self) -> None:
        """Wait for a turn of the loop in which there is time left."""
        number = next(self._numbers)
        while True:
            admitted: Future[bool] = self._loop.create_future()
            heapq.heappush(self._waiting, (number, admitted))
            self._is_spent()  # a turn that ends is what admits
            if await admitted or not self._is_spent():
                return

    def _over(self) -> None:
        self._end = None
        if self._waiting:
            self._is_spent()
        is_first = True  # one goes on in each turn, however late the loop comes to it
        for _ in range(min(len(self._waiting), ADMITTED_MAX)):
            _, admitted = heapq.heappop(self._waiting)
            if not admitted.done():  # else it was cancelled with its connection
                admitted.set_result(is_first)
                is_first = False
