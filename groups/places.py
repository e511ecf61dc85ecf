"""So many at a time, and whoever waits has their turn by where they come from: one of each address
after the other, so that no address, however often it asks, is served before all others.
"""

import asyncio
from collections import OrderedDict, deque

from groups.core.networks import network_of


class Crowded(Exception):
    """There is no room to wait in."""


class Places:
    """``most`` at a time, while ``waiting_max`` wait. Where more would, the last gives way of the
    address of which most wait."""

    def __init__(self, most: int, waiting_max: int) -> None:
        self.waiting_max = waiting_max
        self.waiting = 0
        self._free = most
        self._turns: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def take(self, address: str) -> None:
        """Wait for a place, which ``give`` gives back; ``Crowded``."""
        if self._free:
            self._free -= 1
            return
        whose = network_of(address)
        if self.waiting >= self.waiting_max:
            self._make_room(whose)
        turn = asyncio.get_running_loop().create_future()
        self._turns.setdefault(whose, deque()).append(turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._leave(whose, turn)
            elif turn.exception() is None:
                self.give()  # it had its turn and does not use it
            raise

    def give(self) -> None:
        """A place is free: the next address has its turn."""
        while self._turns:
            whose, turns = next(iter(self._turns.items()))
            turn = turns[0]
            self._turns.move_to_end(whose)  # behind all others
            self._leave(whose, turn)
            if not turn.done():  # else it was cancelled just now
                turn.set_result(None)
                return
        self._free += 1

    def _make_room(self, whose: str) -> None:
        most = max(self._turns, key=lambda each: len(self._turns[each]), default=whose)
        mine = len(self._turns.get(whose, ()))
        if most == whose or len(self._turns[most]) <= mine + 1:
            raise Crowded(f"{self.waiting} wait")
        last = self._turns[most][-1]
        self._leave(most, last)
        if not last.done():
            last.set_exception(Crowded(f"{self.waiting} wait"))

    def _leave(self, whose: str, turn: "asyncio.Future[None]") -> None:
        turns = self._turns.get(whose, deque())
        if turn not in turns:  # it has left already
            return
        turns.remove(turn)
        self.waiting -= 1
        if not turns:
            del self._turns[whose]


class Place:
    """One that was taken; given back once."""

    def __init__(self, places: Places) -> None:
        self._places: Places | None = places

    def give(self) -> None:
        """Somebody else may have it."""
        places, self._places = self._places, None
        if places is not None:
            places.give()
