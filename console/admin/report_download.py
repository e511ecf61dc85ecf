"""All rows of a report for a period, as a file."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from console.queries import report_files, reports
from groups.models import ReportRun

READ_AT_ONCE: Final = 2_000


def download(request: HttpRequest, run: ReportRun) -> HttpResponseBase:
    """The file of ``?report=``, ``?period=`` and ``?format=`` (csv or parquet)."""
    if reports.is_forgotten(run):
        return _refused("The rows of this run are deleted.", HTTPStatus.GONE)
    report = reports.report(run, request.GET.get("report", ""))
    period, form = request.GET.get("period", "all"), request.GET.get("format", "csv")
    if report is None or period not in reports.PERIODS or form not in ("csv", "parquet"):
        return _refused("There is no such report, period or format.", HTTPStatus.NOT_FOUND)
    rows = _rows(run, report, period)
    try:
        answer = _csv(report, rows) if form == "csv" else _parquet(report, rows)
    except report_files.NoParquet as lacking:
        return _refused(str(lacking), HTTPStatus.NOT_IMPLEMENTED)
    name = f"{report.name}-{run.pk}-{period}.{form}"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _csv(report: reports.Report, rows: Iterator[report_files.Values]) -> HttpResponseBase:
    lines = report_files.csv_lines(report, rows)
    return StreamingHttpResponse(lines, content_type=f"{report_files.CSV}; charset=utf-8")


def _parquet(report: reports.Report, rows: Iterator[report_files.Values]) -> HttpResponseBase:
    return HttpResponse(report_files.parquet(report, rows), content_type=report_files.PARQUET)


def _rows(run: ReportRun, report: reports.Report, period: str) -> Iterator[dict[str, Any]]:
    """In the order of the keys as they are stored."""
    stored = reports.rows(run, report, period).order_by("id")
    for row in stored.iterator(chunk_size=READ_AT_ONCE):
        yield {"period": period, **row.keys, **row.figures}


def _refused(text: str, status: HTTPStatus) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
