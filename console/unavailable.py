"""What a request is told that got no answer of PostgreSQL: whether the database is away, slow,
lacks something, or only the web's own connections are all in use."""

from typing import Any, Final
from weakref import ref

from django.db import connection
from psycopg.errors import (
    InsufficientPrivilege,
    LockNotAvailable,
    QueryCanceled,
    UndefinedColumn,
    UndefinedTable,
)
from psycopg_pool import ConnectionPool, PoolTimeout

AWAY: Final = "The database is currently unavailable."
SLOW: Final = "The database did not answer in time: it is busy, or a table is locked."
LACKING: Final = (
    "A table of the database, a column or a right to it is missing: if this version of Rollcall is"
    " newer than the database, run its setup; else an administrator has to restore it. The log has"
    " its name."
)
IN_USE: Final = "All connections of the web process to the database are in use."

TOO_LATE: Final = (QueryCanceled, LockNotAvailable)
MISSING: Final = (UndefinedTable, UndefinedColumn, InsufficientPrivilege)

_opened: dict[int, "ref[Any]"] = {}


def note(opened: Any) -> None:
    """A connection of the web was opened."""
    key = id(opened)
    _opened[key] = ref(opened, lambda _: _opened.pop(key, None))


def sentence(error: BaseException, pool: "ConnectionPool[Any] | None" = None) -> str:
    """The sentence for an error that Django or psycopg raised; ``pool``: Django's own."""
    if is_slow(error):
        return SLOW
    if is_lacking(error):
        return LACKING
    pool = pool or getattr(connection, "pool", None)
    is_late = any(isinstance(each, PoolTimeout) for each in (error, error.__cause__))
    return IN_USE if is_late and pool is not None and _are_all_lent(pool) else AWAY


def is_slow(error: BaseException) -> bool:
    """Whether PostgreSQL ended a statement that had taken too long, or had waited for a lock."""
    return any(isinstance(each, TOO_LATE) for each in (error, error.__cause__))


def is_lacking(error: BaseException) -> bool:
    """Whether a table, a column or a right is missing, which an administrator took away or a set-up
    has not brought yet: no defect of ours, and nodes retry it too (``Unready`` of
    ``groups.postgres.errors``)."""
    return any(isinstance(each, MISSING) for each in (error, error.__cause__))


def _are_all_lent(pool: "ConnectionPool[Any]") -> bool:
    """Whether there are connections and none is free. While the database is away requests do not
    get any either, but those that were lent are closed. The pool may not have its maximum yet: on
    a busy machine it opens them more slowly than they are asked for."""
    found = [each() for each in list(_opened.values())]
    are_open = any(each is not None and not each.closed for each in found)
    return are_open and not pool.get_stats()["pool_available"]
