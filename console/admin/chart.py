"""Bars for a report: how long groups had partitions without an owner, and why.

Computes positions from rows; the template writes the SVG.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from console.queries import journal_text
from console.queries.tones import trigger_class

BAR_HEIGHT: Final = 18
ROW_HEIGHT: Final = 30
LABEL_WIDTH: Final = 220
WIDTH: Final = 960
TOTAL_WIDTH: Final = 90
AXIS_HEIGHT: Final = 26
TICKS_MAX: Final = 6
LABEL_LENGTH_MAX: Final = 30
STEPS_MS: Final = tuple(
    1_000 * step
    for step in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 18_000, 36_000)
)
"""Distances between marks on the axis."""


class Cost(NamedTuple):
    """The values of one row of the report."""

    group_id: str
    trigger: str
    without_owner_ms: int


class Part(NamedTuple):
    """One coloured part of a bar."""

    x: float
    width: float
    colour: str
    title: str


class Bar(NamedTuple):
    """One group: its parts, and the positions of its labels."""

    y: int
    middle: int
    group_id: str
    label: str
    total: str
    end: float
    parts: Sequence[Part]


class Tick(NamedTuple):
    """A mark on the axis."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """The whole chart; lengths are in its own units."""

    width: int
    height: int
    bars: Sequence[Bar]
    ticks: Sequence[Tick]
    legend: Sequence[tuple[str, str]]
    label_x: int = LABEL_WIDTH - 10
    bar_height: int = BAR_HEIGHT

    @property
    def floor(self) -> int:
        """The end of the bars and position of the axis."""
        return self.height - AXIS_HEIGHT


def draw(costs: Iterable[Cost]) -> Chart | None:
    """One bar for each group, the longest first; None if no group had partitions without an
    owner."""
    groups: dict[str, dict[str, int]] = {}
    for cost in costs:
        if cost.without_owner_ms > 0:
            parts = groups.setdefault(cost.group_id, {})
            parts[cost.trigger] = parts.get(cost.trigger, 0) + cost.without_owner_ms
    if not groups:
        return None
    order = sorted(groups, key=lambda group_id: (-sum(groups[group_id].values()), group_id))
    longest = sum(groups[order[0]].values())
    colours = colours_of(groups.values())
    scale = (WIDTH - LABEL_WIDTH - TOTAL_WIDTH) / longest
    return Chart(
        width=WIDTH,
        height=len(order) * ROW_HEIGHT + AXIS_HEIGHT,
        bars=[_bar(row, name, groups[name], colours, scale) for row, name in enumerate(order)],
        ticks=_ticks(longest, scale),
        legend=[(colour, words(trigger)) for trigger, colour in colours.items()],
    )


def words(trigger: str) -> str:
    """A trigger's name in the legend."""
    return trigger.replace("-", " ") or "unknown"


def colours_of(groups: Iterable[Mapping[str, int]]) -> dict[str, str]:
    """Each trigger's class, the one with the highest cost first."""
    totals: dict[str, int] = {}
    for parts in groups:
        for trigger, milliseconds in parts.items():
            totals[trigger] = totals.get(trigger, 0) + milliseconds
    order = sorted(totals, key=lambda trigger: (-totals[trigger], trigger))
    return {trigger: trigger_class(trigger) for trigger in order}


def _bar(
    row: int, group_id: str, costs: Mapping[str, int], colours: Mapping[str, str], scale: float
) -> Bar:
    parts, x = [], float(LABEL_WIDTH)
    for trigger, colour in colours.items():
        if trigger in costs:
            width = costs[trigger] * scale
            title = f"{group_id}: {journal_text.seconds(costs[trigger])}, {words(trigger)}"
            parts.append(Part(round(x, 1), max(1.0, round(width, 1)), colour, title))
            x += width
    top = row * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) // 2
    return Bar(
        y=top,
        middle=top + BAR_HEIGHT // 2,
        group_id=group_id,
        label=shortened(group_id),
        total=journal_text.seconds(sum(costs.values())),
        end=round(x + 8, 1),
        parts=parts,
    )


def shortened(text: str) -> str:
    """A name that fits beside its bar: beginning and end say more than the middle."""
    if len(text) <= LABEL_LENGTH_MAX:
        return text
    half = (LABEL_LENGTH_MAX - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _ticks(longest: int, scale: float) -> Sequence[Tick]:
    step = next((s for s in STEPS_MS if longest / s <= TICKS_MAX), longest)
    marks = range(0, longest + 1, step)
    labels = (
        "0" if mark == 0 else journal_text.seconds(mark).replace(".0 s", " s") for mark in marks
    )
    return [
        Tick(round(LABEL_WIDTH + mark * scale, 1), label)
        for mark, label in zip(marks, labels, strict=True)
    ]
