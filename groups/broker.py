"""The broker inside PostgreSQL: its tables and functions (pgmq), made where they are missing.

Only Celery's own transport uses them afterwards. The objects belong to the worker's role, as
which worker, beat and web connect to the queue.
"""

from importlib.resources import files

from django.conf import settings
from django.db import connection, transaction

OWNER = "rollcall_worker"
QUEUE_TABLE = "pgmq.q_{}"

LOCK = "SELECT pg_advisory_xact_lock(hashtext('rollcall pgmq'))"
"""Two starts at once would make the same objects."""


def ensure(queue: str) -> None:
    """Load pgmq's SQL and make the queue, unless they are there. Needs CREATE on the database."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK)
        cursor.execute("SELECT to_regclass(%s)", [QUEUE_TABLE.format(queue)])
        if cursor.fetchone() != (None,):
            return
        name = connection.ops.quote_name(str(connection.settings_dict["NAME"]))
        if settings.DATABASE_ROLES:
            cursor.execute(f"GRANT CREATE ON DATABASE {name} TO {OWNER}")
            cursor.execute(f"SET LOCAL ROLE {OWNER}")
        _load(cursor, queue)
        if settings.DATABASE_ROLES:
            cursor.execute("RESET ROLE")
            cursor.execute(f"REVOKE CREATE ON DATABASE {name} FROM {OWNER}")


def _load(cursor: object, queue: str) -> None:
    """Through the driver itself: the file has percent signs that are no parameters."""
    raw = cursor.connection.connection  # type: ignore[attr-defined]
    raw.execute((files("pgmq") / "sql" / "pgmq.sql").read_bytes())
    raw.execute("SELECT pgmq.create(%s)", [queue])
