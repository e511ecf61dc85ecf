"""What all connections of a node may have of it together: connections, and bytes in memory.

One connection's limits stand in ``protocol.connection``; here is what a crowd of them meets.
Nothing here reads or writes a socket.
"""

import asyncio
import ipaddress
from collections import Counter
from collections.abc import Callable
from typing import Protocol

from groups.core.group import Millis
from groups.core.token_bucket import Bucket


class Peer(Protocol):
    """As much of a connection as the limit on connections looks at."""

    peer: str

    @property
    def has_spoken(self) -> bool:
        """Whether a whole request has come over it."""

    def abort(self) -> None:
        """Close at once."""


class Admission:
    """Which connections a node takes: so many in all, from one address, and a second.

    Who has said nothing yet gives way to a newcomer where all places are taken. An address of the
    machine itself has no limit of its own.
    """

    def __init__(self, most: int, per_address: int, per_second: int, now: Millis) -> None:
        self.most = most
        self.per_address = per_address
        self._bucket = Bucket.full(per_second, now)
        self._silent: dict[Peer, None] = {}
        self._by_address: Counter[str] = Counter()
        self._taken = 0

    def enter(self, peer: Peer, now: Millis) -> Millis | None:
        """For how long a newcomer is left waiting; None: there is no place for it."""
        address = peer.peer
        if self._by_address[address] >= self.per_address and not _is_local(address):
            return None
        if self._taken >= self.most and not self._make_room():
            return None
        self._taken += 1
        self._by_address[address] += 1
        self._silent[peer] = None
        return self._bucket.take(now)

    def leave(self, peer: Peer) -> None:
        """A connection that had a place has ended."""
        self._taken -= 1
        self._silent.pop(peer, None)
        self._by_address[peer.peer] -= 1
        if not self._by_address[peer.peer]:
            del self._by_address[peer.peer]

    def _make_room(self) -> bool:
        """End the oldest connection of those that have said nothing."""
        while self._silent:
            oldest = next(iter(self._silent))
            del self._silent[oldest]
            if not oldest.has_spoken:
                oldest.abort()
                return True
        return False


def _is_local(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


class RequestBytes:
    """Long requests that are read or wait, all connections together: who begins one takes its
    length, or waits until there is room, first come, first served. What who waits has sent already
    counts as well, and for the same at the most."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0
        self.held = 0
        self._waiting: dict[object, tuple[int, int, Callable[[], None]]] = {}

    @property
    def is_short(self) -> bool:
        """Whether somebody waits: who holds some and does not use it has less time."""
        return bool(self._waiting)

    def take(self, owner: object, size: int, held: int, given: Callable[[], None]) -> bool:
        """Whether there is room now; else ``given`` is called once there is. ``held``: so much of
        it is here."""
        if not self._waiting and self._has_room(size):
            self.taken += size
            return True
        self._waiting[owner] = size, held, given
        self.held += held
        return False

    @property
    def is_crowded(self) -> bool:
        """Whether those who wait hold too much by now."""
        return self.held > self.most

    def add(self, size: int) -> None:
        """A request that came in one piece is here, room or not."""
        self.taken += size

    def leave(self, owner: object) -> None:
        """Its connection is over: it waits no more."""
        _, held, _ = self._waiting.pop(owner, (0, 0, None))
        self.held -= held

    def give(self, size: int) -> None:
        """One is over; who waits has its turn."""
        self.taken -= size
        while self._waiting:
            first, (wanted, held, given) = next(iter(self._waiting.items()))
            if not self._has_room(wanted):
                return
            del self._waiting[first]
            self.held -= held
            self.taken += wanted
            given()

    def _has_room(self, size: int) -> bool:
        return self.taken + size <= self.most


class ReplyBytes:
    """Replies that clients have not read, all connections together. Long ones are written one
    after the other, while there is room: ``turn`` around the writing, ``room`` within."""

    def __init__(self, most: int, loop: asyncio.AbstractEventLoop) -> None:
        self.most = most
        self.unread = 0
        self.turn = asyncio.Lock()
        self._loop = loop
        self._of: dict[object, int] = {}
        self._waiting: asyncio.Future[None] | None = None

    @property
    def is_short(self) -> bool:
        """Whether somebody waits: who reads nothing has less time."""
        return self._waiting is not None

    def note(self, owner: object, size: int) -> None:
        """So many bytes of a connection's replies are unread now."""
        self.unread += size - self._of.pop(owner, 0)
        if size:
            self._of[owner] = size
        if self._waiting is not None and self.unread <= self.most and not self._waiting.done():
            self._waiting.set_result(None)

    async def room(self) -> None:
        """Wait until clients have read enough. One waits at a time: whose turn it is."""
        while self.unread > self.most:
            self._waiting = self._loop.create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
