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
        cursor.execute("SELECT to_regclass(%s)", [table])
        if cursor.fetchone() == (None,):
            _make(cursor, queue)
        cursor.execute(NOTIFIES, [table])
        if cursor.fetchone() == (False,):
            cursor.execute(NOTIFIER.format(table=table))
        if settings.DATABASE_ROLES:
            _grant(cursor, table)


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
