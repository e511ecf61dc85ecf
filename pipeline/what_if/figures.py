"""What a recording cost: rebalances, moves, and partitions x time without a working owner.

A partition has no working owner between two owners, after the last one while its topic is worked
on, and while its owner is silent: from the last sign of life of a member to its removal, or its
return. Time in which no client runs at all, for long, is nobody's cost.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple

from groups.core.facts import Departure
from pipeline.what_if.recording import HOUR_MS, Interval, Millis, Part, Recording

ABSENT_MS: Final = 600_000
"""When no client has run for longer, nobody wanted the work to be done (a night, a weekend); a
deploy that stops all of them at once takes less."""

SILENT: Final = frozenset((Departure.EXPIRED, Departure.REPLACED))
"""Ends of lives after the process had stopped, or stalled; others sent heartbeats to the end."""

Span = tuple[Millis, Millis]


class Figures(NamedTuple):
    """What happened in some time; ``unowned_ms`` and ``silent_ms``: partitions x milliseconds."""

    rebalances: int = 0
    moves: int = 0
    unowned_ms: Millis = 0
    silent_ms: Millis = 0

    @property
    def cost_ms(self) -> Millis:
        """Partitions x milliseconds without a working owner."""
        return self.unowned_ms + self.silent_ms

    def plus(self, other: "Figures") -> "Figures":
        """Both together."""
        return Figures(*(a + b for a, b in zip(self, other, strict=True)))


Happened = Iterable[tuple[Millis, Figures]]
"""What to count, and when."""


def total(hours: Mapping[int, Figures]) -> Figures:
    """Of all hours."""
    summed = Figures()
    for each in hours.values():
        summed = summed.plus(each)
    return summed


def figures(
    recording: Recording,
    owners: Mapping[int, str],
    present: Sequence[Span],
    stalls: Iterable[tuple[int, Span]] = (),
) -> dict[int, Figures]:
    """By the hour in which it ended. ``owners``: the client of each life, since a restarted client
    is no other owner; ``present``: when any client ran, in order; ``stalls``: silences of lives
    that did not end by them."""
    hours: dict[int, Figures] = {}
    absent = _absent(present, recording.end)
    happened = chain(
        ((rebalance.completed, Figures(rebalances=1)) for rebalance in recording.rebalances),
        _moves(recording, owners, absent),
        _unowned_at_end(recording, absent),
        _silent(recording, stalls),
    )
    for at, more in happened:
        if recording.begin <= at <= recording.end:
            hour = at // HOUR_MS
            hours[hour] = hours.get(hour, Figures()).plus(more)
    return hours


def _moves(recording: Recording, owners: Mapping[int, str], absent: Sequence[Span]) -> Happened:
    """Changes of owner, and the time between two owners."""
    for intervals in _by_part(recording.intervals).values():
        for before, after in pairwise(intervals):
            moved = owners.get(before.life) != owners.get(after.life)
            gap = 0
            if before.until is not None and before.until < after.since:
                span = (before.until, after.since)
                gap = span[1] - span[0] - _within(absent, span)
            if moved or gap:
                yield after.since, Figures(moves=int(moved), unowned_ms=gap)


def _unowned_at_end(recording: Recording, absent: Sequence[Span]) -> Happened:
    """Partitions that nobody owns at the end, unless nobody owns any of their topic."""
    at_end = {one.part[0] for one in recording.intervals if one.until is None}
    for (topic, _), intervals in _by_part(recording.intervals).items():
        last = max((one.until or recording.end for one in intervals), default=recording.end)
        if last < recording.end and (topic in at_end or not at_end):
            gap = recording.end - last - _within(absent, (last, recording.end))
            yield recording.end, Figures(unowned_ms=gap)


def _silent(recording: Recording, stalls: Iterable[tuple[int, Span]]) -> Happened:
    """What silent members owned."""
    for span, owned in _silences(recording, stalls):
        silent = sum(_common(interval, span) for interval in owned)
        if silent:
            yield span[1], Figures(silent_ms=silent)


def _by_part(intervals: Iterable[Interval]) -> dict[Part, list[Interval]]:
    found: dict[Part, list[Interval]] = {}
    for interval in sorted(intervals, key=lambda one: (one.since, one.life)):
        found.setdefault(interval.part, []).append(interval)
    return found


def _silences(
    recording: Recording, stalls: Iterable[tuple[int, Span]]
) -> Iterable[tuple[Span, Sequence[Interval]]]:
    owned: dict[int, list[Interval]] = {}
    for interval in recording.intervals:
        owned.setdefault(interval.life, []).append(interval)
    ended = (
        (life.life, (life.heard, life.left))
        for life in recording.lives
        if life.departure in SILENT and life.heard is not None and life.left is not None
    )
    for life, span in (*ended, *stalls):
        if life in owned:
            yield span, owned[life]


def _common(interval: Interval, span: Span) -> Millis:
    until = span[1] if interval.until is None else min(interval.until, span[1])
    return max(0, until - max(interval.since, span[0]))


def _absent(present: Sequence[Span], end: Millis) -> Sequence[Span]:
    """The long times in which no client ran, and that after the last one."""
    found: list[Span] = []
    reached: Millis | None = None
    for since, until in sorted(present):
        if reached is not None and since - reached > ABSENT_MS:
            found.append((reached, since))
        reached = until if reached is None else max(reached, until)
    if reached is not None and reached < end:
        found.append((reached, end))
    return found


def _within(spans: Sequence[Span], span: Span) -> Millis:
    """How much of the span lies in these."""
    first = max(0, bisect_right(spans, span) - 1)
    inside = 0
    for since, until in spans[first:]:
        if since >= span[1]:
            break
        inside += max(0, min(until, span[1]) - max(since, span[0]))
    return inside
