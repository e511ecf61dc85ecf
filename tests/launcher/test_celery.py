"""Celery's two processes are what its own command line would make of the same options."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from celery import signals
from celery.exceptions import WorkerShutdown
from celery.worker import state

from coordinator_site.celery import app, serves
from launcher import celery, commands
from launcher.environment import CHECKOUT


def test_celerys_shell_is_not_imported() -> None:
    script = """
import sys, launcher.celery, celery.apps.worker, celery.apps.beat
print([name for name in ("prompt_toolkit", "celery.bin") if name in sys.modules])
"""
    output = subprocess.run(
        [sys.executable, "-c", script], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    assert output.stdout == "[]\n"


def test_the_table_names_both() -> None:
    assert commands.argv("worker")[1:] == ("-m", "launcher.celery", "worker")
    assert commands.argv("beat")[1:] == ("-m", "launcher.celery", "beat")


class Schedule:
    """The work of beat: it lasts until it is stopped, or fails at once."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.begun = self.ended = 0
        self.told = threading.Event()

    def start(self) -> None:
        """What ``celery.beat.Service`` does all the time."""
        self.begun += 1
        if self.error is not None:
            raise self.error
        self.told.wait()
        self.ended += 1

    def stop(self) -> None:
        """Asked by the worker's end."""
        self.told.set()


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Schedule], celery.Beside]]:
    """A beat beside a worker, with another's work; signals are as before afterwards."""
    made: list[celery.Beside] = []

    def make(schedule: Schedule) -> celery.Beside:
        it = celery.Beside(app)
        monkeypatch.setattr(it, "_service", schedule)
        made.append(it)
        return it

    yield make
    for it in made:
        it.stop()
        signals.worker_ready.disconnect(it._begin)
        signals.worker_shutting_down.disconnect(it._end)
    signals.worker_ready.connect(serves)


def test_beat_begins_once_and_has_ended_before_the_worker(
    beside: Callable[[Schedule], celery.Beside],
) -> None:
    schedule = Schedule()
    it = beside(schedule)
    assert schedule.begun == 0, "before the worker takes tasks"
    for _ in range(2):  # a worker is ready again after it has lost the broker
        signals.worker_ready.send(sender=None)
    signals.worker_shutting_down.send(sender="TERM", sig="TERM", how="Warm", exitcode=0)
    it.stop()
    assert (schedule.begun, schedule.ended) == (1, 1)


def test_a_failure_of_beat_ends_the_process_with_an_error(
    beside: Callable[[Schedule], celery.Beside], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "should_stop", None)
    it = beside(Schedule(RuntimeError("the schedule cannot be read")))
    signals.worker_ready.send(sender=None)
    it.stop()
    with pytest.raises(WorkerShutdown):
        state.maybe_shutdown()


def test_the_process_serves_when_beat_does(beside: Callable[[Schedule], celery.Beside]) -> None:
    beside(Schedule())
    heard = [found for _, found in signals.worker_ready.send(sender=None)]
    assert len(heard) == 1, "beat alone: the ready file is written when that has begun"
