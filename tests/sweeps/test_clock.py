"""The clock is set back by hours, or was ahead and is corrected: periodic work continues."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery import Celery
from django_celery_beat import models, schedulers
from django_celery_beat.models import PeriodicTask

from coordinator_site.celery import app as ours
from groups.sweeps import schedule

pytestmark = pytest.mark.django_db

HOURS = timedelta(hours=3)
NAMES = {"clean-up", "ends", "hours", "offset retention", "session sweep", "webhooks"}
LONGEST = timedelta(minutes=10, seconds=1)
"""A little more than the longest period."""
TICKS = 2 * len(NAMES)
"""Each starts one task at most."""


@pytest.fixture(autouse=True)
def _prepared() -> None:
    """These tests need no node."""


class Clocked(Celery):
    """Celery with a clock that a test sets."""

    at = datetime(2026, 5, 4, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Clocked:
    # It would close the connection that has the test's transaction.
    monkeypatch.setattr(schedulers, "close_old_connections", lambda: None)
    schedule.ensure()
    PeriodicTask.objects.exclude(task__startswith="groups.").update(enabled=False)
    PeriodicTask.objects.update(last_run_at=Clocked.at)
    settings = {"timezone": "UTC", "beat_max_loop_interval": 1, "result_expires": None}
    clocked = Clocked("clocked", broker="memory://", changes=settings, set_as_current=False)
    monkeypatch.setattr(models, "now", lambda: clocked.at)
    return clocked


def beat(app: Clocked) -> tuple[Any, list[str]]:
    """The scheduler that ``launcher.celery`` starts, and what it has sent."""
    sent: list[str] = []

    class Sending(app.subclass_with_self(ours.conf.beat_scheduler)):  # type: ignore[misc]
        def apply_entry(self, entry: Any, producer: Any = None) -> None:
            sent.append(entry.name)

    scheduler = Sending(app=app)
    scheduler._finalize.cancel()  # it would store the last runs when the process ends
    return scheduler, sent


def goes_on(app: Clocked, scheduler: Any, duration: timedelta) -> None:
    """Time passes, and beat looks what is due."""
    app.at += duration
    for _ in range(TICKS):
        scheduler.tick()


def test_tasks_keep_running_after_the_clock_was_set_back(app: Clocked) -> None:
    scheduler, sent = beat(app)
    goes_on(app, scheduler, LONGEST)
    assert sorted(sent) == sorted(NAMES), "each is started once"

    goes_on(app, scheduler, -HOURS)
    goes_on(app, scheduler, LONGEST)

    assert sorted(sent) == sorted([*NAMES, *NAMES])


def test_last_runs_of_a_clock_that_was_ahead_delay_nothing_after_a_restart(app: Clocked) -> None:
    PeriodicTask.objects.update(last_run_at=app.at + HOURS)
    scheduler, sent = beat(app)

    goes_on(app, scheduler, timedelta(seconds=1))
    goes_on(app, scheduler, LONGEST)

    assert set(sent) == NAMES


def test_of_two_schedulers_one_starts_tasks_and_the_other_goes_on_from_it(app: Clocked) -> None:
    first, began = beat(app)
    second, followed = beat(app)
    app.at += LONGEST
    for _ in range(TICKS):
        first.tick()
        second.tick()
    assert (sorted(began), followed) == (sorted(NAMES), [])

    first.close()
    goes_on(app, second, timedelta())
    assert followed == [], "it knows what has run"
    goes_on(app, second, LONGEST)
    assert sorted(followed) == sorted(NAMES)
