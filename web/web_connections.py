"""The web's connections to PostgreSQL, which wait for a hanging server process only for a limited
time.

PostgreSQL's own timeouts end slow statements, but not the wait for a server process that hangs or
for a network that drops all packets: each such request would keep a thread and a connection of the
pool for ever. ``groups.postgres.connections`` does the same for nodes.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus

from console import unavailable

logger = logging.getLogger(__name__)

RV = TypeVar("RV")

PATIENCE_S: Final = 35.0
"""For one response: more than the statement timeout of the web's role, which ends slow
statements."""

LOOK_S: Final = 2.0
"""For the response to the empty statement of the pool's check."""

WAIT_INTERVAL_S: Final = 0.1
"""How often psycopg checks while it waits: its own default."""


_patience_s = ContextVar("patience_s", default=PATIENCE_S)


@contextmanager
def patient(seconds: float) -> Iterator[None]:
    """A shorter limit for callers that must not wait so long, also for the check of a connection
    from the pool."""
    before = _patience_s.set(seconds)
    try:
        yield
    finally:
        _patience_s.reset(before)


class Connection(psycopg.Connection[Any]):
    """A connection whose server must answer in time. If it does not, the connection is closed,
    ``psycopg.OperationalError`` is raised, and the request is answered 503."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        unavailable.note(self)

    def execute(self, query: Any, *args: Any, **named: Any) -> Any:
        """The pool checks a connection by an empty statement before it returns it, so that a
        request soon fails if the database does not answer."""
        if query:
            return super().execute(query, *args, **named)
        with patient(LOOK_S):
            return super().execute(query, *args, **named)

    def wait(
        self, gen: PQGen[RV], interval: float = WAIT_INTERVAL_S, timeout: float | None = None
    ) -> RV:
        """Wait for the server; psycopg's own calls pass a ``timeout``."""
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, _patience_s.get())
        except psycopg.OperationalError as error:
            if self.pgconn.transaction_status != TransactionStatus.ACTIVE:
                raise  # it has answered, or the connection is lost
            self.pgconn.finish()
            logger.warning("PostgreSQL does not answer; a connection of the web is closed")
            raise psycopg.OperationalError("PostgreSQL does not answer") from error
