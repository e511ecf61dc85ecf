"""The schedule: defaults that follow the settings, until they are changed."""

import json
from typing import Any

import pytest
from django.db import connection
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from coordinator_site.celery import app
from groups import tasks
from groups.models import Sweep
from groups.sweeps import schedule

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _prepared() -> None:
    """These tests need no node."""


def test_the_defaults_are_created_once(settings: Any) -> None:
    schedule.ensure()
    schedule.ensure()

    names = PeriodicTask.objects.filter(task__startswith="groups.").values_list("name", flat=True)
    assert sorted(names) == [
        *("analysis", "clean-up", "ends", "hours", "offset retention", "session sweep", "webhooks")
    ]
    sweep = PeriodicTask.objects.get(name="session sweep")
    assert (sweep.interval.every, sweep.interval.period, sweep.expire_seconds) == (1, "seconds", 1)


def test_an_unchanged_period_follows_the_setting(settings: Any) -> None:
    schedule.ensure()
    settings.OFFSETS_RETENTION_CHECK_INTERVAL_MS = 250
    schedule.ensure()

    period = PeriodicTask.objects.get(name="offset retention").interval
    assert (period.every, period.period) == (250_000, "microseconds")


def test_a_changed_period_is_kept(settings: Any) -> None:
    schedule.ensure()
    task = PeriodicTask.objects.get(name="offset retention")
    task.interval = IntervalSchedule.objects.create(every=2, period="hours")
    task.save()
    settings.OFFSETS_RETENTION_CHECK_INTERVAL_MS = 250
    schedule.ensure()

    assert PeriodicTask.objects.get(name="offset retention").interval.period == "hours"


def test_reports_are_computed_each_night_unless_switched_off(settings: Any) -> None:
    schedule.ensure()
    task = PeriodicTask.objects.get(name="analysis")
    assert (task.crontab.hour, task.crontab.minute, str(task.crontab.timezone)) == ("3", "0", "UTC")
    assert json.loads(task.kwargs) == {"requested_by": "schedule"}
    settings.ANALYSIS_HOUR = 5
    schedule.ensure()
    assert PeriodicTask.objects.get(name="analysis").crontab.hour == "5"
    settings.ANALYSIS_HOUR = -1
    schedule.ensure()
    assert not PeriodicTask.objects.filter(name="analysis").exists()


def test_an_hour_that_a_user_has_chosen_is_kept(settings: Any) -> None:
    schedule.ensure()
    task = PeriodicTask.objects.get(name="analysis")
    task.crontab = CrontabSchedule.objects.create(hour="22")
    task.save()
    settings.ANALYSIS_HOUR = -1
    schedule.ensure()
    assert PeriodicTask.objects.get(name="analysis").crontab.hour == "22"


def test_every_task_of_the_schedule_exists() -> None:
    app.loader.import_default_modules()
    assert {row.task for row in schedule.defaults()} <= app.tasks.keys()


def test_the_last_run_is_recorded_failures_too() -> None:
    tasks.recorded("clean-up", lambda: "nothing to delete")
    with pytest.raises(ZeroDivisionError):
        tasks.recorded("clean-up", lambda: str(1 // 0))

    run = Sweep.objects.get(name="clean-up")
    assert (run.runs, run.failures, run.failed) == (2, 1, True)
    assert run.outcome.startswith("ZeroDivisionError")
    assert connection.in_atomic_block
