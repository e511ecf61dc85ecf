"""Celery's beat, for clocks that are set back.

Celery compares the clock with the times of each task's last run and next run. After the clock was
set back by hours (or was wrong, and is corrected) no task would run for hours: no sweep, no
retention, no webhook, no end of a freeze. A restart would not help, since last runs are rows.
"""

from datetime import datetime
from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry


class Entry(ModelEntry):  # type: ignore[misc]  # Celery has no types
    """A task of the schedule."""

    last_run_at: datetime

    def is_due(self) -> Any:
        """A last run in the future counts as one that has just ended; otherwise as Celery says."""
        now = self._default_now()
        if self.last_run_at > now:
            self.last_run_at = self.model.last_run_at = now
        return super().is_due()

    def _default_now(self) -> datetime:
        now: datetime = self.app.now()
        return now


class Scheduler(DatabaseScheduler):  # type: ignore[misc]
    """The schedule in the database."""

    Entry = Entry

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._ticked_at: datetime = self.app.now()

    def tick(self, *args: Any, **kwargs: Any) -> Any:
        """Start what is due. If the clock was set back, the times of all next runs are computed
        again."""
        before, self._ticked_at = self._ticked_at, self.app.now()
        if self._ticked_at < before:
            self._heap = None
        return super().tick(*args, **kwargs)
