"""The page of a run: one of its reports for one period, beside the period before.

Every report is shown by what it says of itself (``groups.queries.reports``); no report has code or
a template of its own.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.db.models import Sum
from django.db.models.fields.json import KT
from django.urls import reverse

from groups.admin import chart, time_chart
from groups.admin.links import quote
from groups.models import ReportRow, ReportRun
from groups.queries import journal_text, reports
from groups.queries.text_search import any_has_text

BARS_MAX: Final = 12
ROWS_MAX: Final = 100
"""The groups and rows with the greatest figures that a page shows; REST has all."""

GROUP, CAUSE, ENTRY = "group_id", "trigger", "_journal_id"


class Cell(NamedTuple):
    """A value in words, and where it leads to."""

    text: str
    link: str
    is_number: bool


class Choice(NamedTuple):
    """A link among others."""

    title: str
    link: str
    active: bool


def context(run: ReportRun, query: Mapping[str, str]) -> dict[str, Any]:
    """The content of the page. At most nine statements."""
    made = reports.reports(run)
    report = next((each for each in made if each.name == query.get("report")), None)
    report = report or (made[0] if made else None)
    page: dict[str, Any] = {
        "title": report.title if report is not None else "Reports",
        "run": run,
        "took": took(run),
        "newest": None if run.state == run.State.SUCCEEDED else reports.newest(),
    }
    if report is None:
        return page
    period = query.get("period", "")
    period = period if period in reports.PERIODS else reports.PERIOD
    return {**page, **_report(run, made, report, period, query)}


def _report(
    run: ReportRun,
    made: Sequence[reports.Report],
    report: reports.Report,
    period: str,
    query: Mapping[str, str],
) -> dict[str, Any]:
    search, order = query.get("q", ""), query.get("o", "")
    order = order if report.column(order.removeprefix("-")) else f"-{report.order}"

    def link(**over: str) -> str:
        chosen = {"report": report.name, "period": period, "q": search, **over}
        return "?" + urlencode({name: text for name, text in chosen.items() if text})

    rows = _searched(reports.rows(run, report, _stored(report, period)), report, search)
    count = rows.count()
    return {
        "report": report,
        "tabs": [Choice(each.title, link(report=each.name, q=""), each is report) for each in made],
        "periods": [
            Choice(words, link(period=name), name == period)
            for name, words in reports.PERIODS.items()
        ],
        "facts": _facts(run, report, period),
        "chart": _bars(run, report, period),
        "times": _times(run, made, period),
        "heads": [_head(column, order, link) for column in (*report.keys, *report.figures)],
        "rows": [_cells(row, report) for row in _ordered(rows, report, order)[:ROWS_MAX]],
        "more": max(0, count - ROWS_MAX),
        "search": search,
        "period": period,
    }


def _stored(report: reports.Report, period: str) -> str:
    """The period of the rows: what is drawn along time has all of it."""
    return "all" if report.chart is not None and report.chart.kind == "time" else period


def _searched(rows: Any, report: reports.Report, search: str) -> Any:
    """The rows one of whose keys contains the text."""
    if not search.strip():
        return rows
    keys = {f"key_{n}": KT(f"keys__{key.name}") for n, key in enumerate(report.keys)}
    return rows.alias(**keys).filter(any_has_text(search.strip(), *keys))


def _ordered(rows: Any, report: reports.Report, order: str) -> Any:
    column = report.column(order.removeprefix("-"))
    assert column is not None
    sign = "-" if order.startswith("-") else ""
    return rows.annotate(sort=reports.value(report, column)).order_by(f"{sign}sort", "id")


def _head(column: reports.Column, order: str, link: Any) -> dict[str, Any]:
    is_descending = order == f"-{column.name}"
    return {
        "title": words(column.name),
        "meaning": column.meaning,
        "is_number": column.is_number,
        "link": link(o=column.name if is_descending else f"-{column.name}"),
        "sorted": {column.name: "ascending", f"-{column.name}": "descending"}.get(order, ""),
    }


def words(name: str) -> str:
    """A column's name as a heading: units are with the values."""
    text = name.removesuffix("_ms").removesuffix("_id").replace("_", " ")
    return text[:1].upper() + text[1:]


