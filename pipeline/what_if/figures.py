"""What a recording cost: rebalances, moves, and partitions x time in which nobody worked on them.

A rebalance says for how long its members had stopped, removed ones had been silent, and partitions
had no owner. Beyond that a partition is not worked on while its owner stalls without being removed,
or restarts under its instance id, and after its last owner while its topic is worked on.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple

from groups.core.facts import Departure
from pipeline.what_if.recording import HOUR_MS, Interval, Millis, Part, Recording

Span = tuple[Millis, Millis]


class Figures(NamedTuple):
    """What happened in some time. In partitions x milliseconds: members that stay had stopped
    (``stopped_ms``), members were silent and then removed or replaced, there was no owner, and
    members stalled without being removed, which is never recorded."""

    rebalances: int = 0
    moves: int = 0
    stopped_ms: Millis = 0
    silent_ms: Millis = 0
    unowned_ms: Millis = 0
    stalled_ms: Millis = 0

    @property
    def cost_ms(self) -> Millis:
        """Partitions x milliseconds in which nobody worked on them."""
        return self.stopped_ms + self.silent_ms + self.unowned_ms + self.stalled_ms

    def plus(self, other: "Figures") -> "Figures":
        """Both together."""
        return Figures(*(a + b for a, b in zip(self, other, strict=True)))


Happened = Iterable[tuple[Millis, Sequence[int]]]
"""What to count (``Figures``, or a tuple like them), and when."""

ONE_REBALANCE: Final = Figures(rebalances=1)
ONE_MOVE: Final = Figures(moves=1)


def total(hours: Mapping[int, Figures]) -> Figures:
    """Of all hours."""
    summed = Figures()
    for each in hours.values():
        summed = summed.plus(each)
    return summed


def figures(
    recording: Recording,
    owners: Mapping[int, str],
    runs_until: Millis,
    stalls: Iterable[tuple[int, Span]] = (),
) -> dict[int, Figures]:
    """By the hour in which it ended. ``owners``: the client of each life, since a restarted client
    is no other owner; ``runs_until``: when the last client stopped, for good; ``stalls``: silences
    of lives that did not end by them."""
    hours: dict[int, list[int]] = {}
    happened = chain(
        ((rebalance.completed, ONE_REBALANCE) for rebalance in recording.rebalances),
        ((idle.ended, (0, 0, *idle[1:], 0)) for idle in recording.idle),
        _moves(recording, owners),
        _unowned_at_end(recording, min(runs_until, recording.end)),
        ((at, Figures(silent_ms=ms)) for at, ms in _silent(recording, _replaced(recording))),
        ((at, Figures(stalled_ms=ms)) for at, ms in _silent(recording, stalls)),
    )
    for at, more in happened:
        if recording.begin <= at <= recording.end:
            sums = hours.setdefault(at // HOUR_MS, [0] * len(Figures._fields))
            for place, figure in enumerate(more):
                if figure:
                    sums[place] += figure
    return {hour: Figures(*sums) for hour, sums in hours.items()}


def _moves(recording: Recording, owners: Mapping[int, str]) -> Happened:
    """Changes of owner."""
    for intervals in _by_part(recording.intervals).values():
        for before, after in pairwise(intervals):
            if owners.get(before.life) != owners.get(after.life):
                yield after.since, ONE_MOVE


def _unowned_at_end(recording: Recording, end: Millis) -> Happened:
    """Partitions that nobody owns at the end, unless nobody owns any of their topic."""
    at_end = {one.part[0] for one in recording.intervals if one.until is None}
    for (topic, _), intervals in _by_part(recording.intervals).items():
        last = max(end if one.until is None else one.until for one in intervals)
        if last < end and (topic in at_end or not at_end):
            yield end, Figures(unowned_ms=end - max(last, recording.begin))


def _replaced(recording: Recording) -> Iterable[tuple[int, Span]]:
    """Silences of static members before they came back, of which no rebalance tells."""
    for life in recording.lives:
        if life.departure == Departure.REPLACED and life.heard is not None and life.left:
            yield life.life, (life.heard, life.left)


def _silent(
    recording: Recording, spans: Iterable[tuple[int, Span]]
) -> Iterable[tuple[Millis, Millis]]:
    """What lives owned in these times: when each ended, and partitions x milliseconds."""
    owned: dict[int, list[Interval]] = {}
    for interval in recording.intervals:
        owned.setdefault(interval.life, []).append(interval)
    for life, span in spans:
        silent = sum(_common(interval, span) for interval in owned.get(life, ()))
        if silent:
            yield span[1], silent


def _by_part(intervals: Iterable[Interval]) -> dict[Part, list[Interval]]:
    found: dict[Part, list[Interval]] = {}
    for interval in sorted(intervals, key=lambda one: (one.since, one.life)):
        found.setdefault(interval.part, []).append(interval)
    return found


def _common(interval: Interval, span: Span) -> Millis:
    until = span[1] if interval.until is None else min(interval.until, span[1])
    return max(0, until - max(interval.since, span[0]))
