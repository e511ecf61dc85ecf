"""Celery's beat: of several processes one schedules (``beat_lease``). For clocks that are set back,
and watched.

Celery compares the clock with the times of each task's last run and next run. After the clock was
set back by hours (or was wrong, and is corrected) no task would run for hours: no sweep, no
retention, no webhook, no end of a freeze. A restart would not help, since last runs are rows.

Nor would any run while a statement of beat's is not answered: ``groups.watchdog`` ends it then.
"""

from datetime import datetime
from typing import Any, Final

from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry

from groups.sweeps.beat_lease import BeatLease
from groups.watchdog import WATCHDOG

BEAT: Final = "Beat"

BEAT_STILL_S = 60.0
"""Beat looks every second. A connection is refused or given up in a few seconds."""

STANDBY_S = 1.0
"""How often a process that schedules nothing looks whether it has to."""


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
        self._lease, self._leads = BeatLease(), False
        super().__init__(*args, **kwargs)
        self._ticked_at: datetime = self.app.now()

    def tick(self, *args: Any, **kwargs: Any) -> Any:
        """Start what is due, if this is the process that does it. If the clock was set back, the
        times of all next runs are computed again."""
        WATCHDOG.turned(BEAT, BEAT_STILL_S)
        led, self._leads = self._leads, self._lease.is_ours()
        if not self._leads:
            return STANDBY_S
        if not led:  # another process may have run tasks: their last runs are rows
            self._initial_read, self._heap = True, None
        before, self._ticked_at = self._ticked_at, self.app.now()
        if self._ticked_at < before:
            self._heap = None
        return super().tick(*args, **kwargs)

    def close(self) -> None:
        """Store the last runs; another process may go on with them."""
        super().close()
        self._lease.give_back()

    def _ensure_connected(self) -> Any:
        """The connection to the broker, at the first publication: Celery waits for one that is
        away without limit, and logs each attempt."""
        WATCHDOG.forget(BEAT)
        connection = super()._ensure_connected()
        WATCHDOG.turned(BEAT, BEAT_STILL_S)
        return connection
