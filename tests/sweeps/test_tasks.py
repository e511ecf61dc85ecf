"""What every periodic task does about its connection, which lives from one turn to the next."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
from django.db import connection

from groups.tasks import recorded

END_BACKEND = "SELECT pg_terminate_backend(%s, 10000)"
RUNS = "SELECT runs, failures FROM rollcall_sweep WHERE name = 'kept'"

backends: list[int] = []


def answered() -> str:
    """A turn that asks the database something."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        row = cursor.fetchone()
    assert row is not None
    backends.append(row[0])
    return "asked"


def closed() -> None:
    """The worker ends."""
    connection.close()


def test_a_run_after_the_database_was_killed_is_like_any_other(database_url: str) -> None:
    """The connection of the previous run is broken, which is not noticed yet."""
    with (
        psycopg.connect(database_url, autocommit=True) as other,
        ThreadPoolExecutor(max_workers=1) as worker,
    ):
        other.execute("DELETE FROM rollcall_sweep WHERE name = 'kept'")
        worker.submit(recorded, "kept", answered).result()
        other.execute(END_BACKEND, [backends[-1]])
        try:
            worker.submit(recorded, "kept", answered).result()
        finally:
            worker.submit(closed).result()

        assert other.execute(RUNS).fetchone() == (2, 0)
        assert backends[-1] != backends[-2]
