"""Celery's beat, for clocks that are set back, and watched.

Celery compares the clock with the times of each task's last run and next run. After the clock was
set back by hours (or was wrong, and is corrected) no task would run for hours: no sweep, no
retention, no webhook, no end of a freeze. A restart would not help, since last runs are rows.

Nor would any run while a statement of beat's is not answered: ``groups.watchdog`` ends it then.
"""

from datetime import datetime
from typing import Any, Final

from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry

from groups.watchdog import WATCHDOG

BEAT: Final = "Beat"

BEAT_STILL_S = 60.0
"""Beat looks every second. A connection is refused or given up in a few seconds."""


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
        WATCHDOG.turned(BEAT, BEAT_STILL_S)
        super().__init__(*args, **kwargs)
        self._ticked_at: datetime = self.app.now()

    def tick(self, *args: Any, **kwargs: Any) -> Any:
        """Start what is due. If the clock was set back, the times of all next runs are computed
        again."""
        WATCHDOG.turned(BEAT, BEAT_STILL_S)
        before, self._ticked_at = self._ticked_at, self.app.now()
        if self._ticked_at < before:
            self._heap = None
        return super().tick(*args, **kwargs)

    def _ensure_connected(self) -> Any:
        """The connection to the broker, at the first publication: Celery waits for one that is
        away without limit, and logs each attempt."""
        WATCHDOG.forget(BEAT)
        connection = super()._ensure_connected()
        WATCHDOG.turned(BEAT, BEAT_STILL_S)
        return connection
