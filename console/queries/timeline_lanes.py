"""The lanes of a timeline: a member's life each, or all lives of a host where there are many.

Pure: of the rows that ``console.queries.timeline`` reads.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
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


class LaneRow(NamedTuple):
    """A row of ``sql.timeline.LANES``: of all first, then of the lane. The fields of ``host`` to
    ``software_version`` are of one of its lives."""

    all_lives: int
    by_host: bool
    first_at: datetime
    owned: int
    all_lanes: int
    place: int
    key: str
    host: str
    instance_id: str | None
    client_id: str
    member_id: str
    software_name: str
    software_version: str
    members: int
    lives: int
    gone: int
    lost: int
    waited_ms: int
    member_ids: Sequence[str] | None
    awaited: Sequence[int] | None
    is_alike: bool
    begins: Sequence[datetime]
    ends: Sequence[datetime | None]
    left_at: Sequence[datetime] | None
    departures: Sequence[str | None] | None
    left_ids: Sequence[str] | None
    heard_at: Sequence[datetime | None] | None
    bins: Sequence[int] | None
    changes: Sequence[int] | None

    @property
    def is_rest(self) -> bool:
        """Whether it has what there is no room for."""
        return self.place > LANES_MAX


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


def lanes(rows: Sequence[LaneRow], waits: Iterable[WaitRow]) -> Sequence[Lane]:
    """The lanes, those first whose members were lost, then those that were waited for longest.
    ``waits``: of lives that a lane has ``awaited``."""
    place_of = {life: row.place for row in rows for life in row.awaited or ()}
    awaited = _waits(waits, place_of)
    return [_lane(row, awaited.get(row.place, ())) for row in rows]


def _name(row: LaneRow) -> tuple[str, str]:
    """What a lane is called, and what stands beside it."""
    if row.is_rest:
        return f"{row.all_lanes - LANES_MAX:,} more {HOST if row.by_host else MEMBER}s", ""
    if row.by_host:
        return row.host or "(no host)", f"{row.members:,}"
    name = row.instance_id or row.client_id or short(row.member_id)
    if row.instance_id is None and row.is_alike:
        name = f"{name} ({short(row.member_id)})"
    software = f"{row.software_name} {row.software_version}".strip()
    return name, " · ".join(filter(None, (row.host, software)))


def _lane(row: LaneRow, waits: Sequence[WaitRow]) -> Lane:
    name, detail = _name(row)
    return Lane(
        key="" if row.is_rest else row.key,
        name=name,
        detail=detail,
        lives=row.lives,
        left=row.gone,
        lost=row.lost,
        waited_ms=row.waited_ms,
        spans=[Span(*span) for span in zip(row.begins, row.ends, strict=True)],
        steps=list(_steps(row)),
        waits=waits,
        departures=list(_departures(row)),
        member_ids=frozenset(row.member_ids or ()),
    )


def _departures(row: LaneRow) -> Iterator[Left]:
    columns = (row.left_at, row.departures, row.left_ids, row.heard_at)
    for at, how, member_id, heard_at in zip(*(each or () for each in columns), strict=True):
        silent_since = heard_at if how in LOST else None
        yield Left(at, str(how or Departure.UNKNOWN), member_id, silent_since)


def _steps(row: LaneRow) -> Iterator[Step]:
    for part, owned in zip(row.bins or (), accumulate(row.changes or ()), strict=True):
        yield Step(part, owned)


def _waits(
    waits: Iterable[WaitRow], place_of: Mapping[int, int]
) -> Mapping[int, Sequence[WaitRow]]:
    """The waits of each lane: of each rebalance and act the longest one."""
    longest: dict[int, dict[tuple[int, str], WaitRow]] = defaultdict(dict)
    for wait in waits:
        place = place_of.get(wait.life)
        if place is not None:
            before = longest[place].setdefault((wait.generation, wait.act), wait)
            if before.ms < wait.ms:
                longest[place][wait.generation, wait.act] = wait
    return {place: sorted(its.values(), key=lambda w: w.since) for place, its in longest.items()}
