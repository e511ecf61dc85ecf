"""The schedule in the admin: what runs when, how it went last, and changing it."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask, PeriodicTasks

from console.people.staff_roles import ADMINISTRATOR, OPERATOR
from console.queries import overview
from groups import tasks
from groups.models import Sweep
from groups.sweeps import schedule
from tests.admin.visitors import text, visitor

pytestmark = pytest.mark.django_db

LIST = "/admin/django_celery_beat/periodictask/"


@pytest.fixture(autouse=True)
def _defaults() -> None:
    schedule.ensure()


@pytest.fixture
def administrator() -> Client:
    return visitor(ADMINISTRATOR)


def row_of(page: str, name: str) -> str:
    """The part of the list about one task."""
    (row,) = (row for row in page.split("<tr")[1:] if f">{name}<" in row)
    return row


def test_each_task_shows_the_result_of_its_last_run(administrator: Client) -> None:
    tasks.recorded("clean-up", lambda: "removed 7 journal entries")
    with pytest.raises(ZeroDivisionError):
        tasks.recorded("offset retention", lambda: str(1 // 0))

    page = text(administrator.get(LIST))

    assert "removed 7 journal entries" in row_of(page, "clean-up")
    assert "0 of 1" in row_of(page, "clean-up")
    failed = row_of(page, "offset retention")
    assert "ZeroDivisionError" in failed
    assert "1 of 1" in failed
    assert "bg-red-100" in failed
    assert "never" in row_of(page, "session sweep")


def test_the_list_takes_the_same_statements_for_any_number_of_tasks(
    administrator: Client, django_assert_max_num_queries: Any
) -> None:
    interval = IntervalSchedule.objects.create(every=7, period="days")
    for number in range(20):
        PeriodicTask.objects.create(
            name=f"t-{number}", task="groups.tasks.analyse", interval=interval
        )

    with django_assert_max_num_queries(12):
        page = text(administrator.get(LIST))

    assert "every 10080 min" in row_of(page, "t-3")


def test_a_changed_period_notifies_beat(administrator: Client) -> None:
    task = PeriodicTask.objects.get(name="clean-up")
    changed_at = PeriodicTasks.last_change()
    hourly = IntervalSchedule.objects.create(every=1, period="hours")

    answer = administrator.post(
        f"{LIST}{task.pk}/change/",
        {"name": task.name, "task": task.task, "enabled": "on", "interval": hourly.pk},
    )

    assert answer.status_code == 302
    assert PeriodicTask.objects.get(name="clean-up").interval == hourly
    assert PeriodicTasks.last_change() != changed_at


def test_an_analysis_can_be_scheduled(administrator: Client) -> None:
    nightly = CrontabSchedule.objects.create(minute="0", hour="3")

    answer = administrator.post(
        f"{LIST}add/",
        {"name": "nightly", "task": "groups.tasks.analyse", "enabled": "on", "crontab": nightly.pk},
    )

    assert answer.status_code == 302
    assert PeriodicTask.objects.get(name="nightly").crontab == nightly
    assert "03:00" in row_of(text(administrator.get(LIST)), "nightly")


@pytest.mark.parametrize("chosen", ["neither", "both", "unknown task"])
def test_a_contradictory_schedule_is_refused_with_a_reason(
    administrator: Client, chosen: str
) -> None:
    hourly = IntervalSchedule.objects.create(every=1, period="hours")
    nightly = CrontabSchedule.objects.create(minute="0", hour="3")
    values = {"name": "x", "task": "groups.tasks.analyse", "enabled": "on"}
    more: dict[str, dict[str, object]] = {
        "neither": {},
        "both": {"interval": hourly.pk, "crontab": nightly.pk},
        "unknown task": {"interval": hourly.pk, "task": "os.system"},
    }

    answer = administrator.post(f"{LIST}add/", {**values, **more[chosen]})

    assert answer.status_code == 200
    assert answer.context["errors"]
    assert not PeriodicTask.objects.filter(name="x").exists()


def test_tasks_are_disabled_and_enabled(administrator: Client) -> None:
    task = PeriodicTask.objects.get(name="clean-up")
    changed_at = PeriodicTasks.last_change()

    administrator.post(LIST, {"action": "disable", "_selected_action": [task.pk]})

    assert not PeriodicTask.objects.get(name="clean-up").enabled
    assert PeriodicTasks.last_change() != changed_at
    assert ">off<" in "".join(row_of(text(administrator.get(LIST)), "clean-up").split())

    administrator.post(LIST, {"action": "enable", "_selected_action": [task.pk]})
    assert PeriodicTask.objects.get(name="clean-up").enabled


def test_an_operator_sees_schedules_but_changes_nothing() -> None:
    operator = visitor(OPERATOR)
    task = PeriodicTask.objects.get(name="clean-up")

    assert "clean-up" in text(operator.get(LIST))
    operator.post(LIST, {"action": "disable", "_selected_action": [task.pk]})
    assert operator.post(f"{LIST}{task.pk}/change/", {"name": "x"}).status_code == 403
    assert operator.get("/admin/django_celery_beat/solarschedule/").status_code == 404

    assert PeriodicTask.objects.get(name="clean-up").enabled


@pytest.mark.parametrize("kind", ["intervalschedule", "crontabschedule"])
def test_schedules_have_a_page_each(administrator: Client, kind: str) -> None:
    CrontabSchedule.objects.create(minute="0", hour="3")

    assert administrator.get(f"/admin/django_celery_beat/{kind}/").status_code == 200
    assert administrator.get(f"/admin/django_celery_beat/{kind}/add/").status_code == 200


# -- which task is late


def late(age: timedelta, every: int, period: str, *, enabled: bool = True) -> bool:
    """Whether a task of that period is late whose last run began so long ago."""
    now = timezone.now()
    task = PeriodicTask(
        name="t", enabled=enabled, interval=IntervalSchedule(every=every, period=period)
    )
    last = Sweep(name="t", started_at=now - age, took_ms=1, outcome="")
    return overview.is_late(task, last, now)


def test_a_task_is_late_after_three_periods() -> None:
    assert not late(timedelta(hours=2, minutes=59), 1, "hours")
    assert late(timedelta(hours=3, minutes=1), 1, "hours")


def test_a_short_period_is_late_after_half_a_minute_at_the_earliest() -> None:
    assert not late(timedelta(seconds=29), 1, "seconds")
    assert late(timedelta(seconds=31), 1, "seconds")


def test_an_analysis_counts_from_when_it_was_sent() -> None:
    """Its run is recorded elsewhere, by itself."""
    now = timezone.now()
    hourly = IntervalSchedule(every=1, period="hours")
    task = PeriodicTask(name="t", task="groups.tasks.analyse", interval=hourly)
    task.date_changed = now - timedelta(days=9)

    task.last_run_at = now - timedelta(hours=1)
    assert not overview.is_late(task, None, now)
    task.last_run_at = now - timedelta(hours=4)
    assert overview.is_late(task, None, now)


def test_a_sweep_that_was_sent_and_never_ran_is_late() -> None:
    now = timezone.now()
    hourly = IntervalSchedule(every=1, period="hours")
    task = PeriodicTask(name="t", task="groups.tasks.cleaning", interval=hourly)
    task.date_changed = now - timedelta(days=9)
    task.last_run_at = now

    assert overview.is_late(task, None, now)


def test_a_disabled_task_is_never_late() -> None:
    assert not late(timedelta(days=9), 1, "seconds", enabled=False)
