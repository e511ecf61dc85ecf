"""The schedule: django-celery-beat's rows in unfold's style, each with its last run.

Solar and clocked schedules are left out: no task depends on the sun or runs only once.
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.timesince import timesince
from django_celery_beat import admin as _theirs  # noqa: F401  (registers what is unregistered here)
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    PeriodicTasks,
    SolarSchedule,
)
from unfold.decorators import display
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from console.admin.base import RollcallAdmin
from console.admin.lists import OwnParameters
from console.queries import journal_text, overview
from groups import tasks

for _model in (PeriodicTask, IntervalSchedule, CrontabSchedule, SolarSchedule, ClockedSchedule):
    admin.site.unregister(_model)

OUTCOME_LENGTH_MAX = 90

CALLS = {
    task.name: (task.__doc__ or "").partition("\n")[0]
    for task in (tasks.session_sweep, tasks.offset_retention, tasks.cleaning, tasks.analyse)
}
"""Functions that can be scheduled: those of ``groups.tasks``, with descriptions."""


class TaskForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """The task and its time. Queues, priorities and arguments are set in the code."""

    class Meta:
        model = PeriodicTask
        fields = (
            "name",
            "task",
            "enabled",
            "interval",
            "crontab",
            "expire_seconds",
            "description",
        )
        widgets = {
            "name": UnfoldAdminTextInputWidget,
            "description": UnfoldAdminTextareaWidget({"rows": 2}),
        }
        labels = {
            "interval": "Interval",
            "crontab": "Crontab",
            "expire_seconds": "Expires after (s)",
        }
        help_texts = {
            "name": "Its last run is found by this name; Rollcall's own tasks must keep theirs.",
            "enabled": "A task that is off does not run, and is never late.",
            "interval": "At a fixed interval. Set an interval or a crontab, not both.",
            "crontab": "At times of the day.",
            "expire_seconds": "A run that no worker has started by then is skipped.",
            "description": "",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(name, f"{name.rpartition('.')[2]}: {does}") for name, does in CALLS.items()]
        present = self.instance.task
        if present and present not in CALLS:
            choices.append((present, present))
        if "task" in self.fields:
            self.fields["task"] = forms.ChoiceField(
                choices=choices, widget=UnfoldAdminSelectWidget, help_text="What runs."
            )


class WithLastRuns(OwnParameters):
    """The page's tasks, each with its last run: one statement for all."""

    def get_results(self, request: HttpRequest) -> None:
        """The usual rows, with ``last`` on each."""
        super().get_results(request)
        last = overview.last_runs()
        for task in self.result_list:
            task.last = last.get(task.name)


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(RollcallAdmin):
    """The scheduled tasks."""

    list_empty = "There is no periodic work: worker and beat write the schedule when they start."
    form = TaskForm
    list_display = ("name", "when", "state", "last_run", "took", "failures", "outcome")
    list_filter = ("enabled",)
    search_fields = ("name", "task")
    ordering = ("name",)
    actions = ("enable", "disable")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[OwnParameters]:
        """Our list."""
        return WithLastRuns

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With their schedules, without Celery's own clean-up of results."""
        found: QuerySet[Any] = super().get_queryset(request)
        return found.exclude(task__startswith="celery.").select_related("interval", "crontab")

    @admin.action(description="Enable selected tasks", permissions=["change"])
    def enable(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Enable the selected tasks."""
        self._switch(request, queryset, "enabled", enabled=True)

    @admin.action(description="Disable selected tasks", permissions=["change"])
    def disable(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Disable the selected tasks; a running one continues to its end."""
        self._switch(request, queryset, "disabled", enabled=False)

    def _switch(
        self, request: HttpRequest, chosen: QuerySet[Any], word: str, **values: bool
    ) -> None:
        # Not through the page's joins: one UPDATE of the selected rows, and one notification of
        # beat.
        ids = list(chosen.values_list("pk", flat=True))
        count = PeriodicTask.objects.filter(pk__in=ids).update(**values)
        PeriodicTasks.update_changed()
        self.message_user(request, f"{count} {'task is' if count == 1 else 'tasks are'} {word}.")

    @admin.display(description="When")
    def when(self, task: Any) -> str:
        """The schedule in words."""
        if task.interval is not None:
            period = task.interval.schedule.run_every.total_seconds()
            return f"every {journal_text.seconds(round(period * 1_000))}"
        return "" if task.crontab is None else str(task.crontab.human_readable)

    @display(  # type: ignore[untyped-decorator]
        description="State",
        label={"ok": "success", "failed": "danger", "late": "warning", "off": "info"},
    )
    def state(self, task: Any) -> str:
        """The result of the last run, and whether the next one is late."""
        if not task.enabled:
            return "off"
        if task.last is not None and task.last.failed:
            return "failed"
        if overview.is_late(task, task.last, timezone.now()):
            return "late"
        if task.last is not None:
            return "ok"
        return "new" if overview.began(task, None) is None else "sent"

    @admin.display(description="Last run")
    def last_run(self, task: Any) -> str:
        """How long ago it started."""
        began = overview.began(task, task.last)
        if began is None:
            return "never"
        age_s = (timezone.now() - began).total_seconds()
        return f"{max(0, round(age_s))} s ago" if age_s < 60 else f"{timesince(began)} ago"

    @admin.display(description="Took")
    def took(self, task: Any) -> str:
        """How long it took."""
        return "" if task.last is None else journal_text.seconds(task.last.took_ms)

    @admin.display(description="Failures")
    def failures(self, task: Any) -> str:
        """All failures that were counted."""
        return "" if task.last is None else f"{task.last.failures:,} of {task.last.runs:,}"

    @admin.display(description="Outcome")
    def outcome(self, task: Any) -> str:
        """What it did, or why it failed."""
        text: str = "" if task.last is None else task.last.outcome
        short = len(text) <= OUTCOME_LENGTH_MAX
        return text if short else text[: OUTCOME_LENGTH_MAX - 1] + "…"


@admin.register(IntervalSchedule)
class IntervalScheduleAdmin(RollcallAdmin):
    """Periods for tasks."""

    list_empty = "There is no interval. Add one to run periodic work by it."
    list_display = ("__str__", "every", "period")
    ordering = ("period", "every")


@admin.register(CrontabSchedule)
class CrontabScheduleAdmin(RollcallAdmin):
    """Times of day for tasks."""

    list_empty = "There is no time of day. Add one to run periodic work at it."
    list_display = ("human_readable", "__str__")
    fields = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week", "timezone")
