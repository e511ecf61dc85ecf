"""Of the processes that could schedule the periodic work, one does it: it holds a row, and renews
it. Another one follows when it ends, or says nothing for ``LEASE_S``.

A holder that was suspended may start a task once more when it goes on: tasks are idempotent.
"""

import logging
from collections.abc import Callable
from time import monotonic
from uuid import uuid4

from django.db import InterfaceError, OperationalError, connection

from groups.store.sql import beat_lease as sql

logger = logging.getLogger(__name__)

RENEW_S = sql.LEASE_S / 3


class BeatLease:
    """The lease, as one process sees it. ``clock`` is in seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._holder = uuid4()
        self._clock = clock
        self._renewed_at: float | None = None

    def is_ours(self) -> bool:
        """Whether this process is to schedule now; asks the database every few seconds. No process
        is while the database is away."""
        now = self._clock()
        if self._renewed_at is None or now - self._renewed_at >= RENEW_S:
            self._renewed_at = now if self._execute(sql.TAKE) else None
        return self._renewed_at is not None

    def give_back(self) -> None:
        """Another process may begin at once."""
        if self._renewed_at is not None:
            self._renewed_at = None
            self._execute(sql.GIVE_BACK)

    def _execute(self, statement: str) -> bool:
        """Whether a row is this process's."""
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, {"holder": self._holder})
                return bool(cursor.rowcount == 1)
        except (InterfaceError, OperationalError) as error:
            logger.warning("nobody schedules the periodic work just now: %s", error)
            connection.close_if_unusable_or_obsolete()
            return False
