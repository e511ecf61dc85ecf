"""The Celery broker in PostgreSQL: creates its tables and functions (pgmq) if they are missing.

Afterwards only Celery's transport (``groups.postgres.message_queue_transport``) uses them. The
objects belong to the user that sets the database up: nobody executes what a role with fewer rights
owns (``groups.postgres.strangers``). The worker takes tasks, the web may only add some.
"""

import logging
from importlib.resources import files
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction

from groups.postgres import setup_lock
from groups.postgres.channels import notify

logger = logging.getLogger(__name__)

WORKER = "rollcall_worker"
SENDER = "rollcall_web"
QUEUE_TABLE = "pgmq.q_{}"

MAY_USE: Final = f"""
REVOKE ALL ON ALL TABLES IN SCHEMA pgmq FROM {WORKER}, {SENDER};
GRANT USAGE ON SCHEMA pgmq TO {WORKER}, {SENDER};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pgmq TO {WORKER};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA pgmq TO {WORKER};
GRANT INSERT, SELECT (msg_id, vt, enqueued_at) ON {{table}} TO {SENDER};
GRANT SELECT ON SEQUENCE {{table}}_msg_id_seq TO {SENDER};
GRANT SELECT ON pgmq.meta TO {SENDER};
"""
"""For the web: what ``pgmq.send`` uses with the caller's rights, and what kombu reads before it
sends: the list of queues, and the number of messages in one. Nobody gets TRIGGER, which would be
the rights of everyone who sends."""

MAY_USE_ALREADY: Final = f"""
SELECT has_table_privilege('{WORKER}', %(table)s, 'DELETE')
    AND NOT has_table_privilege('{WORKER}', %(table)s, 'TRIGGER')
    AND has_table_privilege('{SENDER}', %(table)s, 'INSERT')
    AND has_table_privilege('{SENDER}', 'pgmq.meta', 'SELECT')"""

TRUSTED: Final = """
SELECT oid FROM pg_roles WHERE rolsuper OR rolname = current_user
UNION SELECT datdba FROM pg_database WHERE datname = current_database()
"""

OF_OTHERS: Final = f"""
SELECT EXISTS (
    SELECT nspowner FROM pg_namespace WHERE nspname = 'pgmq' AND nspowner NOT IN ({TRUSTED})
    UNION ALL SELECT proowner FROM pg_proc
    WHERE pronamespace = to_regnamespace('pgmq') AND proowner NOT IN ({TRUSTED})
    UNION ALL SELECT relowner FROM pg_class
    WHERE relnamespace = to_regnamespace('pgmq') AND relowner NOT IN ({TRUSTED}))
"""
"""Whether the queue belongs to the worker's role, as that of versions before 0.2.0 does: whatever
is in its schema may have been replaced."""

IS_PLAIN: Final = """
SELECT relkind = 'r' AND NOT relrowsecurity AND NOT EXISTS (
    SELECT FROM pg_attribute
    WHERE attrelid = pg_class.oid AND attnum > 0 AND attgenerated <> ''
) AND (SELECT count(*) = 3 FROM pg_attribute WHERE attrelid = pg_class.oid
       AND (attname, atttypid) IN (('msg_id', 'int8'::regtype), ('message', 'jsonb'::regtype),
                                   ('headers', 'jsonb'::regtype)))
FROM pg_class WHERE oid = to_regclass(%s)
"""
"""Whether reading the table executes nothing."""

NOTIFIER: Final = f"""
CREATE OR REPLACE FUNCTION pgmq.rollcall_notify() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM {notify("'pgmq.' || TG_TABLE_NAME || '.' || TG_OP", "''")};
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS trigger_notify_queue_insert_listeners ON {{table}};
CREATE TRIGGER rollcall_notify AFTER INSERT ON {{table}}
FOR EACH STATEMENT EXECUTE FUNCTION pgmq.rollcall_notify()
"""
"""In place of pgmq's own trigger, which fails, and the task with it, while PostgreSQL's queue of
notifications is full."""

NOTIFIES: Final = """SELECT EXISTS (SELECT FROM pg_trigger
    WHERE tgrelid = to_regclass(%s) AND tgname = 'rollcall_notify')"""


def ensure(queue: str) -> None:
    """Load pgmq's SQL and create the queue, if they are missing. Needs CREATE on the database."""
    table = QUEUE_TABLE.format(queue)
    with setup_lock.held(), transaction.atomic(), connection.cursor() as cursor:
        waiting = _taken_down(cursor, table)
        cursor.execute("SELECT to_regclass(%s)", [table])
        if cursor.fetchone() == (None,):
            _make(cursor, queue)
        cursor.execute(NOTIFIES, [table])
        if cursor.fetchone() == (False,):
            cursor.execute(NOTIFIER.format(table=table))
        if settings.DATABASE_ROLES:
            _grant(cursor, table)
        for message, headers in waiting:
            cursor.execute("SELECT pgmq.send(%s, %s::jsonb, %s::jsonb)", [queue, message, headers])


def _taken_down(cursor: Any, table: str) -> list[tuple[str, str]]:
    """Remove a queue that belongs to a role with fewer rights; returns its messages. Nothing of it
    is executed."""
    cursor.execute(OF_OTHERS)
    if cursor.fetchone() != (True,):
        return []
    logger.warning("the broker's queue belonged to another role: it is made anew")
    waiting: list[tuple[str, str]] = []
    if _is_plain(cursor, table):
        cursor.execute(f"LOCK TABLE ONLY {table} IN ACCESS EXCLUSIVE MODE")
        if _is_plain(cursor, table):
            cursor.execute(f"SELECT message::text, headers::text FROM ONLY {table} ORDER BY msg_id")
            waiting = list(cursor.fetchall())
    cursor.execute("DROP SCHEMA pgmq CASCADE")
    return waiting


def _is_plain(cursor: Any, table: str) -> bool:
    cursor.execute(IS_PLAIN, [table])
    return bool(cursor.fetchone() == (True,))


def _grant(cursor: Any, table: str) -> None:
    """What worker and web may do, where it is missing or more than that."""
    cursor.execute(MAY_USE_ALREADY, {"table": table})
    if cursor.fetchone() != (True,):
        cursor.execute(MAY_USE.format(table=table))


def _make(cursor: Any, queue: str) -> None:
    cursor.execute("SELECT to_regnamespace('pgmq')")
    if cursor.fetchone() == (None,):
        raw = cursor.connection.connection  # the file contains percent signs
        raw.execute((files("pgmq") / "sql" / "pgmq.sql").read_bytes())
    cursor.execute("SELECT pgmq.create(%s)", [queue])
