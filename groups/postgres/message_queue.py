"""The Celery broker in PostgreSQL: creates its tables and functions (pgmq) if they are missing.

Afterwards only Celery's transport (``groups.postgres.message_queue_transport``) uses them. The
objects belong to the worker's role; the web may only add tasks.
"""

from importlib.resources import files
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from groups.postgres import setup_lock

OWNER = "rollcall_worker"
SENDER = "rollcall_web"
QUEUE_TABLE = "pgmq.q_{}"

MAY_SEND = """
GRANT USAGE ON SCHEMA pgmq TO {sender};
GRANT INSERT, SELECT (msg_id, vt, enqueued_at) ON {table} TO {sender};
GRANT SELECT ON SEQUENCE {table}_msg_id_seq TO {sender};
GRANT SELECT, UPDATE ON pgmq.notify_insert_throttle TO {sender};
GRANT SELECT ON pgmq.meta TO {sender};
"""
"""Objects that ``pgmq.send`` and its trigger use with the caller's rights; and those that kombu
reads before it sends: the list of queues, and the number of messages in one."""

MAY_TAKE = """
GRANT USAGE ON SCHEMA pgmq TO {worker};
GRANT ALL ON ALL TABLES IN SCHEMA pgmq TO {worker};
GRANT ALL ON ALL SEQUENCES IN SCHEMA pgmq TO {worker};
"""
"""For the worker's role where the objects are not its own: where the first set-up was by a version
whose worker did not take its role, or was told to take none."""

MAY_TAKE_ALREADY = """SELECT has_schema_privilege(%(worker)s, 'pgmq', 'USAGE')
    AND has_table_privilege(%(worker)s, %(table)s, 'DELETE')
    AND has_table_privilege(%(worker)s, 'pgmq.meta', 'SELECT')"""

MAY_SEND_ALREADY = """SELECT has_table_privilege(%(sender)s, %(table)s, 'INSERT')
    AND has_table_privilege(%(sender)s, 'pgmq.meta', 'SELECT')"""

THROTTLE_MS = 0
"""A notification for each task: there are few."""

RINGS = """SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass(%s)
    AND tgname = 'trigger_notify_queue_insert_listeners')"""


def ensure(queue: str) -> None:
    """Load pgmq's SQL and create the queue, if they are missing. Needs CREATE on the database."""
    table = QUEUE_TABLE.format(queue)
    with setup_lock.held(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s)", [table])
        if cursor.fetchone() == (None,):
            _make(cursor, queue)
        cursor.execute(RINGS, [table])
        if cursor.fetchone() == (False,):
            cursor.execute("SELECT pgmq.enable_notify_insert(%s, %s)", [queue, THROTTLE_MS])
        if settings.DATABASE_ROLES:
            _grant(cursor, table)


def _grant(cursor: Any, table: str) -> None:
    """What worker and web may do, where it is missing."""
    cursor.execute(MAY_TAKE_ALREADY, {"worker": OWNER, "table": table})
    if cursor.fetchone() == (False,):
        cursor.execute(MAY_TAKE.format(worker=OWNER))
    cursor.execute(MAY_SEND_ALREADY, {"sender": SENDER, "table": table})
    if cursor.fetchone() == (False,):
        cursor.execute(MAY_SEND.format(table=table, sender=SENDER))


def _make(cursor: Any, queue: str) -> None:
    """Executed as the role that becomes the owner, which gets the privilege for this moment."""
    name = connection.ops.quote_name(str(connection.settings_dict["NAME"]))
    if settings.DATABASE_ROLES:
        cursor.execute(f"GRANT CREATE ON DATABASE {name} TO {OWNER}")
        cursor.execute(f"SET LOCAL ROLE {OWNER}")
    cursor.execute("SELECT to_regnamespace('pgmq')")
    if cursor.fetchone() == (None,):
        raw = cursor.connection.connection  # the file contains percent signs
        raw.execute((files("pgmq") / "sql" / "pgmq.sql").read_bytes())
    cursor.execute("SELECT pgmq.create(%s)", [queue])
    if settings.DATABASE_ROLES:
        cursor.execute("RESET ROLE")
        cursor.execute(f"REVOKE CREATE ON DATABASE {name} FROM {OWNER}")
