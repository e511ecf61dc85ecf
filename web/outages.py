"""Logs an outage of the database as one line per process, not as a traceback a second.

Every library that meets an outage logs it in its own way, repeatedly: Celery's worker and beat,
kombu, Django's request handler. This filter recognises an outage by the error of the log record. It
does not catch errors or hide them from the program.
"""

import logging
import time
from collections.abc import Callable, Iterator

from django.db.utils import InterfaceError, OperationalError
from kombu.exceptions import OperationalError as BrokerError
from psycopg import Error as PostgresError
from psycopg import InterfaceError as Unusable
from psycopg import OperationalError as Unreachable
from psycopg_pool import PoolTimeout

from console import unavailable

QUIET_S = 30.0
"""An outage without errors for so long has ended: the next error begins another one."""

AWAY = frozenset({"08", "53", "57", "58"})
"""SQLSTATE classes of a server that is away: connection exception, insufficient resources (a full
disk, too many connections), operator intervention, system error."""

READ_ONLY = "25006"
"""The server accepts no writes: an administrator or a guard of its disk set that, or it is a
standby."""

POOL = "psycopg.pool"
"""It logs broken connections and attempts to reconnect, without the error."""

UNACKNOWLEDGED = "cannot be acknowledged after a connection loss"
"""Celery's message for each task that was running: another worker takes it."""

RESTARTS = "Frequent restarts detected"
"""Celery's message, with a traceback, if its connection to the queue broke five times within a
second."""

UNAVAILABLE = 503
"""The web's status while the database is away; Django's request handler logs each."""

CANCELED = "57014"
"""A statement timeout is in that class, too, but is no outage."""


class Outages(logging.Filter):
    """Passes the first record of an outage, without its traceback, and none of those that
    follow."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.clock = clock
        self._last_at = -QUIET_S

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written; one of an outage is shortened."""
        error = next(filter(needs_no_traceback, _errors(record)), None)
        if error is None and not _follows_from_one(record):
            return True
        now, before = self.clock(), self._last_at
        self._last_at = now
        if error is not None:
            record.msg, record.args = f"{_what(error)}: %s", (_first_line(error),)
        record.exc_info = record.exc_text = record.stack_info = None
        return now - before >= QUIET_S


def _follows_from_one(record: logging.LogRecord) -> bool:
    """Whether the record reports a consequence of an outage, without its error."""
    is_refused = getattr(record, "status_code", None) == UNAVAILABLE
    is_celerys = any(word in str(record.msg) for word in (UNACKNOWLEDGED, RESTARTS))
    return record.name == POOL or is_refused or is_celerys


def _errors(record: logging.LogRecord) -> Iterator[BaseException]:
    """The errors of the record: its own, and those among its arguments."""
    if record.exc_info and record.exc_info[1] is not None:
        yield record.exc_info[1]
    args = record.args.values() if isinstance(record.args, dict) else record.args or ()
    yield from (arg for arg in args if isinstance(arg, BaseException))


def needs_no_traceback(error: BaseException) -> bool:
    """Whether the database failed, or is of another version: its own words say all of it."""
    return is_outage(error) or unavailable.is_lacking(error)


def is_outage(error: BaseException | None) -> bool:
    """Whether the error, or its cause, is that the database could not be reached."""
    seen = 0
    while error is not None and seen < 10:
        if isinstance(error, PostgresError):
            return _is_away(error)
        if isinstance(error, BrokerError):
            return True
        if isinstance(error, OperationalError | InterfaceError) and error.__cause__ is None:
            return True
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False


def _is_away(error: PostgresError) -> bool:
    if error.sqlstate is None:
        return isinstance(error, Unreachable | Unusable)
    if error.sqlstate == READ_ONLY:
        return True
    return error.sqlstate[:2] in AWAY and error.sqlstate != CANCELED


def _what(error: BaseException) -> str:
    if unavailable.is_lacking(error):
        return unavailable.LACKING
    is_busy = isinstance(error, PoolTimeout) or isinstance(error.__cause__, PoolTimeout)
    return "no connection to the database was free" if is_busy else "the database is away"


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
