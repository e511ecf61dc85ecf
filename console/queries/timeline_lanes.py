"""The lanes of a timeline: a member's life each, or all lives of a host where there are many.

Pure: of the rows that ``console.queries.timeline`` reads.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from console.queries.member_names import short
from groups.core.facts import Departure

MEMBER, HOST = "member", "host"
"""What a lane is."""

LANES_MAX: Final = 40
"""Lanes of a timeline; all others are one. A page shows as many without scrolling twice."""

MEMBERS_MAX: Final = 60
"""With more lives than this, lanes are hosts."""

DEPARTURES_MAX: Final = 20
"""Departures of a lane that are told one by one, the newest; others are only counted."""

LOST: Final = frozenset(
    [
        Departure.EXPIRED,
        Departure.EXPELLED,
        Departure.REFUSED,
        Departure.NOT_ACKNOWLEDGED,
        Departure.EVICTED,
    ]
)
"""Departures of members that did not go by themselves."""


class LifeRow(NamedTuple):
    """A life, with what a lane shows of it."""

    life: int
    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    software_name: str
    software_version: str
    joined_at: datetime
    origin: str
    left_at: datetime | None
    departure: str | None
    heard_at: datetime | None


class Change(NamedTuple):
    """By how many partitions the ownership of a host, or of a life by its number, changed in a part
    of the time (``bin``, from 0)."""

    key: str
    bin: int
    partitions: int


class WaitRow(NamedTuple):
    """A rebalance waited for a life: for so long, for what, and how that ended."""

    life: int
    generation: int
    since: datetime
    ms: int
    act: str
    end: str


class Left(NamedTuple):
    """A life of a lane that ended. ``silent_since``: its last sign of life, if it was lost."""

    at: datetime
    how: str
    member_id: str
    silent_since: datetime | None


class Step(NamedTuple):
    """From this part of the time on the lane owns so many partitions."""

    bin: int
    partitions: int


class Span(NamedTuple):
    """A time; without ``until`` it goes on."""

    since: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Lane:
    """A life, or all lives of a host; the last lane has what there is no room for, and no ``key``.

    ``lives`` and ``left``: how many, and how many of them ended; ``departures`` are the newest of
    these. ``waited_ms``: how long rebalances waited for them, in all.
    """

    key: str
    name: str
    detail: str
    lives: int
    left: int
    lost: int
    waited_ms: int
    spans: Sequence[Span]
    steps: Sequence[Step]
    waits: Sequence[WaitRow]
    departures: Sequence[Left]
    member_ids: frozenset[str]

    @property
    def most(self) -> int:
        """The most partitions that it owned at a time."""
        return max((step.partitions for step in self.steps), default=0)

    @property
    def waited_s(self) -> str:
        """``waited_ms`` in seconds; "" for nothing."""
        return f"{self.waited_ms / 1_000:,.1f}" if self.waited_ms else ""

    @property
    def now(self) -> int:
        """The partitions that it owns at the end."""
        return self.steps[-1].partitions if self.steps else 0


def lanes(
    lives: Sequence[LifeRow],
    by: str,
    changes: Iterable[Change],
    waits: Iterable[WaitRow],
    waited_ms: Mapping[int, int],
) -> Sequence[Lane]:
    """The lanes, those first whose members were lost, then those that were waited for longest."""
    grouped: dict[str, list[LifeRow]] = defaultdict(list)
    for life in lives:
        grouped[str(life.life) if by == MEMBER else life.client_host].append(life)
    order = sorted(grouped, key=lambda key: _unsettled(grouped[key], waited_ms))
    shown, rest = order[:LANES_MAX], order[LANES_MAX:]
    named = {key: grouped[key] for key in shown}
    if rest:
        named[""] = [life for key in rest for life in grouped[key]]
    lane_of = {life.life: key for key, its in named.items() for life in its}
    lane_of_key = {key: key for key in shown} | dict.fromkeys(rest, "")
    steps, awaited = _steps(changes, lane_of_key), _waits(waits, lane_of)
    several = Counter(life.client_id for life in lives)
    return [
        _lane(key, its, _name(key, its, by, several, len(rest)), steps, awaited, waited_ms)
        for key, its in named.items()
    ]


def _unsettled(lives: Sequence[LifeRow], waited_ms: Mapping[int, int]) -> tuple[int, int, int, str]:
    lost = sum(life.departure in LOST for life in lives)
    waited = sum(waited_ms.get(life.life, 0) for life in lives)
    left = sum(life.left_at is not None for life in lives)
    return -lost, -waited, -left, lives[0].client_host + lives[0].client_id + lives[0].member_id


def _name(
    key: str, lives: Sequence[LifeRow], by: str, several: Mapping[str, int], rest: int
) -> tuple[str, str]:
    """What a lane is called, and what stands beside it."""
    first = lives[0]
    if not key:
        return f"{rest:,} more {by}s", ""
    if by == HOST:
        return first.client_host or "(no host)", f"{len({life.member_id for life in lives}):,}"
    name = first.instance_id or first.client_id or short(first.member_id)
    if first.instance_id is None and several[first.client_id] > 1:
        name = f"{name} ({short(first.member_id)})"
    software = f"{first.software_name} {first.software_version}".strip()
    return name, " · ".join(filter(None, (first.client_host, software)))


def _lane(
    key: str,
    lives: Sequence[LifeRow],
    name: tuple[str, str],
    steps: Mapping[str, Sequence[Step]],
    waits: Mapping[str, Sequence[WaitRow]],
    waited_ms: Mapping[int, int],
) -> Lane:
    departures = sorted((_left(life) for life in lives if life.left_at), reverse=True)
    return Lane(
        key=key,
        name=name[0],
        detail=name[1],
        lives=len(lives),
        left=len(departures),
        lost=sum(life.departure in LOST for life in lives),
        waited_ms=sum(waited_ms.get(life.life, 0) for life in lives),
        spans=_spans(lives),
        steps=steps.get(key, ()),
        waits=waits.get(key, ()),
        departures=departures[:DEPARTURES_MAX],
        member_ids=frozenset(life.member_id for life in lives),
    )


def _left(life: LifeRow) -> Left:
    is_lost = life.departure in LOST and life.heard_at is not None
    at, how = life.left_at or life.joined_at, life.departure or Departure.UNKNOWN
    return Left(at, str(how), life.member_id, life.heard_at if is_lost else None)


def _spans(lives: Sequence[LifeRow]) -> Sequence[Span]:
    """When at least one of them was there."""
    found: list[Span] = []
    for life in sorted(lives, key=lambda life: life.joined_at):
        last = found[-1] if found else None
        if last is None or (last.until is not None and last.until < life.joined_at):
            found.append(Span(life.joined_at, life.left_at))
        elif last.until is not None:
            until = None if life.left_at is None else max(last.until, life.left_at)
            found[-1] = Span(last.since, until)
    return found


def _steps(changes: Iterable[Change], lane_of: Mapping[str, str]) -> Mapping[str, Sequence[Step]]:
    sums: dict[str, Counter[int]] = defaultdict(Counter)
    for key, part, partitions in changes:
        sums[lane_of[key]][part] += partitions
    return {key: list(_running(its)) for key, its in sums.items()}


def _running(changes: Mapping[int, int]) -> Iterable[Step]:
    owned = 0
    for part, change in sorted(changes.items()):
        owned += change
        yield Step(part, owned)


def _waits(waits: Iterable[WaitRow], lane_of: Mapping[int, str]) -> Mapping[str, Sequence[WaitRow]]:
    """The waits of each lane: of each rebalance and act the longest one."""
    longest: dict[str, dict[tuple[int, str], WaitRow]] = defaultdict(dict)
    for wait in waits:
        key = lane_of.get(wait.life)
        if key is not None:
            before = longest[key].setdefault((wait.generation, wait.act), wait)
            if before.ms < wait.ms:
                longest[key][wait.generation, wait.act] = wait
    return {key: sorted(its.values(), key=lambda w: w.since) for key, its in longest.items()}
