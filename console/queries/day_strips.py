"""The last day of groups in hours: how often each rebalanced, what that cost, whether a member was
lost. For lists; one statement for a page."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import connection

from console.queries import tones
from console.queries.situation_text import many
from console.queries.sql import day_strips as sql
from console.queries.timeline_text import partition_seconds
from console.queries.why_text import seconds

HOUR: Final = timedelta(hours=1)
HOURS: Final = 24


class Hour(NamedTuple):
    """An hour of a group. ``idle_ms``: partitions times milliseconds without work; ``ms``: how long
    it rebalanced; ``is_crash``: a rebalance was needed since a member was lost."""

    rebalances: int = 0
    idle_ms: int = 0
    ms: int = 0
    is_crash: bool = False

    @property
    def tone(self) -> str:
        """Its colour: a member was lost, work stood still, or nothing of that."""
        if not self.rebalances:
            return ""
        if self.is_crash:
            return tones.BAD
        return tones.WARN if self.idle_ms else tones.GOOD


QUIET: Final = Hour()
Strip = Sequence[Hour]


def begin(now: datetime) -> datetime:
    """The begin of the first of the hours: the last one is the present one."""
    present = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return present - (HOURS - 1) * HOUR


def read(group_ids: Sequence[str], now: datetime) -> Mapping[str, Strip]:
    """The day of each of these groups, oldest hour first. One statement."""
    since = begin(now)
    values: dict[str, Any] = {
        "group_ids": list(group_ids),
        "since": since,
        "crashes": sorted(trigger.value for trigger in tones.CRASHES),
    }
    found: dict[str, list[Hour]] = {group_id: [QUIET] * HOURS for group_id in group_ids}
    with connection.cursor() as cursor:
        cursor.execute(sql.READ, values)
        for group_id, hour, *figures in cursor.fetchall():
            if hour < HOURS:
                found[group_id][hour] = Hour(*figures)
    return found


def text(strip: Strip) -> str:
    """The day in a sentence."""
    total = _total(strip)
    if not total["rebalances"]:
        return "Last 24 h: no rebalance"
    idle = total["idle_ms"]
    cost = f", {partition_seconds(idle)} without work" if idle else ""
    crashes = sum(hour.is_crash for hour in strip)
    lost = f", members lost in {many(crashes, 'hour')}" if crashes else ""
    rebalances = many(total["rebalances"], "rebalance")
    return f"Last 24 h: {rebalances} in {seconds(total['ms'])}{cost}{lost}"


def _total(strip: Strip) -> Mapping[str, Any]:
    return {name: sum(getattr(hour, name) for hour in strip) for name in Hour._fields}
