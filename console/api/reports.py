"""The pipeline's reports: what each answers, its rows, its runs, and a new run."""

from functools import partial
from http import HTTPStatus
from typing import Any, Final

from django.http import Http404
from django.utils.cache import patch_vary_headers
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.fields import INT32_MAX
from console.api.inputs import described
from console.api.pages import SIZE
from console.api.problems import Problem
from console.api.renderers import CsvRenderer, LinesRenderer, ParquetRenderer
from console.api.schema import DRY_RUN, ID, NAME, PAGE, page_of, tried
from console.api.views import View, actor
from console.queries import cost_now, report_files, reports
from groups import tasks
from groups.models import ReportRun, RunRow

TOO_LONG: Final = "The journal took too long to read; a run of the pipeline reads all of it."
WOULD_START: Final = "An analysis would be requested."

REPORT: Final = OpenApiParameter("report", ID, OpenApiParameter.PATH)
PERIOD: Final = OpenApiParameter(
    "period",
    str,
    enum=[
        *cost_now.PERIODS,
        *(name + suffix for name in reports.PERIODS for suffix in ("", reports.BEFORE)),
    ][:-1],
    description="The time before the run, or the time before that; by default all of it. `1h`: the"
    " last hour, of the report `cost` alone.",
)
RUN: Final = OpenApiParameter(
    "run",
    {"type": "integer", "minimum": 1, "maximum": INT32_MAX},
    description="The run to read, one of those that have their rows; by default the newest that has"
    " made the report. `next` names it, so that all pages are of one run.",
)
ORDERING: Final = OpenApiParameter(
    "ordering",
    ID,
    description="A key or figure to sort by; with `-`: in descending order. By default the"
    " report's own figure, the greatest first.",
)


def _no_report() -> str:
    """Why there is none, and what to do."""
    last = reports.last()
    failed = last if last is not None and last.state == last.State.FAILED else None
    why = f" Run {failed.pk} failed: {failed.detail}" if failed is not None else ""
    return (
        f"There is no report yet: create them with POST to /api/v1/reports, or `make analyze`.{why}"
    )


class Reports(View):
    """What can be read, and a new run."""

    @described(operation_id="list_reports", responses=OpenApiResponse(shapes.Reports))
    def get(self, request: Request) -> Response:
        """List what can be read: the reports of the newest successful run, and those that only runs
        before it have made; and show the run in progress. Before the first run: the one that SQL
        computes."""
        run, running = reports.newest(), reports.going_on()
        made = reports.readable() if run is not None else [cost_now.COST]
        return Response(shapes.Reports({"run": run, "running": running, "data": made}).data)

    @described(
        operation_id="start_reports",
        parameters=[DRY_RUN],
        request=None,
        responses={202: OpenApiResponse(shapes.Analysis), **tried(shapes.Analysis)},
    )
    def post(self, request: Request) -> Response:
        """Start the pipeline in a separate process, unless one is in progress."""
        if reports.going_on() is not None:
            raise Problem(HTTPStatus.CONFLICT, "in_progress", "An analysis is already in progress.")
        if self.is_dry:
            return self.tried(lambda: shapes.Analysis({"detail": WOULD_START}).data)
        tasks.analyse.delay(requested_by=actor(request))
        detail = "The analysis was requested; a worker starts it."
        body = shapes.Analysis({"detail": detail}).data
        return Response(body, HTTPStatus.ACCEPTED, headers={"Location": request.path})


class Runs(View):
    """Every run that is kept."""

    @described(operation_id="list_report_runs", parameters=PAGE, responses=page_of(shapes.RunView))
    def get(self, request: Request) -> Response:
        """List runs, newest first, with their duration, what they read, and why one failed."""
        return self.paged(request, ReportRun.objects.all(), ["-id"], shapes.RunView)


