"""Hours of the whole installation, or of a group (docs/facts.md): what their charts show. One
statement each."""

from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import connection

from console.queries.sql import fleet_hours as sql

HOUR: Final = timedelta(hours=1)

ROUNDS_MAX: Final = 20_000
"""Of a group's rebalances the newest are counted: a tenth of a second's work."""


class GroupHour(NamedTuple):
    """A group of an hour; ``idle_ms``: for how long nobody worked on partitions, in partitions
    times milliseconds."""

    group_id: str
    rebalances: int
    idle_ms: int


class FleetHour(NamedTuple):
    """An hour that is over. ``members``: at its end; None: not known. ``longest_ms``: its longest
    rebalance. ``rebalances``: by cause. ``groups``: those whose rebalances cost most."""

    hour: datetime
    members: int | None
    commits: int
    longest_ms: int
    idle_ms: int
    rebalances: dict[str, int]
    groups: list[GroupHour]


def read(since: datetime, until: datetime) -> list[FleetHour]:
    """The hours that begin in this time, in order; those that nobody has summarised are missing."""
    with connection.cursor() as cursor:
        cursor.execute(sql.READ, {"since": since, "until": until})
        return [_hour(*row) for row in cursor.fetchall()]


def _hour(
    hour: datetime,
    members: int,
    commits: int,
    longest_ms: int,
    idle_ms: int,
    triggers: list[str],
    rebalances: list[int],
    *groups: list[Any],
) -> FleetHour:
    by_cause = dict(zip(triggers, rebalances, strict=True))
    rows = [GroupHour(*each) for each in zip(*groups, strict=True)]
    return FleetHour(hour, members, commits, longest_ms, idle_ms, by_cause, rows)


def of_group(group_id: str, since: datetime, until: datetime) -> list[FleetHour]:
    """The hours of this time as a group's rebalances tell them, in order, those without any too;
    none if there was none in all of it. Members are those of the last rebalance. Of more than
    ``ROUNDS_MAX`` the newest are known: hours before them, and the one in which they begin, are
    missing."""
    bounds: dict[str, Any] = {"group_id": group_id, "first": since, "last": until}
    with connection.cursor() as cursor:
        cursor.execute(sql.OF_GROUP, {**bounds, "rounds": ROUNDS_MAX})
        found = {row[0]: _hour_of_group(*row) for row in cursor.fetchall()}
    if not found:
        return []
    counted = sum(sum(hour.rebalances.values()) for hour in found.values())
    first = min(found) + HOUR if counted == ROUNDS_MAX else since
    hours, members = list[FleetHour](), None
    for n in range((until - first) // HOUR):
        hour = first + n * HOUR
        hours.append(found.get(hour) or _hour_of_group(hour, members, 0, 0, [], []))
        members = hours[-1].members
    return hours


def _hour_of_group(
    hour: datetime,
    members: int | None,
    longest_ms: int,
    idle_ms: int,
    triggers: list[str],
    rebalances: list[int],
) -> FleetHour:
    by_cause = dict(zip(triggers, rebalances, strict=True))
    return FleetHour(hour, members, 0, longest_ms, idle_ms, by_cause, [])
