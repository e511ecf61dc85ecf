"""Columns along time, coloured by cause.

Computes positions from values; the template writes the SVG.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from console.admin import chart
from console.queries import journal_text

WIDTH: Final = 960
HEIGHT: Final = 180
AXIS: Final = 24
LEFT: Final = 70
GAP: Final = 0.15
"""Between two columns, as a part of one."""

LINE: Final = 2
"""The height of a mark for the period before."""

TICKS: Final = 8

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Span(NamedTuple):
    """So much time, in columns of such a width."""

    length: timedelta
    step: timedelta


SPANS: Final[Mapping[str, Span]] = {
    "24h": Span(DAY, HOUR),
    "7d": Span(7 * DAY, 3 * HOUR),
    "30d": Span(30 * DAY, DAY),
    "all": Span(90 * DAY, DAY),
}
"""By period; of all time the newest three months are drawn."""


class Value(NamedTuple):
    """A figure of an hour, by cause."""

    at: datetime
    colour: str
    figure: int


class Part(NamedTuple):
    """One coloured part of a column."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    title: str


class Mark(NamedTuple):
    """A mark on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """The whole chart; lengths are in its own units. ``before``: a mark in each column, at what it
    was in the period before."""

    parts: Sequence[Part]
    times: Sequence[Mark]
    levels: Sequence[Mark]
    legend: Sequence[tuple[str, str]]
    before: Sequence[Part]
    width: int = WIDTH
    height: int = HEIGHT + AXIS
    floor: int = HEIGHT
    left: int = LEFT


def draw(values: Sequence[Value], end: datetime, span: Span) -> Chart | None:
    """The columns until ``end``, beside the same ones before; None if all are empty."""
    last = _floor(end, span.step)
    count = span.length // span.step
    first = last - (count - 1) * span.step
    columns = _columns(values, first, count, span.step)
    if not columns:
        return None
    before = {
        place: sum(parts.values())
        for place, parts in _columns(values, first - span.length, count, span.step).items()
    }
    colours = chart.colours_of(columns.values())
    top = max([*(sum(parts.values()) for parts in columns.values()), *before.values()])
    width = (WIDTH - LEFT) / count
    parts = [
        part
        for place, figures in sorted(columns.items())
        for part in _column(first + place * span.step, place * width, width, figures, colours, top)
    ]
    return Chart(
        parts=parts,
        times=_times(first, count, span.step, width),
        levels=[Mark(HEIGHT, "0"), Mark(12, journal_text.seconds(top))],
        legend=[(colour, chart.words(cause)) for cause, colour in colours.items()],
        before=[
            _before(first - span.length + place * span.step, place * width, width, figure, top)
            for place, figure in sorted(before.items())
        ],
    )


def _columns(
    values: Sequence[Value], first: datetime, count: int, step: timedelta
) -> dict[int, dict[str, int]]:
    """The figures by cause, of each column that has any."""
    columns: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for value in values:
        place = (_floor(value.at, step) - first) // step
        if 0 <= place < count and value.figure > 0:
            columns[place][value.colour] += value.figure
    return columns


def _before(at: datetime, x: float, width: float, figure: int, top: int) -> Part:
    return Part(
        round(LEFT + x, 1),
        round(HEIGHT - figure * (HEIGHT - 12) / top, 1),
        round(width, 1),
        LINE,
        "",
        f"{at:%Y-%m-%d %H:%M}: {journal_text.seconds(figure)}",
    )


def _floor(at: datetime, step: timedelta) -> datetime:
    """The beginning of its column: days and hours of UTC."""
    zero = datetime(1970, 1, 1, tzinfo=UTC)
    return zero + ((at - zero) // step) * step


def _column(
    at: datetime,
    x: float,
    width: float,
    figures: Mapping[str, int],
    colours: Mapping[str, str],
    top: int,
) -> Sequence[Part]:
    parts, y = [], float(HEIGHT)
    for cause, colour in colours.items():
        if figures.get(cause):
            height = max(1.0, figures[cause] * (HEIGHT - 12) / top)
            y -= height
            title = f"{at:%Y-%m-%d %H:%M}: {journal_text.seconds(figures[cause])}, "
            parts.append(
                Part(
                    round(LEFT + x + width * GAP / 2, 1),
                    round(y, 1),
                    round(width * (1 - GAP), 1),
                    round(height, 1),
                    colour,
                    title + chart.words(cause),
                )
            )
    return parts


def _times(first: datetime, count: int, step: timedelta, width: float) -> Sequence[Mark]:
    """Marks of hours, or of days where these begin."""
    are_hours = step * count <= DAY
    form, columns = ("%H:%M", 1) if are_hours else ("%m-%d", max(1, DAY // step))
    begin = 0 if are_hours else (_floor(first, DAY) - first) // step % columns
    every = columns * max(1, count // columns // TICKS)
    return [
        Mark(round(LEFT + place * width, 1), (first + place * step).strftime(form))
        for place in range(begin, count, every)
    ]