class OneReport(View):
    """The rows of a report."""

    report: reports.Report | None = None

    @described(
        operation_id="get_report",
        parameters=[REPORT, PERIOD, OpenApiParameter("group_id", NAME), RUN, ORDERING, *PAGE],
        responses=OpenApiResponse(shapes.ReportRowPage),
    )
    def get(self, request: Request, report: str) -> Response:
        """Show a report of a run, by default of the newest successful one that has made it: the run
        and the rows, each with the report's keys and figures. Before the first run, and for the
        last hour, `cost` is computed by SQL from the newest entries of the journal: then `run` is
        null, `computed` says from which, and there is one page."""
        run = self._run(report)
        period = self.query.get("period", "all")
        if report == cost_now.COST.name and (run is None or period in cost_now.PERIODS):
            return self._computed(period)
        if run is None:
            raise Http404(_no_report())
        self.report = reports.report(run, report)
        if self.report is None:
            made = ", ".join(each.name for each in reports.readable())
            raise Http404(f"There is no report {report}: {made}.")
        if period in cost_now.PERIODS:
            detail = f"Only the report cost is computed for the period {period}."
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid", detail)
        rows = reports.rows(run, self.report, period)
        if "group_id" in self.query:
            rows = rows.filter(keys__group_id=self.query["group_id"])
        column = self._sorted_by(self.report)
        rows = rows.annotate(sort=reports.value(self.report, column))
        beside = {"run": shapes.RunView(run).data, "computed": None}
        flat = partial(_flat, period)
        request._request.GET = _of_run(request.query_params, run)  # of which the links are made
        return self.paged(request, rows, ["-sort", "id"], flat, {column.name: "sort"}, **beside)

    def _run(self, report: str) -> ReportRun | None:
        """The run that the request names, or the newest. Raises 404."""
        if "run" not in self.query:
            return reports.newest(report) or reports.newest()
        run = reports.readable_run(self.query["run"])
        if run is None:
            detail = f"Run {self.query['run']} has no rows: the newest {reports.KEPT} have theirs."
            raise Http404(detail)
        return run

    def _computed(self, period: str) -> Response:
        """What SQL can tell now."""
        self.report = cost_now.COST
        order = self.query.get("ordering", f"-{self.report.order}")
        self._sorted_by(self.report)
        try:
            found = cost_now.cost(period.removesuffix(reports.BEFORE), self.query.get("group_id"))
        except cost_now.TooLong:
            raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", TOO_LONG) from None
        table = found.before if period.endswith(reports.BEFORE) else found.table
        rows, count = table.page("", order, self.query.get("page_size", SIZE))
        data = [{"period": period, **row.keys, **row.figures} for row in rows]
        computed = shapes.Computed({**_told(found), "rows": count}).data
        ends = {"next": None, "previous": None}
        return Response({"data": data, **ends, "run": None, "computed": computed})

    def _sorted_by(self, report: reports.Report) -> reports.Column:
        """The column that the request names, or the report's own."""
        column = report.column(self.query.get("ordering", report.order).removeprefix("-"))
        if column is None:
            names = ", ".join(c.name for c in (*report.keys, *report.figures))
            detail = f"The report is sorted by one of its columns: {names}."
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid", detail)
        return column

    def get_renderers(self) -> list[Any]:
        """A list's: JSON, CSV, lines; and Parquet, where pyarrow is there."""
        more = [ParquetRenderer()] if report_files.has_parquet() else []
        return [JSONRenderer(), CsvRenderer(), LinesRenderer(), *more]

    def columns(self) -> list[str]:
        """Those of the report."""
        if self.report is None:
            return []
        return ["period", *(c.name for c in (*self.report.keys, *self.report.figures))]

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Caches keep each format apart."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(answer, ["Accept"])
        return answer


def _told(found: cost_now.CostNow) -> dict[str, Any]:
    names = ("at", "entries", "since", "is_cut")
    return {name: getattr(found, name) for name in names}


def _of_run(parameters: Any, run: ReportRun) -> Any:
    """The parameters of a request, with this run."""
    named = parameters.copy()
    named["run"] = str(run.pk)
    return named


def _flat(period: str, page: list[RunRow]) -> list[dict[str, Any]]:
    return [{"period": period, **row.keys, **row.figures} for row in page]
