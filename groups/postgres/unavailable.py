"""What a request is told that got no answer of PostgreSQL: whether the database is away, or only
the web's own connections are all in use."""

from typing import Any, Final
from weakref import ref

from django.db import connection
from psycopg_pool import ConnectionPool, PoolTimeout

AWAY: Final = "The database is currently unavailable."
IN_USE: Final = "All connections of the web process to the database are in use."

_made: dict[int, "ref[Any]"] = {}


def note(made: Any) -> None:
    """A connection of the web was opened."""
    key = id(made)
    _made[key] = ref(made, lambda _: _made.pop(key, None))


def sentence(error: BaseException, pool: "ConnectionPool[Any] | None" = None) -> str:
    """The sentence for an error that Django or psycopg raised; ``pool``: Django's own."""
    pool = pool or getattr(connection, "pool", None)
    is_late = isinstance(error, PoolTimeout) or isinstance(error.__cause__, PoolTimeout)
    return IN_USE if is_late and pool is not None and _are_all_lent(pool) else AWAY


def _are_all_lent(pool: "ConnectionPool[Any]") -> bool:
    """Whether as many as the pool may have are open, and none is free. While the database is away
    requests do not get any either, but those that were lent are closed."""
    found = [made() for made in list(_made.values())]
    count = sum(made is not None and not made.closed for made in found)
    return count >= pool.max_size and not pool.get_stats()["pool_available"]
