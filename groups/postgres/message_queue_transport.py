"""Celery's transport to the broker in PostgreSQL: kombu's own, without its set-up.

kombu declares the queue in every process that starts, and each time drops the notifying trigger and
creates it again: two processes that do so at once block each other.
``groups.postgres.message_queue`` has created both already, under the lock of every set-up.
"""

from typing import Any, cast

import psycopg
from kombu.exceptions import OperationalError
from kombu.transport import pgmq


class Channel(pgmq.Channel):
    """Creates nothing, and listens only in processes that take tasks."""

    @property
    def pgmq(self) -> Any:
        """The client. Raises OperationalError, which Celery knows, if the channel was closed with
        its connection: a task that ends later still tries to acknowledge."""
        if self.connection is None:
            raise OperationalError("the connection to the broker was closed")
        return super().pgmq

    def _new_queue(self, queue: str, **kwargs: Any) -> None:
        """The queue exists already."""

    def _maybe_enable_notify(self, queue: str, queue_name: str | None = None) -> None:
        transport = cast("Transport", self.connection)  # in the form in which kombu calls it
        transport._register_notify_queue(queue_name or self._queue_name(queue))


class Transport(pgmq.Transport):
    """Named by ``CELERY_BROKER_TRANSPORT``."""

    # Taking a task is a write: a read-only server must not end the worker.
    connection_errors = (
        *pgmq.Transport.connection_errors,
        psycopg.errors.ReadOnlySqlTransaction,
    )

    Channel = Channel
