"""The charts of the Overview and of a group: 24 hours, or 30 days, in columns; each leads to its
time.

Computes positions and texts; the template writes the SVG, and the same as a table.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
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
    """What a chart shows: figures by colour of some hours (None: not known), and their sum in
    words."""

    title: str
    figures: Callable[[Sequence[FleetHour]], Mapping[str, int] | None]
    text: Callable[[int], str]


def _rebalances(hours: Sequence[FleetHour]) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for hour in hours:
        found.update(hour.rebalances)
    return found


def _members(hours: Sequence[FleetHour]) -> Mapping[str, int] | None:
    members = hours[-1].members
    return None if members is None else {"": members}


OF_GROUP: Final = (
    Measure("Rebalances", _rebalances, lambda n: many(n, "rebalance")),
    Measure("Without work", lambda hours: {"": sum(h.idle_ms for h in hours)}, partition_seconds),
    Measure("Longest rebalance", lambda hours: {"": max(h.longest_ms for h in hours)}, seconds),
    Measure("Members", _members, lambda n: many(n, "member")),
)
COMMITS: Final = Measure(
    "Commits", lambda hours: {"": sum(h.commits for h in hours)}, lambda n: f"{n:,}"
)
MEASURES: Final = (*OF_GROUP, COMMITS)


class Scope(NamedTuple):
    """Whose charts they are. ``link``: that of a column's time; ``tab``: the tab of the page that
    they are on; ``periods``: those that can be chosen."""

    measures: Sequence[Measure]
    step: timedelta
    link: Callable[[datetime], str]
    tab: str = ""
    periods: Sequence[str] = tuple(PERIODS)


def context(request: HttpRequest, now: datetime) -> Mapping[str, Any]:
    """The charts of the URL's period, and the groups of the column that it names. One
    statement."""
    name, length, step = _period(request)
    asked = timeline_window.moment(request.GET.get("hour", ""))
    day = timeline_window.moment(request.GET.get("day", ""))
    last = _floor(now, step) + (step if step == DAY else timedelta())
    if day is not None and step == HOUR:
        last = min(last, _floor(day, DAY) + DAY)
    since = last - length
    hours = fleet_hours.read(min(since, asked or since), max(last, (asked or last) + HOUR))
    drawn = _drawn(name, hours, since, Scope(MEASURES, step, partial(_link, step)))
    whole = last if step == HOUR else None
    return {**drawn, "chart_hour": _hour(hours, asked), "chart_until": whole} if drawn else {}


def of_group(group_id: str, request: HttpRequest, now: datetime) -> Mapping[str, Any]:
    """The charts of a group's rebalances in the URL's period; each column leads to its timeline.
    One statement."""
    name, length, step = _period(request)
    last = _floor(now, step) + step
    hours = fleet_hours.of_group(group_id, last - length, last)
    link = partial(_timeline, step)
    return _drawn(name, hours, last - length, Scope(OF_GROUP, step, link, "rebalances"))


def commits_of_group(commits: Mapping[datetime, int], now: datetime) -> Mapping[str, Any]:
    """The chart of a group's commits in the 24 hours that are over, as of its partitions; each
    column leads to its timeline. None if it did not commit."""
    if not any(commits.values()):
        return {}
    hours = [FleetHour(hour, None, n, 0, 0, {}, []) for hour, n in commits.items()]
    scope = Scope((COMMITS,), HOUR, partial(_timeline, HOUR), "offsets", ())
    return _drawn("24h", hours, _floor(now, HOUR) - DAY, scope)


def _period(request: HttpRequest) -> tuple[str, timedelta, timedelta]:
    name = request.GET.get("chart", "")
    name = name if name in PERIODS else next(iter(PERIODS))
    return name, *PERIODS[name]


def _drawn(
    name: str, hours: Sequence[FleetHour], since: datetime, scope: Scope
) -> Mapping[str, Any]:
    """What the template shows; nothing if nothing is known of the period."""
    length, step = PERIODS[name]
    columns = [
        Column(at, [h for h in hours if at <= h.hour < at + step])
        for at in (since + n * step for n in range(length // step))
    ]
    if not any(column.hours for column in columns):
        return {}
    query = {"tab": scope.tab} if scope.tab else {}
    return {
        "charts": [_chart(measure, columns, scope) for measure in scope.measures],
        "legend": [(trigger_class(each), words(each)) for each in sorted(_causes(columns))],
        "periods": [
            {"name": each, "link": f"?{urlencode({**query, 'chart': each})}#charts"}
            for each in scope.periods
        ],
        "period": name,
        "chart_rows": [_row(column, scope) for column in reversed(columns) if column.hours],
    }


def _floor(at: datetime, step: timedelta) -> datetime:
    zero = datetime(1970, 1, 1, tzinfo=UTC)
    return zero + (at - zero) // step * step


def _causes(columns: Sequence[Column]) -> set[str]:
    return {cause for column in columns for cause in _rebalances(column.hours)}


def _link(step: timedelta, at: datetime) -> str:
    """Of an hour its groups, of a day its hours."""
    begin = timeline_window.text(at)
    query = {"hour": begin, "day": begin} if step == HOUR else {"chart": "24h", "day": begin}
    return f"?{urlencode(query)}#charts"


def _timeline(step: timedelta, at: datetime) -> str:
    return timeline_window.query(at, at + step)


def _when(column: Column, step: timedelta) -> str:
    return f"{column.at:%Y-%m-%d}" if step == DAY else f"{column.at:%Y-%m-%d %H:%M} UTC"


def _chart(measure: Measure, columns: Sequence[Column], scope: Scope) -> Chart:
    figures = [measure.figures(column.hours) if column.hours else None for column in columns]
    top = max((sum(each.values()) for each in figures if each is not None), default=0)
    bars = [
        Bar(
            n * UNIT,
            _parts(each or {}, max(1, top)),
            f"{_when(column, scope.step)}: {_said(measure, each)}",
            scope.link(column.at),
        )
        for n, (column, each) in enumerate(zip(columns, figures, strict=True))
    ]
    return Chart(measure.title, measure.text(top), bars, len(columns) * UNIT)


def _said(measure: Measure, figures: Mapping[str, int] | None) -> str:
    if figures is None:
        return "not known"
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


def _row(column: Column, scope: Scope) -> Mapping[str, Any]:
    figures = [measure.figures(column.hours) for measure in scope.measures]
    return {
        "when": _when(column, scope.step),
        "link": scope.link(column.at),
        "figures": [
            "not known" if each is None else measure.text(sum(each.values()))
            for measure, each in zip(scope.measures, figures, strict=True)
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
