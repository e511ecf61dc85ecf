"""One lock for every kind of set-up of a database: migrations, the queue, the first rows.

Without it two launchers on one new database would create the same tables, and one of them would
fail.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, connections

logger = logging.getLogger(__name__)

LOCK = "SELECT pg_try_advisory_lock(hashtext('rollcall set-up'))"
UNLOCK = "SELECT pg_advisory_unlock(hashtext('rollcall set-up'))"

LOOK_AGAIN_S = 0.1
"""The lock is polled instead of waited for in the server: a waiting statement holds a snapshot, for
whose end another set-up that creates an index concurrently would wait."""


@contextmanager
def held(using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Hold the lock on Django's connection; may be nested. PostgreSQL releases it if this process
    dies."""
    if not _query(LOCK, using):
        logger.info("another set-up of this database is under way; waiting for its end")
        while not _query(LOCK, using):
            time.sleep(LOOK_AGAIN_S)
    try:
        yield
    finally:
        if connections[using].is_usable():  # a lost connection has released the lock
            _query(UNLOCK, using)


def _query(question: str, using: str) -> bool:
    with connections[using].cursor() as cursor:
        cursor.execute(question)
        return bool(cursor.fetchone() == (True,))
