"""The page of a run: one of its reports for one period, beside the period before.

Every report is shown by what it says of itself (``console.queries.reports``); no report has code or
a template of its own.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from console.admin import advice_cards, chart, time_chart
from console.admin.links import quote
from console.queries import cost_now, journal_text, report_files, reports
from console.queries.report_tables import Row, Stored, Sums, Table
from groups.models import ReportRun

BARS_MAX: Final = 12
ROWS_MAX: Final = 100
"""The groups and rows with the greatest figures that a page shows; REST has all."""

NAMES: Final = {"csv": "CSV", "parquet": "Parquet"}

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
    """The content of the page of a run. At most ten statements."""
    is_forgotten = reports.is_forgotten(run)
    made = [] if is_forgotten else reports.reports(run)
    report = next((each for each in made if each.name == query.get("report")), None)
    report = report or (made[0] if made else None)
    page: dict[str, Any] = {
        "title": report.title if report is not None else "Reports",
        "run": run,
        "took": took(run),
        "newest": None if made else reports.newest(),
        "is_forgotten": is_forgotten,
    }
    if report is None:
        return page
    period = query.get("period", "")
    if period in cost_now.PERIODS and report.name == cost_now.COST.name:
        return {**page, **_now(run, made, period, query)}
    period = period if period in reports.PERIODS else reports.PERIOD
    table = Stored(run, report, period)
    shown = {**_report(made, table, period, query), "files": _files(run, report, period)}
    shown["tabs"] += _others(made)
    if report.chart is not None and report.chart.kind == "cards":
        return {**page, **shown, **advice_cards.context(run, period), "has_cards": True}
    return {**page, **shown, "times": _times(run, made, period)}


def now(query: Mapping[str, str]) -> dict[str, Any]:
    """The same before any run: what SQL can tell."""
    period = query.get("period", "")
    known = {**cost_now.PERIODS, **reports.PERIODS}
    title = {"title": cost_now.COST.title}
    return {**title, **_now(None, [cost_now.COST], period if period in known else "24h", query)}


def _now(
    run: ReportRun | None, made: Sequence[reports.Report], period: str, query: Mapping[str, str]
) -> dict[str, Any]:
    try:
        found = cost_now.cost(period)
    except cost_now.TooLong:
        return {"report": cost_now.COST, "too_long": True}
    return {**_report(made, found.table, period, query), "computed": found, "run": run}


def _report(
    made: Sequence[reports.Report], table: Table, period: str, query: Mapping[str, str]
) -> dict[str, Any]:
    report = table.report
    search, order = query.get("q", ""), query.get("o", "")
    order = order if report.column(order.removeprefix("-")) else f"-{report.order}"

    def link(**over: str) -> str:
        chosen = {"report": report.name, "period": period, "q": search, **over}
        return "?" + urlencode({name: text for name, text in chosen.items() if text})

    rows, count = table.page(search, order, ROWS_MAX)
    return {
        "report": report,
        "tabs": [
            Choice(each.title, link(report=each.name, q=""), each.name == report.name)
            for each in made
        ],
        "periods": [
            Choice(words, link(period=name), name == period)
            for name, words in _periods(report).items()
        ],
        "facts": _facts(table, period),
        "chart": _bars(table),
        "heads": [_head(column, order, link) for column in (*report.keys, *report.figures)],
        "rows": [_cells(row, report) for row in rows],
        "more": max(0, count - ROWS_MAX),
        "search": search,
        "period": period,
    }


def _others(made: Sequence[reports.Report]) -> Sequence[Choice]:
    """What a run of some reports has not made, and others have."""
    address, names = reverse("admin:groups_reportrun_newest"), {each.name for each in made}
    return [
        Choice(each.title, f"{address}?report={each.name}", False)
        for each in reports.readable()
        if each.name not in names
    ]


def _files(run: ReportRun, report: reports.Report, period: str) -> Sequence[Choice]:
    """The downloads of all rows."""
    address = reverse("admin:groups_reportrun_download", args=[run.pk])
    forms = ("csv", "parquet") if report_files.has_parquet() else ("csv",)
    named = {"report": report.name, "period": period}
    return [
        Choice(NAMES[form], f"{address}?{urlencode({**named, 'format': form})}", False)
        for form in forms
    ]


def _periods(report: reports.Report) -> Mapping[str, str]:
    """Those that can be asked for, in words."""
    computed = cost_now.PERIODS if report.name == cost_now.COST.name else {}
    return {**computed, **reports.PERIODS}


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


def _cells(row: Row, report: reports.Report) -> list[Cell]:
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
    return advice_cards.entry(page, value) if name.endswith(ENTRY) else ""


def _facts(table: Table, period: str) -> Sequence[tuple[str, str, str]]:
    """Each total: its name, its value, and that of the period before."""
    if not table.report.totals:
        return []
    now, before = table.sums()
    columns = [column for column in table.report.figures if column.name in table.report.totals]
    return [
        (words(c.name), in_words(c, now.get(c.name, 0)), _compared(c, before, period))
        for c in columns
    ]


def _compared(column: reports.Column, before: Sums | None, period: str) -> str:
    if before is None:
        return ""
    length = {**cost_now.PERIODS, **reports.PERIODS}[period].removeprefix("last ")
    return f"{in_words(column, before.get(column.name, 0))} in the {length} before"


def _bars(table: Table) -> chart.Chart | None:
    """The bars with the greatest sums."""
    if table.report.chart is None or table.report.chart.kind != "bars":
        return None
    return chart.draw(chart.Cost(*bar) for bar in table.bars(BARS_MAX))


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
