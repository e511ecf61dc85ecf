"""The charts of the Nodes page: the last 24 hours of each node, in columns of half an hour.

Computes positions and texts; the template writes the SVG, and the same as a table.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any, Final, NamedTuple

from console.admin.fleet_charts import HEIGHT, PLAIN, UNIT, Bar, Chart, Part
from console.queries import node_minutes
from console.queries.node_minutes import NodeTime

LENGTH: Final = timedelta(hours=24)
STEP: Final = timedelta(minutes=30)
MOST: Final = 16
"""Nodes with charts: those of 64 were 2 MB, and took a second."""


class Measure(NamedTuple):
    """What a chart shows of a node's time, and in words."""

    title: str
    figure: Callable[[NodeTime], float]
    text: Callable[[float], str]


MEASURES: Final = (
    Measure("Heartbeats", lambda time: time.heartbeats, lambda n: f"{n:,.1f} a second"),
    Measure("Commits", lambda time: time.commits, lambda n: f"{n:,.1f} a second"),
    Measure("Delay of its loop", lambda time: time.lag_ms, lambda n: f"{n:,.0f} ms"),
    Measure("Slots", lambda time: time.slots, lambda n: f"{n:.0f}"),
)


def context(now: datetime) -> Mapping[str, Any]:
    """The charts of the nodes that wrote anything; of many those whose loops had the longest
    delays. One statement."""
    since = _floor(now) + STEP - LENGTH
    times = node_minutes.read(since, STEP)
    nodes = [list(found) for _, found in groupby(times, lambda time: time.node_id)]
    worst = sorted(nodes, key=lambda times: -max(time.lag_ms for time in times))[:MOST]
    shown = sorted(worst, key=lambda times: times[0].node_id)
    return {
        "node_charts": [(times[0].node_id, _charts(times, since)) for times in shown],
        "node_rows": [_row(time) for times in shown for time in reversed(times)],
        "of_nodes": len(nodes) if len(nodes) > MOST else 0,
    }


def _floor(at: datetime) -> datetime:
    zero = datetime(1970, 1, 1, tzinfo=UTC)
    return zero + (at - zero) // STEP * STEP


def _charts(times: Sequence[NodeTime], since: datetime) -> Sequence[Chart]:
    return [_chart(measure, times, since) for measure in MEASURES]


def _chart(measure: Measure, times: Sequence[NodeTime], since: datetime) -> Chart:
    top = max(map(measure.figure, times))
    bars = [
        _bar(measure, time, top, (time.at - since) // STEP) for time in times if time.at >= since
    ]
    return Chart(measure.title, measure.text(top), bars, LENGTH // STEP * UNIT)


def _bar(measure: Measure, time: NodeTime, top: float, place: int) -> Bar:
    height = round((HEIGHT - 2) * measure.figure(time) / top, 1) if top else 0.0
    title = f"{_when(time)}: {measure.text(measure.figure(time))}"
    return Bar(place * UNIT, [Part(HEIGHT - height, height, PLAIN)], title, "")


def _when(time: NodeTime) -> str:
    return f"{time.at:%Y-%m-%d %H:%M} UTC"


def _row(time: NodeTime) -> Sequence[str]:
    told = [measure.text(measure.figure(time)) for measure in MEASURES]
    return [_when(time), f"node {time.node_id}", *told]
