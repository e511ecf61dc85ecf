"""The order of transactions, in which streams read."""

import psycopg

from tests.launcher.waiting import until

SEEN = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint > %s"


def settle(url: str) -> None:
    """Wait until a stream reads all that is committed by now: transactions of other workers, in
    databases of the same PostgreSQL, hold it back while they are open."""
    with psycopg.connect(url, autocommit=True) as connection:
        ((number,),) = connection.execute("SELECT pg_current_xact_id()::text::bigint").fetchall()

        def is_seen() -> bool:
            ((seen,),) = connection.execute(SEEN, [number]).fetchall()
            return bool(seen)

        until(is_seen, "transactions of before are over")
