"""What one connection may use: memory for its long requests, and time.

The connection (``protocol.connection.connection``) reports events to both; neither decides about
requests, and the fast paths of heartbeats and commits use neither.
"""

import select
from collections.abc import Callable
from socket import socket
from typing import Final

from protocol.fast_paths.host import Host
from protocol.limits.budgets import RequestBytes

LONG_BYTES: Final = 16 * 1024
"""Frames and replies from this length on count against the node's limit for all connections."""

PRESSED_S: Final = 5.0
"""When others wait for the memory, a frame must be complete, and a reply must be read, within this
time (seconds) instead of half a minute."""

PATIENCE_MAX: Final = 1.5
"""How many times as long as a limit a connection may take at most. Clients that have begun together
and run into the same limit would otherwise be closed together, and come back together."""
PATIENCES: Final = 16
"""Connections that follow each other have so many different limits."""

HUNG_UP: Final = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)
"""The poll event of a socket whose other end has closed (POLLRDHUP: Linux only)."""


class LongFrames:
    """The long requests of one connection, within the memory that the node has for those of all.

    ``reserved``: the length of a frame that has begun; ``awaits_room`` while there is no memory for
    it. ``granted`` is called once there is.
    """

    __slots__ = ("_budget", "_bytes", "_granted", "awaits_room", "reserved")

    def __init__(self, budget: RequestBytes, granted: Callable[[], None]) -> None:
        self._budget = budget
        self._granted = granted
        self._bytes = 0
        self.reserved = 0
        self.awaits_room = False

    def reserve(self, size: int, held: int) -> bool:
        """A long frame has begun, of which ``held`` bytes have arrived: reserve its length, or wait
        until that is possible. False: too many wait already."""
        self.reserved = size
        if self._budget.take(self, size, held, self._room_granted):
            self._bytes += size
            return True
        self.awaits_room = True
        return not self._budget.is_crowded

    def _room_granted(self) -> None:
        self.awaits_room = False
        self._bytes += self.reserved
        self._granted()

    def complete(self, size: int) -> None:
        """A long frame is complete: it was reserved when it began, or it arrived in one piece."""
        if self.reserved:
            self.reserved = 0
        else:
            self._budget.add(size)
            self._bytes += size

    def done(self, size: int) -> None:
        """A long request has ended: release its memory."""
        self._bytes -= size
        self._budget.give(size)

    def forget(self) -> None:
        """The connection has ended: stop waiting, and release everything."""
        self.reserved = 0
        self._budget.leave(self)
        self.done(self._bytes)


class TimeLimits:
    """Since when a connection waits for its client, by the clock of the event loop (seconds).

    ``partial_since``: a frame is incomplete; ``stalled_since``: replies are not read. ``patience``:
    how many times as long as the limits this connection may take.
    """

    __slots__ = ("_server", "_unread", "connected_at", "partial_since", "patience", "stalled_since")

    def __init__(self, server: Host, number: int) -> None:
        self._server = server
        self.patience = 1 + (PATIENCE_MAX - 1) * (number % PATIENCES) / PATIENCES
        self._unread = 0
        self.connected_at = server.loop.time()
        self.partial_since: float | None = None
        self.stalled_since: float | None = None

    def look(self, unread: int, now: float) -> bool:
        """Compare the unread bytes with those at the last check; returns whether either is more
        than none. A client that reads some of its replies is slow; one that reads none is
        stalled."""
        before, self._unread = self._unread, unread
        if not unread:
            self.stalled_since = None
        elif unread < before or self.stalled_since is None:
            self.stalled_since = now
        return bool(before or unread)

    def is_stalled(self, now: float) -> bool:
        """Whether the client has read nothing for too long."""
        is_short, server = self._server.reply_bytes.is_short, self._server
        limit_s = PRESSED_S if is_short else server.unread_s_max
        return _since(self.stalled_since, now) > limit_s * self.patience

    def is_late(self, now: float, long_frames: LongFrames, *, is_reading: bool) -> bool:
        """Whether the time limit of an incomplete frame has passed."""
        server, partial_s = self._server, _since(self.partial_since, now)
        if long_frames.awaits_room:
            return partial_s > server.read_s_max * self.patience
        is_pressed = long_frames.reserved and server.request_bytes.is_short
        limit_s = PRESSED_S if is_pressed else server.read_s_max
        return is_reading and partial_s > limit_s * self.patience

    def is_silent(self, now: float, first_s: float) -> bool:
        """Whether a connection without a request should have sent its first one."""
        return now - self.connected_at > first_s * self.patience


def _since(began: float | None, now: float) -> float:
    return 0.0 if began is None else now - began


def hung_up(found: socket | None) -> bool:
    """Whether the client has disconnected: a socket that is not read does not report that."""
    if not found or found.fileno() < 0:  # the connection is just ending
        return False
    poll = select.poll()
    poll.register(found.fileno(), HUNG_UP)
    return bool(poll.poll(0))
