"""Held heartbeats: parked while there is no news, answered with the news the moment it comes.

A classic heartbeat that would be answered "go on" waits for a third of the member's own interval,
as its arrivals tell it. It is answered when the group's face changes, when anything else comes on
its connection, or when the hold ends, whichever is first (docs/architecture.md, *Heartbeats held*;
why these figures: docs/decisions/0017-held-heartbeats.md). It counted for the session when it
arrived.

Nothing is decided here, and nothing is read: a held connection costs a place in two tables.
"""

import asyncio
from collections.abc import Callable
from math import inf

from groups.coordinator.heartbeat_views import HeartbeatViews
from groups.core.errors import ErrorCode
from protocol.heartbeat_fast_path import FastPath

GAP_SHARE = 1 / 3
"""Of the time from the connection's last request to this heartbeat: a third of the interval for
clients that count it from request to request. Those that count from the answer come to beat half
an interval late, well within a session of three intervals."""

HOLD_S_MIN = 0.3
"""Nobody is held for less: who beats once a second or more often has its news soon anyway."""

STEP_S = 0.05
"""Holds end in steps of this: one timer for all that end in the same twentieth of a second."""


class Ends:
    """The ends of all holds of a server: a timer for a step in which any ends, not one for each."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._steps: dict[int, list[tuple[Hold, bytes]]] = {}
        self.now = loop.time

    def put(self, hold: "Hold", correlation_id: bytes, until: float) -> None:
        """End this hold then, or up to a step earlier, unless it has ended before."""
        step = int(until / STEP_S)
        ending = self._steps.get(step)
        if ending is None:
            ending = self._steps[step] = []
            self._loop.call_later(max(0.0, step * STEP_S - self.now()), self._end, step)
        ending.append((hold, correlation_id))

    def _end(self, step: int) -> None:
        for hold, correlation_id in self._steps.pop(step):
            if hold.correlation_id is correlation_id:
                hold.end()


class Hold:
    """One connection's heartbeat, while it is parked. ``correlation_id`` is None when none is.

    ``arrived_at``: when the connection's last request came; what a hold is measured by.
    """

    __slots__ = ("_ends", "_faces", "_fast", "_write", "arrived_at", "correlation_id", "s_max")

    def __init__(
        self,
        fast: FastPath,
        faces: HeartbeatViews,
        ends: Ends,
        write: Callable[[bytes], None],
        s_max: float,
    ) -> None:
        self.correlation_id: bytes | None = None
        self.s_max = s_max
        self._fast = fast
        self._faces = faces
        self._ends = ends
        self._write = write
        self.arrived_at = inf  # nobody knows the interval of a member that came just now

    def takes(self, correlation_id: bytes, now: float) -> bool:
        """Park the heartbeat that ``fast`` has just answered, if it may wait; else its answer is
        to be written at once."""
        seconds = min(self.s_max, (now - self.arrived_at) * GAP_SHARE)
        self.arrived_at = now
        if seconds < HOLD_S_MIN or not self._fast.is_calm:
            return False
        self.correlation_id = correlation_id
        self._faces.watch(self._fast.group_id, self)
        self._ends.put(self, correlation_id, now + seconds)
        return True

    def end(self) -> None:
        """Answer with what is right now."""
        self._answer(self._fast.verdict())

    def face_changed(self) -> None:
        """Answer if there is news; else go on waiting."""
        code = self._fast.verdict()
        if code is not ErrorCode.NONE:
            self._answer(code)

    def forget(self) -> None:
        """The connection is over."""
        if self.correlation_id is not None:
            self.correlation_id = None
            self._faces.unwatch(self._fast.group_id, self)

    def _answer(self, code: ErrorCode) -> None:
        correlation_id = self.correlation_id
        assert correlation_id is not None
        self.forget()
        self._write(self._fast.reply(correlation_id, code))
