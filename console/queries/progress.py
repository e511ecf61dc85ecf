"""A group's progress, from its committed offsets and their history. Reads only, one
statement each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import connection

from console.queries.sql import progress as sql
from console.queries.thresholds import Thresholds

STALLED_MS: Final = 600_000
"""The default time without a commit after which a partition is listed, if no attention rule sets
it."""

RATE_WITHIN_S: Final = 300
"""The time in which commits are counted."""

RATE_ROWS_MAX: Final = 5_000
"""Maximum number of rows of the history that are counted."""

HISTORY_LOOKED_AT: Final = 20_000
HISTORY_MAX: Final = 50
"""Commits of a partition that are shown, and the group's newest ones that are searched for them."""

S_PER_MINUTE: Final = 60.0
MINUTES_PER_HOUR: Final = 60

HOUR: Final = timedelta(hours=1)
RATES_FOR: Final = 24 * HOUR

MS_PER_HOUR: Final = HOUR // timedelta(milliseconds=1)

DRAINED_WITHIN: Final = 3 * HOUR
"""Hours that began before that say nothing of now."""


class Draining(NamedTuple):
    """A group's lag at a time, and an hour before it, of the partitions with commits in both hours
    and a known end."""

    at: datetime
    before: int
    lag: int

    @property
    def left_ms(self) -> int | None:
        """How long until there is none, if it goes on as in this hour; None: it does not shrink."""
        by = self.before - self.lag
        return self.lag * MS_PER_HOUR // by if by > 0 else None


class Rates(NamedTuple):
    """Commits of some partitions a minute, hour by hour, oldest first; and those of their whole
    group in each hour that was summarised."""

    a_minute: Mapping[tuple[str, int], list[float]]
    of_group: dict[datetime, int]


@dataclass(frozen=True, slots=True)
class Progress:
    """``offsets``: partitions with a committed offset. ``stalled``: those without a commit for
    ``stalled_ms``. ``per_minute``: commits of single partitions, None: there were none lately, or
    no history is kept. ``draining``: None if no end is known of both last hours."""

    offsets: int
    last_at: datetime | None
    stalled: int
    stalled_ms: int
    per_minute: float | None
    draining: Draining | None


class Commit(NamedTuple):
    """One commit of a partition, and its author."""

    at: datetime
    offset: int
    member_id: str
    client_id: str
    client_host: str
    metadata: str
    principal: str | None


def rates_of(group_id: str, parts: Sequence[tuple[str, int]], now: datetime) -> Rates:
    """Commits in the last 24 hours that are over. One statement."""
    since = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0) - RATES_FOR
    values: dict[str, Any] = {
        "group_id": group_id,
        "first": since,
        "last": since + RATES_FOR,
        "topics": (topics := sorted({topic for topic, _ in parts})),
        "lows": [min(n for name, n in parts if name == topic) for topic in topics],
        "highs": [max(n for name, n in parts if name == topic) for topic in topics],
    }
    found = Rates({part: [0.0] * (RATES_FOR // HOUR) for part in parts}, {})
    with connection.cursor() as cursor:
        cursor.execute(sql.RATES, values)
        for topic, number, hour, commits in cursor.fetchall():
            if topic is None:
                found.of_group[hour] = commits
            elif (topic, number) in found.a_minute and hour < since + RATES_FOR:
                found.a_minute[topic, number][(hour - since) // HOUR] = commits / MINUTES_PER_HOUR
    return found


def progress_of(group_id: str) -> Progress:
    """The progress of one group. One statement."""
    stalled_ms = Thresholds.from_django().attention_commit_ms or STALLED_MS
    values: dict[str, Any] = {
        "group_id": group_id,
        "drained_within": DRAINED_WITHIN,
        "stalled_ms": stalled_ms,
        "within_s": RATE_WITHIN_S,
        "most": RATE_ROWS_MAX,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql.TOTALS, values)
        count, last_at, stalled, rows, lately, over_s, at, *lags = cursor.fetchone()
    rate = _per_minute(rows, lately, over_s)
    draining = None if at is None else Draining(at, *map(int, lags))
    return Progress(count, last_at, stalled, stalled_ms, rate, draining)


def _per_minute(rows: int, partitions: int, over_s: float | None) -> float | None:
    if over_s is None:
        return None
    over = RATE_WITHIN_S if rows < RATE_ROWS_MAX else max(float(over_s), 1.0)
    return partitions / over * S_PER_MINUTE


def history_of(group_id: str, topic: str, partition: int) -> Sequence[Commit]:
    """The commits of one partition, newest first. One statement."""
    parameters: dict[str, str | int] = {
        "group_id": group_id,
        "topic": topic,
        "partition": partition,
        "looked_at": HISTORY_LOOKED_AT,
        "most": HISTORY_MAX,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql.OF_PARTITION, parameters)
        return [Commit(*row) for row in cursor.fetchall()]
