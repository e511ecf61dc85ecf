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


class Pace:
    """The pace of one connection. ``interval_s`` is 0, and ``from_answer`` None, until they are
    known."""

    __slots__ = ("from_answer", "interval_s")

    def __init__(self) -> None:
        self.interval_s = 0.0
        self.from_answer: bool | None = None

    def learn(self, gap_s: float, held_s: float) -> None:
        """A heartbeat arrived this long after the last one, which had been held for ``held_s``."""
        if held_s < TELLING_S or not self.interval_s:
            self.interval_s = max(0.0, gap_s - held_s)
            return
        since_answer_s = gap_s - held_s
        self.from_answer = abs(since_answer_s - self.interval_s) < abs(gap_s - self.interval_s)
        self.interval_s = since_answer_s if self.from_answer else gap_s

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
