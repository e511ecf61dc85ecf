"""The pipeline's runs and reports, for screens and REST.

A report describes itself in its run (its title, keys and figures), so nothing here knows one of
them; ``pipeline.steps.table`` lists them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, NamedTuple, Self

from django.db import connection
from django.db.models import (
    BigIntegerField,
    DateTimeField,
    DecimalField,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from groups.models import ReportRun, RunRow

PERIODS: Final = {"24h": "24 hours", "7d": "7 days", "30d": "30 days", "all": "all"}
"""The periods by which people ask, in words; the pipeline computes them."""

LENGTHS: Final = {"24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30)}
"""Of those that have a length; each has a period before it."""

PERIOD: Final = "7d"
"""What is shown unless somebody asks for another one."""

BEFORE: Final = "-before"
"""The suffix of the period of the same length before one; ``all`` has none."""

NUMBERS: Final = {"bigint": 1, "int": 1, "double": 1_000}
"""The types of Spark that are compared as numbers, and in which parts of one: a page's place is a
whole number."""

NUMERIC: Final = DecimalField(max_digits=24, decimal_places=3)

KEPT: Final = 3
"""So many successful runs have their rows (``pipeline.results.runs.ROWS_KEPT``)."""

FORGOTTEN: Final = 0
"""``rows_of`` of a run whose rows are deleted."""

LEAST: Final = -(1 << 53)
"""What is unknown counts as less than any figure."""

HELD: Final = """
SELECT EXISTS (
    SELECT 1 FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 0 AND objid = %s AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
"""

LOCK: Final = 0x526C61
"""The advisory lock of ``pipeline.results.runs``: no analysis runs unless a session holds it."""


class Column(NamedTuple):
    """A key or figure: its type in Spark, and its meaning in words."""

    name: str
    type: str
    meaning: str

    @property
    def is_number(self) -> bool:
        """Whether its values are compared as numbers."""
        return self.type in NUMBERS


class Chart(NamedTuple):
    """How it is drawn (``pipeline.datasets.dataset.Chart``)."""

    kind: str
    by: str
    colour: str
    figure: str


@dataclass(frozen=True, slots=True)
class Report:
    """A report as its run describes it. ``order``: the column by which it is sorted; ``totals``:
    the figures whose sum over all rows means something."""

    name: str
    title: str
    question: str
    order: str
    keys: Sequence[Column]
    figures: Sequence[Column]
    totals: Sequence[str]
    chart: Chart | None

    @classmethod
    def read(cls, stored: dict[str, Any]) -> Self:
        """From ``ReportRun.reports``."""
        keys, figures = (tuple(Column(**c) for c in stored[name]) for name in ("keys", "figures"))
        chart = Chart(**stored["chart"]) if stored["chart"] else None
        totals = tuple(stored["totals"])
        return cls(**{**stored, "keys": keys, "figures": figures, "totals": totals, "chart": chart})

    def column(self, name: str) -> Column | None:
        """The column of this name."""
        return next((c for c in (*self.keys, *self.figures) if c.name == name), None)


def reports(run: ReportRun) -> list[Report]:
    """The reports that the run has made, in its order."""
    return [Report.read(stored) for stored in run.reports]


def report(run: ReportRun, name: str) -> Report | None:
    """One of them."""
    return next((report for report in reports(run) if report.name == name), None)


def rows(run: ReportRun, report: Report, period: str) -> QuerySet[RunRow]:
    """Its rows for a period, with the answers of that name that belong to no run. A report along
    time has rows of all of it: those of a period are the hours that begin in it."""
    chart, length = report.chart, LENGTHS.get(period.removesuffix(BEFORE))
    if chart is None or chart.kind != "time":
        return RunRow.objects.filter(run=run, report=report.name, period=period)
    found = RunRow.objects.filter(run=run, report=report.name, period="all")
    if length is None or run.as_of is None:
        return found
    hour = Cast(KeyTextTransform(chart.by, "keys"), DateTimeField())
    if period.endswith(BEFORE):
        hours = {"hour__gt": run.as_of - 2 * length, "hour__lte": run.as_of - length}
    else:
        hours = {"hour__gt": run.as_of - length}
    return found.alias(hour=hour).filter(**hours)


def is_forgotten(run: ReportRun) -> bool:
    """Whether its rows are deleted: the newest few runs alone have theirs."""
    return run.rows_of == FORGOTTEN


def value(report: Report, column: Column, unknown: int = LEAST) -> Coalesce:
    """A column of the rows that is never null: to sort by, or to sum up with ``unknown`` 0."""
    text = KeyTextTransform(column.name, "keys" if column in report.keys else "figures")
    if column.is_number:
        number = Cast(Cast(text, NUMERIC) * NUMBERS[column.type], BigIntegerField())
        return Coalesce(number, Value(unknown), output_field=BigIntegerField())
    return Coalesce(Cast(text, TextField()), Value(""), output_field=TextField())


def going_on() -> ReportRun | None:
    """The run in progress, if there is one; one that died without a record is none."""
    run = ReportRun.objects.filter(state=ReportRun.State.RUNNING).order_by("-id").first()
    return run if run is not None and _is_held() else None


def _is_held() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(HELD, [LOCK])
        (held,) = cursor.fetchone()
    return bool(held)


def last() -> ReportRun | None:
    """The last run, whatever became of it."""
    return ReportRun.objects.order_by("-id").first()


def newest(name: str = "") -> ReportRun | None:
    """The newest successful run; or that of those that have made this report: one may make only
    some."""
    return next((run for run in _kept() if not name or report(run, name) is not None), None)


def readable_run(number: int) -> ReportRun | None:
    """The run of this number, if it has its rows."""
    return next((run for run in _kept() if run.pk == number), None)


def readable() -> list[Report]:
    """Every report that can be read: those of the newest run, then what only runs before it have
    made."""
    found: dict[str, Report] = {}
    for run in _kept():
        for each in reports(run):
            found.setdefault(each.name, each)
    return list(found.values())


def _kept() -> QuerySet[ReportRun]:
    """The successful runs that have their rows, the newest first."""
    succeeded = ReportRun.objects.filter(state=ReportRun.State.SUCCEEDED)
    return succeeded.exclude(rows_of=FORGOTTEN).order_by("-id")[:KEPT]
