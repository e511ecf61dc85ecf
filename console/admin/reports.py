"""Reports of the pipeline: the runs, the result of the newest one, and a button for a new run.

The pipeline is a process of its own, which the worker starts (``groups.tasks.analyse``).
"""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from kombu.exceptions import OperationalError
from unfold.decorators import display

from console.admin import report_page
from console.admin.base import RollcallAdmin
from console.admin.report_download import download
from console.people import rights
from console.queries import reports
from groups import tasks
from groups.models import ReportRun


@admin.register(ReportRun)
class ReportRunAdmin(RollcallAdmin):
    """Only the pipeline writes runs."""

    list_empty = (
        "No analysis has run. The schedule starts one, as do make analyze and, for those who may,"
        " a button here; meanwhile SQL answers what rebalances cost."
    )
    list_display = ("run", "outcome", "started_at", "took", "events", "requester", "short")
    list_display_links = ("run",)
    list_filter = ("state",)
    ordering = ("-id",)
    list_before_template = "admin/groups/reportrun/above.html"
    change_form_template = "admin/groups/reportrun/report.html"

    def get_urls(self) -> list[URLPattern]:
        """URLs before that of a run."""
        view = self.admin_site.admin_view
        return [
            path("newest/", view(self.newest_view), name="groups_reportrun_newest"),
            path("now/", view(self.now_view), name="groups_reportrun_now"),
            path(
                "<int:run_id>/download/",
                view(self.download_view),
                name="groups_reportrun_download",
            ),
            path("analyse/", view(self.analyse_view), name="groups_reportrun_analyse"),
            *super().get_urls(),
        ]

    def newest_view(self, request: HttpRequest) -> HttpResponse:
        """Redirect to the newest reports, or to what is known before there are any."""
        run = reports.newest(request.GET.get("report", "")) or reports.newest()
        address = (
            reverse("admin:groups_reportrun_now")
            if run is None
            else reverse("admin:groups_reportrun_change", args=[run.pk])
        )
        query = request.GET.urlencode()
        return redirect(f"{address}?{query}" if query else address)

    def now_view(self, request: HttpRequest) -> HttpResponse:
        """The cost of rebalances by SQL."""
        page = {**report_page.now(request.GET), **self._may(request)}
        context = {**self.admin_site.each_context(request), **page}
        return TemplateResponse(request, self.change_form_template, context)

    def download_view(self, request: HttpRequest, run_id: int) -> HttpResponseBase:
        """All rows of a report, as a file."""
        return download(request, get_object_or_404(ReportRun, pk=run_id))

    def analyse_view(self, request: HttpRequest) -> HttpResponse:
        """Request a run from the worker."""
        running = reports.going_on()
        if running is not None:
            self.message_user(
                request, f"Run {running.pk} is already in progress.", messages.WARNING
            )
        else:
            self._analyse(request)
        return redirect("admin:groups_reportrun_changelist")

    def _analyse(self, request: HttpRequest) -> None:
        try:
            tasks.analyse.delay(requested_by=request.user.get_username())
        except OperationalError as error:
            self.message_user(request, f"The broker cannot be reached: {error}", messages.ERROR)
        else:
            text = "The analysis was requested; its run appears here when it begins."
            self.message_user(request, text, messages.SUCCESS)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The runs, with the button above them."""
        context = {
            "title": "Reports",
            "newest": reports.newest(),
            **self._may(request),
            **(extra_context or {}),
        }
        answer: HttpResponse = super().changelist_view(request, context)
        return answer

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """One report of one run."""
        run = self.get_object(request, object_id)
        page = report_page.context(run, request.GET) if run is not None else {}
        context = {**page, **self._may(request), **(extra_context or {})}
        answer: HttpResponse = super().change_view(request, object_id, form_url, context)
        return answer

    def _may(self, request: HttpRequest) -> dict[str, Any]:
        """What the user may do here, and the run in progress."""
        may_analyse = rights.may(request.user, rights.ANALYSE)
        return {
            "running": reports.going_on() if may_analyse else None,
            "may_analyse": may_analyse,
            "may_decide": rights.may(request.user, rights.DECIDE),
        }

    @admin.display(description="Run", ordering="id")
    def run(self, run: ReportRun) -> str:
        """Its number."""
        return f"#{run.pk}"

    @display(  # type: ignore[untyped-decorator]
        description="State",
        ordering="state",
        label={"succeeded": "success", "failed": "danger", "running": "info"},
    )
    def outcome(self, run: ReportRun) -> str:
        """The result, if the run has ended."""
        return run.state

    @admin.display(description="Took")
    def took(self, run: ReportRun) -> str:
        """From start to end."""
        return report_page.took(run)

    @admin.display(description="Asked by", ordering="requested_by")
    def requester(self, run: ReportRun) -> str:
        """A user, the schedule, or a person at a terminal."""
        return run.requested_by

    @admin.display(description="Detail")
    def short(self, run: ReportRun) -> str:
        """The first line of its message; while it runs, how far it is."""
        if run.state == run.State.RUNNING:
            return f"{run.percent} %, {run.stage}"
        return run.detail.partition("\n")[0][:100]
