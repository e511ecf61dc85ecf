"""Hours of the whole installation (docs/facts.md): what its charts show. One statement each."""

from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from groups.store.sql import fleet_hours as sql


class GroupHour(NamedTuple):
    """A group of an hour; ``idle_ms``: for how long nobody worked on partitions, in partitions
    times milliseconds."""

    group_id: str
    rebalances: int
    idle_ms: int


class FleetHour(NamedTuple):
    """An hour that is over. ``members``: at its end. ``longest_ms``: its longest rebalance.
    ``rebalances``: by cause. ``groups``: those whose rebalances cost most."""

    hour: datetime
    members: int
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
