"""Held heartbeats: parked while there is no news, and answered as soon as there is.

A classic heartbeat whose response would be NONE waits as long as its client's pace allows
(``protocol.requests.pace``). It is answered when the group's view changes, when another request
arrives on its connection, or when the hold ends, whichever is first; and clients that send one
request at a time are not held (docs/architecture.md, *Heartbeats held*;
why these figures: docs/decisions/0017-held-heartbeats.md). It counted for the session when it
arrived.

Nothing is decided or read here: a held connection costs an entry in two tables.
"""

import asyncio
from collections.abc import Callable
from math import inf
from typing import Final

from groups.core.errors import ErrorCode
from groups.runtime.heartbeat_views import HeartbeatViews
from protocol.fast_paths.heartbeat_fast_path import HEARTBEAT, FastPath
from protocol.handlers.support.long_poll import HOLD_S_MIN
from protocol.requests.pace import Pace, PacedClient
from protocol.requests.session import Session

ONE_AT_A_TIME: Final = frozenset({"sarama"})
"""Clients, by their names in ApiVersions, that send the next request when the last one has been
answered. Their heartbeats are never held: a commit would wait for it."""

IN_LINE: Final = frozenset({"RoundRobinAssigner"})
"""Assignors, as the group's protocol, of consumers that do nothing else until a heartbeat is
answered: kafkajs fetches, then awaits a heartbeat, and its close() waits for both. It says its name
nowhere."""

FETCH_S = 0.5
"""How long these are held: they wait as long for a fetch."""

WAITED_S = 0.1
"""A request that arrives within this time of the end of a hold has waited for it in the client: the
next heartbeat is due later, and nothing else depends on a response without news."""

WAITS_MAX = 2
"""After this many requests that waited the client is taken for one that sends one at a time, by
whatever name: one may have come at that moment by chance."""

STEP_S = 0.05
"""Holds end in steps of this time: one timer for all that end in the same twentieth of a second."""


class Ends:
    """The ends of all holds of a server: one timer for each step in which a hold ends."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._steps: dict[int, list[tuple[Hold, bytes]]] = {}
        self.now = loop.time
        self.news = 0
        """How many held heartbeats were answered with news."""

    def put(self, hold: "Hold", correlation_id: bytes, until: float) -> None:
        """End this hold at this time, or up to a step earlier, unless it has already ended."""
        step = int(until / STEP_S)
        ending = self._steps.get(step)
        if ending is None:
            ending = self._steps[step] = []
            self._loop.call_later(max(0.0, step * STEP_S - self.now()), self._end, step)
        ending.append((hold, correlation_id))

    def _end(self, step: int) -> None:
        for hold, correlation_id in self._steps.pop(step):
            if hold.correlation_id is correlation_id:
                hold.time_is_up()


class Hold:
    """One connection's heartbeat, while it is parked. ``correlation_id`` is None when none is."""

    __slots__ = (
        "_answered_at",
        "_arrived_at",
        "_ends",
        "_fast",
        "_pace",
        "_views",
        "_waits_left",
        "_write",
        "correlation_id",
        "s_max",
        "waited_until",
    )

    def __init__(
        self,
        fast: FastPath,
        views: HeartbeatViews,
        ends: Ends,
        write: Callable[[bytes], None],
        s_max: float,
        pace: Pace,
    ) -> None:
        self.correlation_id: bytes | None = None
        self.s_max = s_max
        self._fast = fast
        self._views = views
        self._ends = ends
        self._write = write
        self._pace = pace
        self._arrived_at = -inf
        self._answered_at = 0.0
        """When the last hold ended."""
        self.waited_until = 0.0
        """A request that arrives before this time has waited for the end of the last hold; ``inf``
        while a heartbeat is parked, so that one comparison tells of both."""
        self._waits_left = WAITS_MAX

    def meets(self, session: Session) -> None:
        """A heartbeat with other content has come, such as the first one of a generation: it tells
        whose connection this is. Limit the holds of a client that waits for them."""
        fast, software = self._fast, session.software
        client = PacedClient(fast.group_id, fast.client_id, software, session.software_version)
        self._pace.is_of(client)
        if software in ONE_AT_A_TIME:
            self.s_max = 0.0
        elif self._fast.assignor() in IN_LINE:
            self.s_max = min(self.s_max, FETCH_S)

    def takes_again(self, correlation_id: bytes, now: float) -> bool:
        """Park the heartbeat, which repeats the last one and has just been answered by ``fast``, if
        it may wait. Returns False if the answer has to be written at once."""
        arrived_at, self._arrived_at = self._arrived_at, now
        if now - arrived_at < HOLD_S_MIN:
            return False
        self._pace.learn(now - arrived_at, max(0.0, self._answered_at - arrived_at))
        return self._takes(correlation_id, now)

    def takes_new(self, correlation_id: bytes, now: float) -> bool:
        """The same for a heartbeat with other content, such as the first one of a generation: its
        time does not show the interval. It is not held if the last one arrived just before: a
        client that alternates between two would leave an end for each."""
        arrived_at, self._arrived_at = self._arrived_at, now
        return now - arrived_at >= HOLD_S_MIN and self._takes(correlation_id, now)

    def passes(self, now: float) -> None:
        """A heartbeat came that memory could not answer, as while the lease is not held: the next
        one tells the interval from here on, and not how long that lasted."""
        self._arrived_at = now

    def _takes(self, correlation_id: bytes, now: float) -> bool:
        fast, pace = self._fast, self._pace
        if not pace.interval_s or not fast.is_calm:
            return False
        seconds = min(self.s_max, pace.hold_s(fast.session_s()))
        if seconds < HOLD_S_MIN:
            return False
        self.correlation_id, self.waited_until = correlation_id, inf
        self._views.watch(fast.group_id, self)
        self._ends.put(self, correlation_id, now + seconds)
        return True

    def end(self) -> None:
        """Answer with the right code now."""
        self._answer(self._fast.verdict())

    def time_is_up(self) -> None:
        """Answer, since it was held as long as it may be."""
        self.end()
        self.waited_until = self._answered_at + WAITED_S

    def interrupt(self) -> None:
        """Answer, since other bytes have arrived: the client does not wait for a response before it
        sends the next request, so nothing ever waits for a hold."""
        self.end()
        self._waits_left = 0

    def followed_by(self, key: bytes) -> None:
        """A request of this API came during a hold, in the same read as the heartbeat before it, or
        before ``waited_until``."""
        if self.correlation_id is not None:
            self.interrupt()
        elif key != HEARTBEAT:
            self._was_waited_for()

    def _was_waited_for(self) -> None:
        self.waited_until = 0.0
        self._waits_left -= 1
        if not self._waits_left:
            self.s_max = 0.0

    def view_changed(self) -> None:
        """Answer if there is news; otherwise continue to wait."""
        code = self._fast.verdict()
        if code is not ErrorCode.NONE:
            self._answer(code)

    def topics_changed(self) -> bool:
        """Members of the classic protocol look after their topics themselves."""
        return False

    def forget(self) -> None:
        """The connection has ended."""
        if self.correlation_id is not None:
            self.correlation_id, self.waited_until = None, 0.0
            self._views.unwatch(self._fast.group_id, self)

    def _answer(self, code: ErrorCode) -> None:
        correlation_id = self.correlation_id
        assert correlation_id is not None
        self.forget()
        self._answered_at = self._ends.now()
        if code is not ErrorCode.NONE:
            self._ends.news += 1
        self._write(self._fast.reply(correlation_id, code))
