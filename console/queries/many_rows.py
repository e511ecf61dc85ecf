"""A cursor for statements that may have many rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db import connection
from psycopg import adapters
from psycopg.postgres import types
from psycopg.pq import Format

TIME: Final = "timestamptz"
LOADER: Final = adapters.get_loader(types[TIME].oid, Format.TEXT)


@contextmanager
def many_rows() -> Iterator[Any]:
    """Its times are read by psycopg's own loader, in the connection's zone, UTC. Django's is in
    Python: for 50,000 rows it took as long as everything else together."""
    assert LOADER is not None, "psycopg has one of each built-in type"
    with connection.cursor() as cursor:
        cursor.cursor.adapters.register_loader(TIME, LOADER)
        yield cursor
