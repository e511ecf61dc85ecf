"""When a node could not serve, and what that meant: from readings of the node to outages.

Values and rules only. An outage is over once nothing was wrong for ``CALM_MS``, so that troubles
that repeat are one. Times are the node's monotonic milliseconds.
"""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Self

from groups.core.journal import Trigger

Millis = int

CALM_MS: Final[Millis] = 2_000
"""An outage whose trouble has not come back for this long is over, and its figures are complete."""


class Reading(NamedTuple):
    """What a node looks like now. ``heard_until``: members could be heard from until then, and are
    again once the lease holds. The others are counts since its start: stalls of the event loop,
    milliseconds by which sessions were extended, requests that were refused, removed members."""

    now: Millis
    holds_lease: bool
    heard_until: Millis
    stalls: int = 0
    extended_ms: Millis = 0
    refused: int = 0
    removed: int = 0


class Outage(NamedTuple):
    """One outage: why, from when until when, and what happened in it."""

    trigger: str
    since: Millis
    until: Millis
    extended_ms: Millis = 0
    refused: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Watch:
    """``last``: the reading before; ``began``: the last good one before the outage that is on, with
    its trigger and the time until which it lasted."""

    last: Reading
    began: Reading | None = None
    trigger: str = ""
    since: Millis = 0
    until: Millis = 0

    def look(self, now: Reading) -> tuple[Self, Outage | None]:
        """The next state, and the outage that is over now, if one is."""
        trigger, since = _trouble(self.last, now)
        after = replace(self, last=now)
        if trigger:
            if self.began is None:
                after = replace(after, began=self.last, trigger=trigger, since=since)
            elif trigger == Trigger.DATABASE_AWAY:
                after = replace(after, trigger=trigger)
            return replace(after, until=now.now), None
        if self.began is None or now.now - self.until < CALM_MS:
            return after, None
        return type(self)(now), self._over(self.began, now)

    def _over(self, began: Reading, now: Reading) -> Outage:
        extended_ms = now.extended_ms - began.extended_ms
        return Outage(
            self.trigger,
            self.since,
            max(self.until, self.since + extended_ms),  # it ended between two looks
            extended_ms,
            now.refused - began.refused,
            now.removed - began.removed,
        )


def _trouble(before: Reading, now: Reading) -> tuple[str, Millis]:
    """What is wrong, since when; "" if nothing is."""
    if not now.holds_lease:
        return Trigger.DATABASE_AWAY, now.heard_until
    if now.stalls > before.stalls:
        return Trigger.LOOP_STALLED, now.now - (now.extended_ms - before.extended_ms)
    return "", now.now
