"""Learns a client's heartbeat interval from the times of its heartbeats, to know how long to hold
them.

The coordinator does not know the interval of classic members (``heartbeat.interval.ms`` is the
client's setting), nor whether a client counts it from its last request, as Java's, librdkafka's and
most others do, or from the last response. A held heartbeat shows it: the next one arrives an
interval after the request, or an interval after the response
(docs/decisions/0017-held-heartbeats.md).
"""

from typing import Final

SHARE_UNKNOWN: Final = 1 / 3
"""Share of the interval while it is not known from where the client counts it: one that counts from
the response then sends a heartbeat every one and a third intervals, and a session has three."""

SHARE: Final = 0.95
"""Share of the interval for clients that count it from the request: the response arrives before the
next heartbeat is due."""

MARGIN_S: Final = 0.15
"""Minimum time between the response and the next heartbeat: a response that crosses it is
useless."""

SESSION_SHARE: Final = 1 / 3
"""Share of the session timeout: maximum time between two heartbeats, including holds."""

TELLING_S: Final = 0.2
"""A shorter hold does not show from where the client counts."""

LEAST, MOST = 0.75, 1.25
"""Shares of the interval between which a heartbeat is believed to be in time."""

RISE: Final = 1 / 8
"""Share of the difference by which the interval rises: heartbeats come late, but not early."""

LATE_MAX: Final = 3
"""After this many late heartbeats in a row the interval is longer than was learnt."""


class Pace:
    """The pace of one connection. ``interval_s`` is 0, and ``from_answer`` None, until they are
    known."""

    __slots__ = ("_late", "from_answer", "interval_s")

    def __init__(self) -> None:
        self.interval_s = 0.0
        self.from_answer: bool | None = None
        self._late = 0

    def learn(self, gap_s: float, held_s: float) -> None:
        """A heartbeat arrived this long after the last one, which had been held for ``held_s``.

        One that is in time for neither kind of client is not believed: a client that was suspended
        once would be taken for the other kind, as long as its connection lasts.
        """
        interval_s, since_answer_s = self.interval_s, gap_s - held_s
        if not interval_s:
            self.interval_s = since_answer_s if since_answer_s > 0 else 0.0
            return
        is_nearer = interval_s - since_answer_s < gap_s - interval_s
        seen_s = since_answer_s if is_nearer else gap_s
        if LEAST * interval_s <= seen_s <= MOST * interval_s:
            self._late = 0
            if held_s >= TELLING_S:
                self.from_answer = is_nearer
            if seen_s > interval_s:
                self.interval_s = interval_s + (seen_s - interval_s) * RISE
            else:
                self.interval_s = seen_s
            return
        self._late += 1
        if gap_s < LEAST * interval_s or self._late >= LATE_MAX:
            self._forget()

    def _forget(self) -> None:
        """The next heartbeat is not held, and shows the interval."""
        self.interval_s, self.from_answer, self._late = 0.0, None, 0

    def hold_s(self, session_s: float) -> float:
        """How long a heartbeat of a member with this session may be held, in seconds."""
        interval_s, most_s = self.interval_s, session_s * SESSION_SHARE
        if self.from_answer is None:
            return min(interval_s * SHARE_UNKNOWN, most_s)
        nearly_all_s = min(interval_s * SHARE, interval_s - MARGIN_S)
        if not self.from_answer:
            return min(nearly_all_s, most_s)
        bearable_s = max(interval_s * SHARE_UNKNOWN, most_s - interval_s)
        return min(nearly_all_s, bearable_s, most_s)
