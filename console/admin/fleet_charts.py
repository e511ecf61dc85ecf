"""The charts of the Overview: 24 hours, or 30 days, in columns; each leads to its time.

Computes positions and texts; the template writes the SVG, and the same as a table.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from console.admin import timeline_window
from console.admin.chart import words
from console.admin.links import quote
from console.queries import fleet_hours
from console.queries.fleet_hours import FleetHour
from console.queries.situation_text import many
from console.queries.timeline_text import partition_seconds
from console.queries.tones import trigger_class
from console.queries.why_text import seconds

UNIT: Final = 10
HEIGHT: Final = 60
GAP: Final = 2
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PERIODS: Final[Mapping[str, tuple[timedelta, timedelta]]] = {
    "24h": (DAY, HOUR),
    "30d": (30 * DAY, DAY),
}
"""By the name in the URL: how much, in columns of which length."""

PLAIN: Final = "rc-colour-0"


class Column(NamedTuple):
    """What one column is about; without hours nothing is known of it."""

    at: datetime
    hours: Sequence[FleetHour]


class Part(NamedTuple):
    """A coloured part of a column."""

    y: float
    height: float
    css: str


class Bar(NamedTuple):
    """A column of a chart."""

    x: int
    parts: Sequence[Part]
    title: str
    link: str


class Chart(NamedTuple):
    """One chart; ``top``: what its highest column is."""

    title: str
    top: str
    bars: Sequence[Bar]
    width: int
    height: int = HEIGHT
    bar: int = UNIT - GAP


class Measure(NamedTuple):
    """What a chart shows: figures by colour of some hours, and their sum in words."""

    title: str
    figures: Callable[[Sequence[FleetHour]], Mapping[str, int]]
    text: Callable[[int], str]


def _rebalances(hours: Sequence[FleetHour]) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for hour in hours:
        found.update(hour.rebalances)
    return found


MEASURES: Final = (
    Measure("Rebalances", _rebalances, lambda n: many(n, "rebalance")),
    Measure("Without work", lambda hours: {"": sum(h.idle_ms for h in hours)}, partition_seconds),
    Measure("Longest rebalance", lambda hours: {"": max(h.longest_ms for h in hours)}, seconds),
    Measure("Members", lambda hours: {"": hours[-1].members}, lambda n: many(n, "member")),
    Measure("Commits", lambda hours: {"": sum(h.commits for h in hours)}, lambda n: f"{n:,}"),
)


def context(request: HttpRequest, now: datetime) -> Mapping[str, Any]:
    """The charts of the URL's period, and the groups of the column that it names. One
    statement."""
    name = request.GET.get("chart", "")
    name = name if name in PERIODS else next(iter(PERIODS))
    length, step = PERIODS[name]
    asked = timeline_window.moment(request.GET.get("hour", ""))
    day = timeline_window.moment(request.GET.get("day", ""))
    last = _floor(now, step) + (step if step == DAY else timedelta())
    if day is not None and step == HOUR:
        last = min(last, _floor(day, DAY) + DAY)
    since = last - length
    hours = fleet_hours.read(min(since, asked or since), max(last, (asked or last) + HOUR))
    columns = [
        Column(at, [h for h in hours if at <= h.hour < at + step])
        for at in (since + n * step for n in range(length // step))
    ]
    if not any(column.hours for column in columns):
        return {}
    return {
        "charts": [_chart(measure, columns, step) for measure in MEASURES],
        "legend": [(trigger_class(each), words(each)) for each in sorted(_causes(columns))],
        "periods": [{"name": each, "is_shown": each == name} for each in PERIODS],
        "chart_rows": [_row(column, step) for column in reversed(columns) if column.hours],
        "chart_hour": _hour(hours, asked),
    }


def _floor(at: datetime, step: timedelta) -> datetime:
    zero = datetime(1970, 1, 1, tzinfo=UTC)
    return zero + (at - zero) // step * step


def _causes(columns: Sequence[Column]) -> set[str]:
    return {cause for column in columns for cause in _rebalances(column.hours)}


def _link(column: Column, step: timedelta) -> str:
    """Of an hour its groups, of a day its hours."""
    at = timeline_window.text(column.at)
    query = {"hour": at, "day": at} if step == HOUR else {"chart": "24h", "day": at}
    return f"?{urlencode(query)}#charts"


def _when(column: Column, step: timedelta) -> str:
    return f"{column.at:%Y-%m-%d}" if step == DAY else f"{column.at:%Y-%m-%d %H:%M} UTC"


def _chart(measure: Measure, columns: Sequence[Column], step: timedelta) -> Chart:
    figures = [measure.figures(column.hours) if column.hours else {} for column in columns]
    top = max(sum(each.values()) for each in figures)
    bars = [
        Bar(
            n * UNIT,
            _parts(each, max(1, top)),
            f"{_when(column, step)}: {_said(measure, each)}",
            _link(column, step),
        )
        for n, (column, each) in enumerate(zip(columns, figures, strict=True))
    ]
    return Chart(measure.title, measure.text(top), bars, len(columns) * UNIT)


def _said(measure: Measure, figures: Mapping[str, int]) -> str:
    if not figures:
        return "nothing" if measure.title == MEASURES[0].title else "not known"
    causes = ", ".join(f"{n:,} {words(cause)}" for cause, n in sorted(figures.items()) if cause)
    told = measure.text(sum(figures.values()))
    return f"{told} ({causes})" if causes else told


def _parts(figures: Mapping[str, int], top: int) -> Sequence[Part]:
    parts, y = [], float(HEIGHT)
    for cause, figure in sorted(figures.items()):
        if figure > 0:
            height = max(1.0, round(figure * (HEIGHT - 2) / top, 1))
            y = round(y - height, 1)
            parts.append(Part(y, height, trigger_class(cause) if cause else PLAIN))
    return parts


def _row(column: Column, step: timedelta) -> Mapping[str, Any]:
    figures = [measure.figures(column.hours) for measure in MEASURES]
    return {
        "when": _when(column, step),
        "link": _link(column, step),
        "figures": [
            measure.text(sum(each.values()))
            for measure, each in zip(MEASURES, figures, strict=True)
        ],
    }


def _hour(hours: Sequence[FleetHour], asked: datetime | None) -> Mapping[str, Any] | None:
    """The groups of one hour, each with its timeline."""
    found = next((h for h in hours if asked is not None and h.hour == _floor(asked, HOUR)), None)
    if found is None:
        return None
    query = timeline_window.query(found.hour, found.hour + HOUR)
    return {
        "hour": found.hour,
        "groups": [
            {
                "group_id": group.group_id,
                "link": reverse("admin:groups_group_timeline", args=[quote(group.group_id)])
                + query,
                "text": f"{many(group.rebalances, 'rebalance')}, "
                f"{partition_seconds(group.idle_ms)} without work",
            }
            for group in found.groups
        ],
    }
