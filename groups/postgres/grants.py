"""Creates the database roles of ``groups.postgres.roles`` and their grants, after every migration.

Without logins a process connects as the user of ``ROLLCALL_DATABASE_URL`` and takes its role at
once (``options=-c role=...``). With them (``ROLLCALL_DATABASE_ROLES=logins``) nodes, web and worker
log in as their roles, so that PostgreSQL limits the connections of each; their passwords are
derived from the URL's, so the URL is the only secret of an installation. Where that user may not
create roles, ``off`` runs every process as that user, with the same timeouts.
"""

import logging
import time
from collections.abc import Iterator, Set
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db import DatabaseError, connections, transaction
from psycopg import sql
from psycopg.pq.abc import PGconn

from groups.postgres.roles import ROLES, Role

logger = logging.getLogger(__name__)

ATTEMPTS = 5
"""Roles belong to the whole PostgreSQL cluster, so two databases that are set up at the same time
may conflict in its catalogue; the second then tries again."""

RETRY_S = 0.1

TAKEN = """
SELECT taken.rolname, login.rolname FROM pg_auth_members m
JOIN pg_roles taken ON taken.oid = m.roleid JOIN pg_roles login ON login.oid = m.member
WHERE taken.rolname = ANY(%(ours)s) AND login.rolname = ANY(%(ours)s)
"""
"""None of our roles is a member of another: revoke what an earlier version granted."""

RESERVE = """
DO $$ BEGIN
    IF pg_has_role('pg_use_reserved_connections', 'MEMBER WITH ADMIN OPTION') THEN
        GRANT pg_use_reserved_connections TO rollcall_node;
    END IF;
END $$
"""
"""If this user has the privilege, reserved connections (``reserved_connections``) are for nodes."""


FUNCTIONS = "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"


def sync_roles(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Create roles that are missing and grant exactly what the table says (post_migrate)."""
    if not settings.DATABASE_ROLES:
        return
    for attempt in range(ATTEMPTS):
        try:
            with transaction.atomic(using=using):
                _sync(using)
        except DatabaseError as error:
            if attempt == ATTEMPTS - 1:
                raise DatabaseError(
                    f"the database roles could not be set up: {error}. The database user needs"
                    " CREATEROLE, or set ROLLCALL_DATABASE_ROLES=off"
                ) from error
            time.sleep(RETRY_S)
        else:
            return


def _sync(using: str) -> None:
    connection = connections[using]
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor, include_views=True)
        # A superuser may set any role without being a member; others must be one.
        cursor.execute(
            "SELECT rolname, pg_has_role(rolname, 'MEMBER') FROM pg_roles"
            " WHERE rolname LIKE 'rollcall%%'"
        )
        known = dict(cursor.fetchall())
        cursor.execute(FUNCTIONS)
        there = {*tables, *(name for (name,) in cursor.fetchall())}
        for role in ROLES:  # in one message: they are hundreds
            statements = _statements(role, known.get(role.name), there)
            cursor.execute(sql.SQL("; ").join(statements).as_string(None))
        for role in ROLES:  # after all of them exist
            if role.name in settings.DATABASE_LOGINS:
                for statement in _login(role, connection.connection.pgconn):
                    cursor.execute(statement.as_string(None))
        cursor.execute(TAKEN, {"ours": [role.name for role in ROLES]})
        for role_name, login in cursor.fetchall():
            revoke = sql.SQL("REVOKE {} FROM {}")
            parts = map(sql.Identifier, (role_name, login))
            cursor.execute(revoke.format(*parts).as_string(None))
        if settings.DATABASE_LOGINS:
            cursor.execute(RESERVE)


def _statements(role: Role, is_member: bool | None, there: Set[str]) -> Iterator[sql.Composable]:
    """``is_member``: whether this user is a member; None if the role does not exist yet. ``there``:
    tables and functions of the database, which may be those of an earlier version by now."""
    name = sql.Identifier(role.name)
    if is_member is None:
        yield sql.SQL("CREATE ROLE {} NOLOGIN").format(name)
    if not is_member:
        yield sql.SQL("GRANT {} TO CURRENT_USER").format(name)
    yield sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(name)
    yield sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}").format(name)
    for table, privileges in role.tables.items():
        if privileges and table in there:
            yield sql.SQL("GRANT {} ON {} TO {}").format(
                sql.SQL(", ").join(map(sql.SQL, privileges)), sql.Identifier(table), name
            )
    for function in sorted(there & set(role.functions)):
        yield sql.SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(sql.Identifier(function), name)
    if role.tables:
        yield sql.SQL("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {}").format(name)


def _login(role: Role, server: PGconn) -> Iterator[sql.Composable]:
    """The role may log in, with the password that its processes derive. PostgreSQL receives only a
    verifier of it, since failed statements are logged."""
    password = settings.DATABASE_LOGINS[role.name].encode()
    verifier = server.encrypt_password(password, role.name.encode(), b"scram-sha-256").decode()
    most = role.connections
    name = sql.Identifier(role.name)
    yield sql.SQL("ALTER ROLE {} LOGIN PASSWORD {} CONNECTION LIMIT {}").format(
        name,
        sql.Literal(verifier),
        sql.Literal(most if isinstance(most, int) else getattr(settings, str(most))),
    )
