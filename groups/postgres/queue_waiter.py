"""Waits for tasks of the broker in PostgreSQL: kombu's waiter, which a flood of NOTIFY does not
occupy. The worker looks for tasks every two seconds in any case."""

import logging
import time
from itertools import islice
from typing import Any, Final, cast

import psycopg
from kombu.transport import pgmq

from groups.postgres.channels import receive_little
from groups.postgres.doorbell import CALM_S, DEAF_S, DEAF_S_MAX, PAUSE_S, RINGS_MAX

Connection = psycopg.Connection[Any]

logger = logging.getLogger(__name__)

SECOND_S: Final = 1.0


class NotifyWaiter(pgmq._NotifyWaiter):
    """Reads what arrives; closes its connection for a while if that is a flood
    (``groups.postgres.doorbell``)."""

    _rang = False
    _counted_from = _flooded_at = _deaf_until = 0.0
    _count = 0
    _deaf_s = DEAF_S

    def wait(self, timeout: float | None) -> bool:
        """Whether somebody notified, within so many seconds."""
        now = time.monotonic()
        if now < self._deaf_until:
            rest_s = self._deaf_until - now
            time.sleep(rest_s if timeout is None else min(rest_s, timeout))
            return False
        more = self._rang and self._drained() > 0
        self._rang = more or bool(super().wait(timeout))
        return self._rang

    def _ensure_conn(self) -> None:
        is_new = self._conn is None
        super()._ensure_conn()
        if is_new:
            receive_little(cast(Connection, self._conn))

    def _drained(self) -> int:
        """Read what came after the notification that was waited for, for a moment; returns how
        many."""
        now, read = time.monotonic(), 0
        connection = cast(Connection | None, self._conn)
        if connection is None:
            return 0
        if now > self._counted_from + SECOND_S:
            self._counted_from, self._count = now, 0
        try:
            rings = connection.notifies(timeout=PAUSE_S)
            read = sum(1 for _ in islice(rings, RINGS_MAX + 1))
        except (psycopg.Error, OSError):
            self._drop_conn(connection)
        self._count += read
        if self._count > RINGS_MAX:
            self._be_deaf(connection)
        return read

    def _be_deaf(self, connection: Any) -> None:
        now = time.monotonic()
        self._deaf_s = DEAF_S if now > self._flooded_at + CALM_S else self._deaf_s
        logger.warning(
            "somebody floods the database with NOTIFY: not listening for tasks for %.0f s",
            self._deaf_s,
        )
        self._drop_conn(connection)
        self._flooded_at, self._deaf_until, self._count = now, now + self._deaf_s, 0
        self._deaf_s = min(2 * self._deaf_s, DEAF_S_MAX)
