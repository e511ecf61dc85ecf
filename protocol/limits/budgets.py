"""The limits of a node for all its connections together: connections, and bytes in memory.

The limits of one connection are in ``protocol.connection.connection``. Nothing here uses a socket.
"""

import asyncio
import ipaddress
from collections import Counter
from collections.abc import Callable
from typing import Protocol

from groups.core.group import Millis
from groups.core.networks import network_of
from groups.core.token_bucket import Bucket


class Peer(Protocol):
    """What the limit on connections needs to know of a connection."""

    peer: str

    @property
    def has_spoken(self) -> bool:
        """Whether a complete request has arrived on it."""

    def abort(self) -> None:
        """Close at once."""


class Admission:
    """Which connections a node accepts: limits in total, for each address (of IPv6 each network),
    and for each second.

    When all places are taken, a connection that has sent no request is closed for a new one.
    Addresses of this machine have no limit of their own.
    """

    def __init__(self, most: int, per_address: int, per_second: int, now: Millis) -> None:
        self.most = most
        self.per_address = per_address
        self._bucket = Bucket.full(per_second, now)
        self._silent: dict[Peer, None] = {}
        self._by_address: Counter[str] = Counter()
        self._taken = 0

    def enter(self, peer: Peer, now: Millis) -> Millis | None:
        """How long the new connection has to wait; None: there is no place for it."""
        address = network_of(peer.peer)
        if self._by_address[address] >= self.per_address and not _is_local(peer.peer):
            return None
        if self._taken >= self.most and not self._make_room():
            return None
        self._taken += 1
        self._by_address[address] += 1
        self._silent[peer] = None
        return self._bucket.take(now)

    def leave(self, peer: Peer) -> None:
        """An accepted connection has ended."""
        self._taken -= 1
        self._silent.pop(peer, None)
        address = network_of(peer.peer)
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]

    def _make_room(self) -> bool:
        """Close the oldest connection that has sent no request."""
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
    """Memory for the long requests of all connections. A connection reserves the length of a
    request when it begins, or waits until there is room, first come, first served. Bytes of waiting
    requests that have already arrived count separately, with the same maximum."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0
        self.held = 0
        self._waiting: dict[object, tuple[int, int, Callable[[], None]]] = {}

    @property
    def is_short(self) -> bool:
        """Whether connections wait: those that hold memory without using it then have less time."""
        return bool(self._waiting)

    def take(self, owner: object, size: int, held: int, granted: Callable[[], None]) -> bool:
        """Whether there is room now; otherwise ``granted`` is called when there is. ``held``: the
        bytes that have already arrived."""
        if not self._waiting and self._has_room(size):
            self.taken += size
            return True
        self._waiting[owner] = size, held, granted
        self.held += held
        return False

    @property
    def is_crowded(self) -> bool:
        """Whether waiting requests hold too many bytes."""
        return self.held > self.most

    def add(self, size: int) -> None:
        """A request arrived in one piece: it counts even if there is no room."""
        self.taken += size

    def leave(self, owner: object) -> None:
        """The connection has ended: it waits no longer."""
        _, held, _ = self._waiting.pop(owner, (0, 0, None))
        self.held -= held

    def give(self, size: int) -> None:
        """A request has ended: give the memory to those that wait, in order."""
        self.taken -= size
        while self._waiting:
            first, (needed, held, granted) = next(iter(self._waiting.items()))
            if not self._has_room(needed):
                return
            del self._waiting[first]
            self.held -= held
            self.taken += needed
            granted()

    def _has_room(self, size: int) -> bool:
        return self.taken + size <= self.most


class ReplyBytes:
    """Bytes of replies that clients have not read, for all connections. Long replies are written
    one after the other, while there is room: ``turn`` around the writing, ``room`` within."""

    def __init__(self, most: int, loop: asyncio.AbstractEventLoop) -> None:
        self.most = most
        self.unread = 0
        self.turn = asyncio.Lock()
        self._loop = loop
        self._of: dict[object, int] = {}
        self._waiting: asyncio.Future[None] | None = None

    @property
    def is_short(self) -> bool:
        """Whether a reply waits: clients that read nothing then have less time."""
        return self._waiting is not None

    def note(self, owner: object, size: int) -> None:
        """A connection has this many unread bytes now."""
        self.unread += size - self._of.pop(owner, 0)
        if size:
            self._of[owner] = size
        if self._waiting is not None and self.unread <= self.most and not self._waiting.done():
            self._waiting.set_result(None)

    async def room(self) -> None:
        """Wait until clients have read enough. Only the holder of ``turn`` waits."""
        while self.unread > self.most:
            self._waiting = self._loop.create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