def _cells(row: ReportRow, report: reports.Report) -> list[Cell]:
    values = {**row.keys, **row.figures}
    return [
        Cell(in_words(c, values.get(c.name)), _link(c.name, values), c.is_number)
        for c in (*report.keys, *report.figures)
    ]


def in_words(column: reports.Column, value: Any) -> str:
    """A value as people read it."""
    match value:
        case None:
            return "-"
        case int() if column.name.endswith("_ms"):
            return journal_text.seconds(value)
        case int() if column.name.endswith(ENTRY):
            return str(value)
        case int():
            return f"{value:,}"
        case _ if column.type == "timestamp":
            return datetime.fromisoformat(value).strftime("%Y-%m-%d %H:%M")
        case _:
            return chart.words(value) if column.name == CAUSE else str(value)


def _link(name: str, values: Mapping[str, Any]) -> str:
    """A group leads to its page, an entry of its journal to that entry."""
    group_id, value = values.get(GROUP), values.get(name)
    if group_id is None or value is None:
        return ""
    page = reverse("admin:groups_group_change", args=[quote(group_id)])
    if name == GROUP:
        return page
    return f"{page}?tab=rebalances&before={value + 1}" if name.endswith(ENTRY) else ""


def _facts(run: ReportRun, report: reports.Report, period: str) -> list[tuple[str, str, str]]:
    """Each total: its name, its value, and that of the period before. One statement."""
    if not report.totals:
        return []
    columns = [column for column in report.figures if column.name in report.totals]
    both = ReportRow.objects.filter(
        run=run, report=report.name, period__in=(period, period + reports.BEFORE)
    )
    sums = {column.name: Sum(reports.value(report, column)) for column in columns}
    found: dict[str, Any] = {
        row["period"]: row for row in both.values("period").annotate(**sums).order_by()
    }
    none = dict.fromkeys(sums, 0)
    now, before = (found.get(name, none) for name in (period, period + reports.BEFORE))
    return [
        (words(c.name), in_words(c, now[c.name]), _compared(c, before[c.name], period))
        for c in columns
    ]


def _compared(column: reports.Column, before: Any, period: str) -> str:
    if period == "all":
        return ""
    return f"{in_words(column, before)} in the {reports.PERIODS[period]} before"


def _bars(run: ReportRun, report: reports.Report, period: str) -> chart.Chart | None:
    """The bars with the greatest sums. Two statements."""
    if report.chart is None or report.chart.kind != "bars":
        return None
    column = report.column(report.chart.figure)
    assert column is not None
    rows = reports.rows(run, report, period).annotate(drawn=reports.value(report, column))
    by = f"keys__{report.chart.by}"
    totals = rows.values(by).annotate(total=Sum("drawn")).order_by("-total", by)[:BARS_MAX]
    names = [row[by] for row in totals]
    drawn = rows.filter(**{f"{by}__in": names}).values_list("keys", "drawn")
    colour = report.chart.colour
    return chart.draw(chart.Cost(keys[report.chart.by], keys[colour], ms) for keys, ms in drawn)


def _times(run: ReportRun, made: Sequence[reports.Report], period: str) -> time_chart.Chart | None:
    """The first report along time, in this period. One statement."""
    report = next((r for r in made if r.chart is not None and r.chart.kind == "time"), None)
    if report is None or report.chart is None or run.as_of is None:
        return None
    rows = reports.rows(run, report, "all").values_list("keys", "figures")
    values = [
        time_chart.Value(
            datetime.fromisoformat(keys[report.chart.by]),
            keys[report.chart.colour],
            figures[report.chart.figure],
        )
        for keys, figures in rows
    ]
    return time_chart.draw(values, run.as_of, time_chart.SPANS[period])


def took(run: ReportRun) -> str:
    """The duration in words; "" for a run that has not ended."""
    if run.finished_at is None:
        return ""
    return journal_text.seconds(
        round((run.finished_at - run.started_at) / timedelta(milliseconds=1))
    )
