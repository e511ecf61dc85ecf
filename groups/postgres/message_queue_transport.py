"""Celery's transport to the broker in PostgreSQL: kombu's own, with our connections and without its
set-up.

pgmq's client keeps host, port, database, user and password of a connection string, in a form in
which a password has no space: it connects without TLS where ``sslmode`` demands it, as the user
whose role was to be taken, and not at all by a Unix socket, a password file or a second host.

kombu declares the queue in every process that starts, and each time drops the notifying trigger and
creates it again: two processes that do so at once block each other.
``groups.postgres.message_queue`` has created both already, under the lock of every set-up.
"""

from typing import Any, Final, cast

import psycopg
from kombu.exceptions import OperationalError
from kombu.transport import pgmq
from pgmq import PGMQueue
from psycopg_pool import ConnectionPool

from groups.postgres.queue_waiter import NotifyWaiter
from groups.watchdog import WATCHDOG

TAKING: Final = "Taking tasks from PostgreSQL"

TAKING_STILL_S = 60.0
"""Celery looks for tasks every two seconds at least, and for a broker that is away every half
minute."""

POOL_RECONNECT_S: Final = 1.0
"""How long the pool itself tries to connect: during a long outage its back-off would grow to
minutes, in which nobody else tries."""

POOL_WAIT_S = 5.0
"""How long a process waits for its one connection: longer than a connection may take. Celery tries
again."""


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

    def establish_connection(self) -> Any:
        """Connect; Celery tries again as long as it fails. Who only sends tasks connects, too."""
        WATCHDOG.turned_again(TAKING, TAKING_STILL_S)
        return super().establish_connection()  # type: ignore[no-untyped-call]

    def drain_events(self, connection: Any, timeout: float | None = None) -> None:  # type: ignore[override]
        """Take tasks, for ``timeout`` seconds."""
        WATCHDOG.turned(TAKING, TAKING_STILL_S)
        super().drain_events(connection, timeout)  # type: ignore[no-untyped-call]

    def close_connection(self, connection: Any) -> None:
        """Close the connections: a client does not close a pool that it was given."""
        pool = self._pgmq_client and self._pgmq_client.pool
        super().close_connection(connection)
        if pool is not None:
            pool.close()

    @property
    def _options(self) -> dict[str, Any]:
        return cast(Any, self.client).transport_options  # type: ignore[no-any-return]

    def _create_pgmq_client(self) -> PGMQueue:
        options = self._options
        pool = ConnectionPool(
            options["conn_string"],
            min_size=1,
            max_size=options["pool_size"],
            timeout=POOL_WAIT_S,
            reconnect_timeout=POOL_RECONNECT_S,
            open=True,
        )
        return PGMQueue(pool=pool, vt=options["visibility_timeout"], init_extension=False)

    def _get_notify_waiter(self) -> Any:
        if self._notify_waiter is None:
            self._notify_waiter = NotifyWaiter(self._options["conn_string"])
        return self._notify_waiter
