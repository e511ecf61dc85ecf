"""The order of transactions, in which streams read."""

from typing import Any

import psycopg

from tests.launcher.waiting import until

XID = "pg_current_xact_id()::text::bigint"


def xid(connection: psycopg.Connection[Any]) -> int:
    """The number of this transaction."""
    found = connection.execute(f"SELECT {XID}".encode()).fetchone()
    assert found is not None
    return int(found[0])


SEEN = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint > %s"


def until_read(connection: psycopg.Connection[Any], number: int) -> None:
    """Wait until a stream reads this transaction: those of other workers, in databases of the same
    PostgreSQL, hold it back while they are open."""

    def is_seen() -> bool | None:
        with connection.transaction():
            found = connection.execute(SEEN, [number]).fetchone()
        return (found is not None and bool(found[0])) or None

    until(is_seen, "transactions of before are over")
