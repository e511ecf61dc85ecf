"""Reports of the pipeline: the runs, the result of the newest one, and a button for a new run.

The pipeline is a process of its own, which the worker starts (``groups.tasks.analyse``).
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from django.contrib import admin, messages
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from kombu.exceptions import OperationalError
from unfold.decorators import display

from groups import tasks
from groups.access import rights
from groups.admin import chart
from groups.admin.base import RollcallAdmin
from groups.models import RebalanceCost, ReportRun
from groups.queries import journal_text, reports

BARS_MAX: Final = 12
ROWS_MAX: Final = 100
"""The groups and rows with the highest cost that a page shows; REST has all."""


def costliest(run: ReportRun) -> Sequence[chart.Cost]:
    """The rows of the groups with the longest time without owners. Two statements."""
    totals = run.costs.values("group_id").annotate(total=Sum("without_owner_ms"))
    ids = [row["group_id"] for row in totals.order_by("-total", "group_id")[:BARS_MAX]]
    rows = run.costs.filter(group_id__in=ids)
    return [chart.Cost(row.group_id, row.trigger, row.without_owner_ms) for row in rows]


@admin.register(ReportRun)
class ReportRunAdmin(RollcallAdmin):
    """Only the pipeline writes runs."""

    list_display = ("run", "outcome", "started_at", "took", "events", "requester", "short")
    list_display_links = ("run",)
    list_filter = ("state",)
    ordering = ("-id",)
    list_before_template = "admin/groups/reportrun/above.html"
    change_form_template = "admin/groups/reportrun/report.html"

    def get_urls(self) -> list[URLPattern]:
        """Two URLs before that of a run."""
        view = self.admin_site.admin_view
        return [
            path("newest/", view(self.newest_view), name="groups_reportrun_newest"),
            path("analyse/", view(self.analyse_view), name="groups_reportrun_analyse"),
            *super().get_urls(),
        ]

    def newest_view(self, request: HttpRequest) -> HttpResponse:
        """Redirect to the newest report."""
        run = reports.newest()
        if run is None:
            return redirect("admin:groups_reportrun_changelist")
        return redirect("admin:groups_reportrun_change", run.pk)

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
            "running": reports.going_on(),
            "may_analyse": rights.may(request.user, rights.ANALYSE),
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
        """The report of one run."""
        run = self.get_object(request, object_id)
        context = {**self.report(run), **(extra_context or {})} if run is not None else {}
        answer: HttpResponse = super().change_view(request, object_id, form_url, context)
        return answer

    def report(self, run: ReportRun) -> dict[str, Any]:
        """The content of a run's page. Five statements, six without a report."""
        rows = run.costs.order_by("-without_owner_ms", "group_id", "trigger")[:ROWS_MAX]
        count = run.costs.count()
        sums = run.costs.aggregate(
            rebalances=Sum("rebalances"),
            without=Sum("without_owner_ms"),
            unknown=Sum("unknown_rebalances"),
            moved=Sum("partitions_moved"),
        )
        return {
            "title": "Rebalances and their cost",
            "run": run,
            "newest": None if run.state == run.State.SUCCEEDED else reports.newest(),
            "chart": chart.draw(costliest(run)),
            "rows": [_row(row) for row in rows],
            "more": max(0, count - ROWS_MAX),
            "facts": [
                ("Rebalances", f"{sums['rebalances'] or 0:,}"),
                ("Time without owner", without_owner(sums["without"] or 0, sums["unknown"] or 0)),
                ("Partitions moved", f"{sums['moved'] or 0:,}"),
                ("Journal entries read", f"{run.events or 0:,}"),
            ],
            "took": took(run),
        }

    @admin.display(description="Run", ordering="id")
    def run(self, run: ReportRun) -> str:
        """Its number."""
        return f"{run.kind} #{run.pk}"

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
        return took(run)

    @admin.display(description="Asked by", ordering="requested_by")
    def requester(self, run: ReportRun) -> str:
        """A user, or the schedule."""
        return run.requested_by or "schedule"

    @admin.display(description="Detail")
    def short(self, run: ReportRun) -> str:
        """The first line of its message."""
        return run.detail.partition("\n")[0][:100]


def took(run: ReportRun) -> str:
    """The duration in words; "" for a run that has not ended."""
    if run.finished_at is None:
        return ""
    return journal_text.seconds(
        round((run.finished_at - run.started_at) / timedelta(milliseconds=1))
    )


def without_owner(milliseconds: int, unknown_rebalances: int) -> str:
    """The time in words. If the journal does not have the time without owners of each rebalance, it
    is the maximum."""
    time = journal_text.seconds(milliseconds)
    return f"at most {time}" if milliseconds and unknown_rebalances else time


def _row(cost: RebalanceCost) -> dict[str, Any]:
    """One row of the table, in words."""
    return {
        "group_id": cost.group_id,
        "trigger": chart.words(cost.trigger),
        "rebalances": cost.rebalances,
        "without": without_owner(cost.without_owner_ms, cost.unknown_rebalances),
        "longest": journal_text.seconds(cost.longest_ms),
        "waited": journal_text.seconds(cost.waited_ms),
        "slowest": cost.slowest_member or "",
        "moved": cost.partitions_moved,
    }
