"""Bars for a report: how long groups had partitions without an owner, and why.

Computes shares; the template writes the bars.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from console.queries import journal_text
from console.queries.tones import trigger_class

PERCENT: Final = 100


class Cost(NamedTuple):
    """The values of one row of the report."""

    group_id: str
    trigger: str
    without_owner_ms: int


class Part(NamedTuple):
    """One coloured part of a bar, in milliseconds."""

    ms: int
    colour: str
    title: str


class Bar(NamedTuple):
    """One group: its parts, and its length in per cent of the longest."""

    group_id: str
    total: str
    percent: float
    parts: Sequence[Part]


class Chart(NamedTuple):
    """The whole chart, with the colours of its triggers and their names."""

    bars: Sequence[Bar]
    legend: Sequence[tuple[str, str]]


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
    return Chart(
        bars=[_bar(name, groups[name], colours, longest) for name in order],
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


def _bar(group_id: str, costs: Mapping[str, int], colours: Mapping[str, str], longest: int) -> Bar:
    total = sum(costs.values())
    parts = [
        Part(costs[trigger], colour, _title(costs[trigger], trigger))
        for trigger, colour in colours.items()
        if trigger in costs
    ]
    percent = round(PERCENT * total / longest, 2)
    return Bar(group_id, journal_text.seconds(total), percent, parts)


def _title(ms: int, trigger: str) -> str:
    return f"{journal_text.seconds(ms)}, {words(trigger)}"
