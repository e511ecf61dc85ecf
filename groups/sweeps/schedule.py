"""The default schedule of Celery's beat, written as django-celery-beat's rows.

Operators change the rows in the admin; a changed row is never touched again, others follow the
settings. ``groups.tasks`` has the tasks, and ``console.tasks``.
"""

import json
from importlib.util import find_spec
from typing import Final, NamedTuple

from django.db import transaction
from django.utils.module_loading import import_string
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from groups.periodic import AnalysisSettings, PeriodicSettings

MS_PER_S = 1_000

ANALYSIS = "analysis"


class Periodic(NamedTuple):
    """A task: its name in the admin, its function, its period and its purpose."""

    name: str
    task: str
    every_ms: int
    meaning: str


OTHERS: Final = list[str]()
"""Functions that other applications add in their ``ready``: each yields their rows."""


def defaults() -> tuple[Periodic, ...]:
    """The default tasks, with the periods in the settings."""
    return (
        Periodic(
            "session sweep",
            "groups.tasks.session_sweep",
            1_000,
            "Probes the owners of overdue members; releases the slots of dead owners.",
        ),
        Periodic(
            "offset retention",
            "groups.tasks.offset_retention",
            PeriodicSettings.from_django().offsets_retention_check_interval_ms,
            "Makes owners delete offsets older than offsets.retention.minutes.",
        ),
        Periodic(
            "clean-up",
            "groups.tasks.cleaning",
            60_000,
            "Deletes old operations, old journal entries and records of former members.",
        ),
        Periodic(
            "ends",
            "groups.tasks.ends",
            5_000,
            "Thaws groups whose freeze has ended; ends acknowledgements of situations that have"
            " ended.",
        ),
        Periodic(
            "hours",
            "groups.tasks.hours",
            60_000,
            "Summarises hours of the offset history, before they are dropped.",
        ),
        *(row for other in OTHERS for row in import_string(other)()),
    )


def ensure() -> None:
    """Create missing rows, and update those that no user has changed."""
    for default in defaults():
        with transaction.atomic():
            _ensure(default)
    with transaction.atomic():
        _ensure_analysis(AnalysisSettings.from_django().analysis_hour)


def _ensure(default: Periodic) -> None:
    interval = _interval(default.every_ms)
    description = f"{default.meaning} (By default every {default.every_ms} ms.)"
    values = {
        "task": default.task,
        "interval": interval,
        "description": description,
        # A run that was not started in time is left to the next one.
        "expire_seconds": max(1, default.every_ms // MS_PER_S),
    }
    row, is_new = PeriodicTask.objects.get_or_create(name=default.name, defaults=values)
    if not is_new and row.description != description and _has_default_period(row):
        for name, value in values.items():
            setattr(row, name, value)
        row.save()


def _ensure_analysis(hour: int) -> None:
    """The analysis at this hour of UTC, unless it is negative or Spark is not installed; a row that
    a user has changed is kept."""
    row = PeriodicTask.objects.filter(name=ANALYSIS).first()
    is_wanted = hour >= 0 and find_spec("pyspark") is not None
    if row is not None and (not _has_default_hour(row) or (is_wanted and _is_at(row, hour))):
        return
    if not is_wanted:
        PeriodicTask.objects.filter(name=ANALYSIS).delete()
        return
    crontab, _ = CrontabSchedule.objects.get_or_create(
        minute="0", hour=str(hour), day_of_week="*", day_of_month="*", month_of_year="*",
        timezone="UTC",
    )  # fmt: skip
    values = {
        "task": "groups.tasks.analyse",
        "crontab": crontab,
        "kwargs": json.dumps({"requested_by": "schedule"}),
        "description": f"Computes the reports of the pipeline. (By default at {hour}:00 UTC.)",
        "expire_seconds": 3_600,
    }
    PeriodicTask.objects.update_or_create(name=ANALYSIS, defaults=values)


def _is_at(row: PeriodicTask, hour: int) -> bool:
    return row.crontab is not None and row.crontab.hour == str(hour)


def _has_default_hour(row: PeriodicTask) -> bool:
    """Whether the row still has the hour in its description."""
    return row.crontab is not None and f"at {row.crontab.hour}:00 UTC" in row.description


def _has_default_period(row: PeriodicTask) -> bool:
    """Whether the row still has the default period in its description."""
    if row.interval is None:
        return False
    period_ms = round(row.interval.schedule.run_every.total_seconds() * MS_PER_S)
    return f"every {period_ms} ms" in row.description


def _interval(every_ms: int) -> IntervalSchedule:
    whole = every_ms % MS_PER_S == 0
    period = IntervalSchedule.SECONDS if whole else IntervalSchedule.MICROSECONDS
    every = every_ms // MS_PER_S if whole else every_ms * MS_PER_S
    return IntervalSchedule.objects.get_or_create(every=every, period=period)[0]
