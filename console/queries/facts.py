"""Members' lives, who owned what, and progress by hours, of one group, at a moment or in a time.
Reads only, one or two statements each (docs/facts.md)."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, repeat
from typing import Any, Final, NamedTuple

from console.queries.many_rows import many_rows
from console.queries.sql import fact_reads as sql

ROWS_MAX: Final = 100_000
"""The rows that one answer is made of: an assignment of 50,000 partitions, one by one."""

ALWAYS: Final = datetime(1970, 1, 1, tzinfo=UTC)
HOUR: Final = timedelta(hours=1)
NOBODY: Final = (None,)
NEVER: Final = datetime(9999, 1, 1, tzinfo=UTC)


class Life(NamedTuple):
    """A member's life; ``left_at`` None: it is not over."""

    life: int
    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    principal: str
    rack_id: str | None
    software_name: str
    software_version: str
    kind: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    subscription: Sequence[str] | None
    pattern: str
    protocols: Sequence[str]
    joined_generation: int
    joined_at: datetime
    origin: str
    left_generation: int | None
    left_at: datetime | None
    departure: str | None
    heard_at: datetime | None


class Owned(NamedTuple):
    """Partitions that a member owned for some time, as PostgreSQL writes ranges."""

    topic: str
    partitions: str
    from_generation: int
    from_at: datetime
    until_generation: int | None
    until_at: datetime | None
    life: int
    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str

    def numbers(self) -> Sequence[int]:
        """The partitions one by one."""
        ranges = self.partitions.strip("{}").replace("),", ") ").split()
        ends = (piece.strip("[)").split(",") for piece in ranges)
        return [number for low, high in ends for number in range(int(low), int(high))]


class Assigned(NamedTuple):
    """A partition and its owner at a moment; ``until_at`` None: it owns it still."""

    topic: str
    partition: int
    from_generation: int
    from_at: datetime
    until_generation: int | None
    until_at: datetime | None
    life: int
    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str


class HourOfPartition(NamedTuple):
    """What was committed for a partition in an hour. ``pause_ms``: the longest time without a
    commit. ``life`` and ``member_id``: of the last commit, None: of no member."""

    hour: datetime
    topic: str
    partition: int
    commits: int
    first_offset: int
    last_offset: int
    pause_ms: int
    end_offset: int | None
    life: int | None
    member_id: str | None


class Cause(NamedTuple):
    """Why a rebalance was needed: what, how many members, the first of them, when it came and its
    share of the time, in milliseconds."""

    trigger: str
    members: int
    member_id: str | None
    at_ms: int
    ms: int


class Wait(NamedTuple):
    """Whom a rebalance waited for: what the member had to do, how it ended, after how long. A
    client that never joined has no life."""

    life: int | None
    member_id: str | None
    act: str
    end: str
    ms: int


class Round(NamedTuple):
    """A rebalance that has ended; ``stopped_ms``, ``silent_ms`` and ``unowned_ms`` are partitions
    times milliseconds."""

    id: int
    generation: int
    kind: str
    outcome: str
    started_at: datetime
    ended_at: datetime
    is_partial: bool
    members: int
    moved: int
    stopped_ms: int
    silent_ms: int
    unowned_ms: int
    causes: Sequence[Cause]
    waits: Sequence[Wait]


def is_known(group_id: str) -> bool:
    """Whether there is such a group, or was."""
    with many_rows() as cursor:
        cursor.execute(sql.IS_KNOWN, {"group_id": group_id})
        return bool(cursor.fetchone()[0])


def lives(group_id: str, since: datetime | None, until: datetime | None) -> Sequence[Life]:
    """The lives that were not over at ``since`` and had begun by ``until``, in order of joining."""
    with many_rows() as cursor:
        cursor.execute(sql.OF_GROUP, _parameters(group_id, since, until))
        return [Life(*row) for row in cursor.fetchall()]


def owners(
    group_id: str,
    since: datetime | None = None,
    until: datetime | None = None,
    topic: str | None = None,
    partition: int | None = None,
) -> Sequence[Owned]:
    """The intervals that reach into this time, in order; of one topic, of one partition."""
    parameters = {**_parameters(group_id, since, until), "topic": topic, "partition": partition}
    with many_rows() as cursor:
        cursor.execute(sql.OWNERS, parameters)
        found = cursor.fetchall()
        names = _names(cursor, parameters, (row[-1] for row in found))
    return [Owned(*row, *names[row[-1]]) for row in found if row[-1] in names]


