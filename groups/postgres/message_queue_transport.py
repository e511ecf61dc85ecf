"""Celery's way to the broker inside PostgreSQL: kombu's own, which uses the queue as it is.

kombu's declares the queue in every process that starts, and each time drops the trigger that rings
and makes it anew: two processes that do so at once lock each other out.
``groups.postgres.message_queue`` has made both already, under the lock of every set-up.
"""

from typing import Any, cast

import psycopg
from kombu.exceptions import OperationalError
from kombu.transport import pgmq


class Channel(pgmq.Channel):
    """Makes nothing, and listens only where tasks are taken."""

    @property
    def pgmq(self) -> Any:
        """The client. OperationalError, which Celery knows, where the channel was closed with its
        connection: a task that ends afterwards acknowledges it nevertheless."""
        if self.connection is None:
            raise OperationalError("the connection to the broker was closed")
        return super().pgmq

    def _new_queue(self, queue: str, **kwargs: Any) -> None:
        """It is there."""

    def _maybe_enable_notify(self, queue: str, queue_name: str | None = None) -> None:
        transport = cast("Transport", self.connection)  # as kombu calls it
        transport._register_notify_queue(queue_name or self._queue_name(queue))


class Transport(pgmq.Transport):
    """Named by ``CELERY_BROKER_TRANSPORT``."""

    # Taking a task is a write: a server that takes none for a while must not end the worker.
    connection_errors = (
        *pgmq.Transport.connection_errors,
        psycopg.errors.ReadOnlySqlTransaction,
    )

    Channel = Channel
