"""The rows of a report for a period, wherever they come from: searched, sorted, summed.

``Stored`` are those of a run, in the database; ``Computed`` are in memory
(``console.queries.cost_now``).
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from django.db.models import QuerySet, Sum
from django.db.models.fields.json import KT

from console.queries import reports
from console.queries.reports import BEFORE, Column, Report, value
from console.queries.text_search import any_has_text, has_text
from groups.models import ReportRun, RunRow

Sums = Mapping[str, int]
"""Totals by the figure's name."""


class Row(Protocol):
    """One row of a report."""

    @property
    def keys(self) -> Mapping[str, Any]: ...
    @property
    def figures(self) -> Mapping[str, Any]: ...


class Bar(NamedTuple):
    """A part of a bar: what the bar and its colour stand for, and its length."""

    by: str
    colour: str
    figure: int


class Table(Protocol):
    """The rows of one report for one period."""

    @property
    def report(self) -> Report: ...

    def page(self, search: str, order: str, most: int) -> tuple[Sequence[Row], int]:
        """The first rows in an order (a column, "-" for descending) of those one of whose keys
        contains the text, and how many there are."""

    def sums(self) -> tuple[Sums, Sums | None]:
        """The totals, and those of the period before; None: unknown. One without rows is empty."""

    def bars(self, most: int) -> Sequence[Bar]:
        """The parts of the longest bars."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Of a run. Each method is one statement, or two."""

    run: ReportRun
    report: Report
    period: str

    def page(self, search: str, order: str, most: int) -> tuple[Sequence[Row], int]:
        """See ``Table``."""
        column = _column(self.report, order)
        rows = self._searched(search.strip())
        sign = "-" if order.startswith("-") else ""
        ordered = rows.annotate(sort=value(self.report, column)).order_by(f"{sign}sort", "id")
        return list(ordered[:most]), rows.count()

    def sums(self) -> tuple[Sums, Sums | None]:
        """See ``Table``."""
        periods = (self.period, self.period + BEFORE)
        both = RunRow.objects.filter(
            run=self.run, report=self.report.name, period__in=periods
        ).values("period")
        totals = {
            name: Sum(value(self.report, _column(self.report, name), 0)) for name in self._names
        }
        found: dict[str, Any] = {row["period"]: row for row in both.annotate(**totals).order_by()}
        now, before = (found.get(period, {}) for period in periods)
        return now, before if self.period in reports.LENGTHS else None

    def bars(self, most: int) -> Sequence[Bar]:
        """See ``Table``."""
        chart = self.report.chart
        assert chart is not None
        by = f"keys__{chart.by}"
        rows = self._rows.annotate(drawn=value(self.report, _column(self.report, chart.figure), 0))
        longest = rows.values(by).annotate(total=Sum("drawn")).order_by("-total", by)[:most]
        names = [row[by] for row in longest]
        drawn = rows.filter(**{f"{by}__in": names}).values_list("keys", "drawn")
        return [Bar(keys[chart.by], keys[chart.colour], figure) for keys, figure in drawn]

    @property
    def _rows(self) -> QuerySet[RunRow]:
        return reports.rows(self.run, self.report, self.period)

    @property
    def _names(self) -> Sequence[str]:
        return self.report.totals

    def _searched(self, search: str) -> QuerySet[RunRow]:
        if not search:
            return self._rows
        keys = {f"key_{n}": KT(f"keys__{key.name}") for n, key in enumerate(self.report.keys)}
        return self._rows.alias(**keys).filter(any_has_text(search, *keys))


class ComputedRow(NamedTuple):
    """A row in memory."""

    keys: Mapping[str, Any]
    figures: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Computed:
    """Of rows in memory; ``before``: those of the period before, None if they are not known."""

    report: Report
    rows: Sequence[ComputedRow]
    before: Sequence[ComputedRow] | None

    def page(self, search: str, order: str, most: int) -> tuple[Sequence[Row], int]:
        """See ``Table``."""
        found = [row for row in self.rows if _has(row, search.strip())]
        found.sort(key=_key(self.report, order.removeprefix("-")), reverse=order.startswith("-"))
        return found[:most], len(found)

    def sums(self) -> tuple[Sums, Sums | None]:
        """See ``Table``."""
        return self._summed(self.rows), None if self.before is None else self._summed(self.before)

    def bars(self, most: int) -> Sequence[Bar]:
        """See ``Table``."""
        chart = self.report.chart
        assert chart is not None
        bars: dict[str, list[Bar]] = defaultdict(list)
        for row in self.rows:
            by = row.keys[chart.by]
            bars[by].append(Bar(by, row.keys[chart.colour], row.figures[chart.figure]))
        longest = sorted(bars, key=lambda by: (-sum(bar.figure for bar in bars[by]), by))
        return [bar for by in longest[:most] for bar in bars[by]]

    def _summed(self, rows: Sequence[ComputedRow]) -> Sums:
        return {name: sum(row.figures[name] for row in rows) for name in self.report.totals}


def _column(report: Report, order: str) -> Column:
    column = report.column(order.removeprefix("-"))
    assert column is not None
    return column


def _has(row: ComputedRow, search: str) -> bool:
    return not search or any(has_text(str(key), search) for key in row.keys.values())


def _key(report: Report, name: str) -> Callable[[ComputedRow], Any]:
    """What is unknown counts as least, as in the database."""
    least: int | str = reports.LEAST if _column(report, name).is_number else ""

    def key(row: ComputedRow) -> Any:
        found = {**row.keys, **row.figures}[name]
        return least if found is None else found

    return key
