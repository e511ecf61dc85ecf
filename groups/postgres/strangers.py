"""What any login may do in Rollcall's database, and what is taken from it at set-up.

PostgreSQL lets every login take advisory locks, also those that Rollcall waits for, and as many as
fill the lock table of the whole server, which temporary tables and large objects do too. Only a
superuser can take the first and the last away; a set-up without these rights leaves them, as
docs/security.md says (*Logins of the database*). A login that needs one of them gets it by a GRANT
of its own, which later set-ups keep.
"""

import logging
from typing import Any, Final

from django.apps import AppConfig
from django.conf import settings
from django.db import connections, transaction
from psycopg import sql

from groups.postgres.roles import ROLES

logger = logging.getLogger(__name__)

MAY_LOCK: Final = tuple(role.name for role in ROLES if role.takes_locks)
"""Roles whose processes take advisory locks."""

LOCKING: Final = """
SELECT oid::regprocedure::text FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace
  AND (proname ~ '^pg_(try_)?advisory_' OR proname IN ('lo_creat', 'lo_create', 'lo_from_bytea'))
  AND has_function_privilege('public', oid, 'EXECUTE')
"""
"""Functions of everybody that take locks for which no right to anything is needed; without the last
three nobody gets a large object to lock."""

LACKING: Final = """
SELECT p.oid::regprocedure::text, r.rolname FROM pg_proc p CROSS JOIN pg_roles r
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ '^pg_(try_)?advisory_'
  AND r.rolname = ANY(%s) AND NOT has_function_privilege(r.oid, p.oid, 'EXECUTE')
"""

MAY: Final = """
SELECT rolsuper,
       pg_has_role((SELECT datdba FROM pg_database WHERE datname = current_database()), 'USAGE')
           AND has_database_privilege('public', current_database(), 'TEMPORARY'),
       pg_has_role((SELECT nspowner FROM pg_namespace WHERE nspname = 'public'), 'USAGE')
           AND has_schema_privilege('public', 'public', 'CREATE')
FROM pg_roles WHERE rolname = current_user
"""
"""Whether this user may, and has to, take from everybody: functions, TEMPORARY, and CREATE in the
schema whose functions and operators all processes find first (databases from before PostgreSQL
15)."""


def close(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Take away what is left, after every migration and set-up."""
    connection = connections[using]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        cursor.execute(MAY)
        may_functions, may_temporary, may_create = cursor.fetchone()
        if may_functions:
            _close_functions(cursor)
        if may_temporary:
            name = sql.Identifier(str(connection.settings_dict["NAME"]))
            revoke = sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC").format(name)
            cursor.execute(revoke.as_string(None))
        if may_create:
            cursor.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")


def _close_functions(cursor: Any) -> None:
    """PUBLIC executes none of them any more; our roles those that they need."""
    cursor.execute(LOCKING)
    for (function,) in cursor.fetchall():
        cursor.execute(f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC")
    if settings.DATABASE_ROLES:
        cursor.execute(LACKING, [list(MAY_LOCK)])
        for function, role in cursor.fetchall():
            cursor.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {role}")