def owners_at(group_id: str, at: datetime, known: Sequence[Life]) -> Sequence[Owned]:
    """The intervals of a moment, of lives that are known. One statement."""
    parameters = {**_parameters(group_id, at, at), "topic": None, "partition": None}
    with many_rows() as cursor:
        cursor.execute(sql.OWNERS, parameters)
        found = cursor.fetchall()
    names: Mapping[int, Sequence[Any]] = {life.life: life[1:5] for life in known}
    return [Owned(*row, *names[row[-1]]) for row in found if row[-1] in names]


def progress(
    group_id: str,
    since: datetime | None = None,
    until: datetime | None = None,
    topic: str | None = None,
    partition: int | None = None,
) -> Sequence[HourOfPartition]:
    """The hours of this time, in order, by topic and partition."""
    parameters = {**_parameters(group_id, since, until), "topic": topic, "partition": partition}
    with many_rows() as cursor:
        cursor.execute(sql.PROGRESS, parameters)
        found = cursor.fetchall()
        if not found:
            return []
        hours = {**parameters, "first": found[0][0], "last": found[-1][0] + HOUR}
        names = _names(cursor, hours, (row[-1] for row in found))
    return [HourOfPartition._make((*row, names.get(row[-1], NOBODY)[0])) for row in found]


def rounds(
    group_id: str,
    since: datetime | None = None,
    until: datetime | None = None,
    after: int = 0,
    most: int = ROWS_MAX,
) -> Sequence[Round]:
    """The rebalances that had not ended at ``since`` and had begun by ``until``, in order: at most
    so many, after the one with this id."""
    bounds = {"after": after, "most": most}
    with many_rows() as cursor:
        cursor.execute(sql.ROUNDS, {**_parameters(group_id, since, until), **bounds})
        found = cursor.fetchall()
        if not found:
            return []
        lived = _parameters(group_id, min(row[4] for row in found), found[-1][5])
        names = _names(cursor, lived, chain.from_iterable(row[-2] for row in found))
    return [Round._make((*row[:12], _causes(row[12:17]), _waits(row[17:], names))) for row in found]


def _causes(columns: Sequence[Sequence[Any]]) -> Sequence[Cause]:
    return [Cause(*cause) for cause in zip(*columns, strict=True)]


def _waits(columns: Sequence[Sequence[Any]], names: Mapping[int, Sequence[Any]]) -> Sequence[Wait]:
    """Waits stand in runs of the same act and end."""
    acts, ends, counts, lives, waited_ms = columns
    runs = zip(acts, ends, counts, strict=True)
    how = (pair for act, end, count in runs for pair in repeat((act, end), count))
    return [
        Wait(life, names.get(life, NOBODY)[0], act, end, ms)
        for (act, end), life, ms in zip(how, lives, waited_ms, strict=True)
    ]


def assignment(
    group_id: str,
    at: datetime,
    topic: str | None = None,
    after: tuple[str, int] | None = None,
    most: int = ROWS_MAX,
) -> Mapping[tuple[str, int], Assigned]:
    """Who owned each partition at a moment, by topic and partition in order: at most so many, after
    one of them. Partitions without an owner are left out."""
    begin = {"after_topic": after and after[0], "after": after and after[1], "topic": topic}
    parameters = {**_parameters(group_id, at, at), **begin, "most": most}
    with many_rows() as cursor:
        cursor.execute(sql.ASSIGNED, parameters)
        found = cursor.fetchall()
        names = _names(cursor, parameters, (row[-1] for row in found))
    return {row[:2]: Assigned(*row, *names[row[-1]]) for row in found if row[-1] in names}


def _names(
    cursor: Any, parameters: Mapping[str, Any], lives: Iterable[int | None]
) -> Mapping[int, Sequence[Any]]:
    """Member, instance, client and host of these lives, which are of this time."""
    cursor.execute(sql.NAMES, {**parameters, "lives": sorted({*lives} - {None})})
    return {life: names for life, *names in cursor.fetchall()}


def _parameters(
    group_id: str, since: datetime | None, until: datetime | None
) -> dict[str, str | int | datetime | None]:
    return {
        "group_id": group_id,
        "first": since or ALWAYS,
        "last": until or NEVER,
        "most": ROWS_MAX,
    }
