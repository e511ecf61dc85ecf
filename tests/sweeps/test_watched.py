"""What the watchdog of worker and beat watches, and what may take its time."""

from collections.abc import Iterator

import pytest
from celery.beat import Scheduler as CelerysScheduler

from console.webhooks import delivering
from groups import watchdog
from groups.sweeps import beat, pool


@pytest.fixture(autouse=True)
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[watchdog.Watchdog]:
    """A watchdog of this test's own, which never looks."""
    made = watchdog.Watchdog()
    for module in (beat, pool, delivering):
        monkeypatch.setattr(module, "WATCHDOG", made)
    yield made
    assert not made._turns


def test_a_task_is_watched_until_the_broker_knows_that_it_has_ended(
    watched: watchdog.Watchdog,
) -> None:
    parts: list[tuple[str, ...]] = []
    threads = pool.Pool(limit=1)
    try:
        threads.on_apply(
            lambda: parts.append(tuple(watched._turns)),
            args=(),
            callback=lambda _: parts.append(tuple(watched._turns)),
        ).get()
    finally:
        threads.on_stop()
    task, end = parts
    assert task == end and task[0].startswith(pool.TASK % "")


def test_a_turn_of_a_webhook_is_watched(
    watched: watchdog.Watchdog, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: list[tuple[str, ...]] = []
    monkeypatch.setattr(delivering, "deliver", lambda _: parts.append(tuple(watched._turns)))
    delivering.Senders()._work(7)
    assert parts == [("Webhook 7",)]


def test_beat_may_wait_for_a_broker_that_is_away(
    watched: watchdog.Watchdog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Celery waits there without limit."""
    parts: list[tuple[str, ...]] = []
    monkeypatch.setattr(
        CelerysScheduler, "_ensure_connected", lambda _: parts.append(tuple(watched._turns))
    )
    scheduler = object.__new__(beat.Scheduler)
    watched.turned(beat.BEAT, beat.BEAT_STILL_S)
    scheduler._ensure_connected()
    assert parts == [()] and set(watched._turns) == {beat.BEAT}
    watched.forget(beat.BEAT)
