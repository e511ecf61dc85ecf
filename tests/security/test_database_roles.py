"""What each role may do in a database that is set up. The tests enumerate PostgreSQL's catalogue:
a new function, trigger, table or grant cannot slip by."""

import secrets
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from groups.postgres.roles import ROLES
from tests.databases import empty

OURS = [role.name for role in ROLES]
QUEUE = "rollcall"
STRANGER = f"rollcall_test_{secrets.token_hex(4)}"


@pytest.fixture(scope="module")
def url(django_db_blocker: Any) -> Iterator[str]:
    """A database of this module, as ``manage.py setup`` makes it."""
    with django_db_blocker.unblock(), empty(f"roles_{secrets.token_hex(4)}") as made:
        call_command("setup", verbosity=0)
        connection.close()
        yield made


@pytest.fixture
def owner(url: str) -> Iterator["psycopg.Connection[Any]"]:
    """The user that set it up."""
    with psycopg.connect(url, autocommit=True) as made:
        yield made


@pytest.fixture
def stranger(owner: "psycopg.Connection[Any]", url: str) -> Iterator["psycopg.Connection[Any]"]:
    """A login without a grant."""
    owner.execute(f"DROP ROLE IF EXISTS {STRANGER}".encode())
    owner.execute(f"CREATE ROLE {STRANGER} LOGIN PASSWORD 'stranger'".encode())
    parts = urlsplit(url)
    there = f"{STRANGER}:stranger@{parts.hostname}:{parts.port}"
    with psycopg.connect(parts._replace(netloc=there).geturl(), autocommit=True) as made:
        yield made
    owner.execute(f"DROP ROLE {STRANGER}".encode())


def rows(connection: "psycopg.Connection[Any]", query: str) -> list[tuple[Any, ...]]:
    """What a query of the catalogue returns."""
    return connection.execute(query.encode(), {"ours": OURS}).fetchall()


# -- nobody executes what a role with fewer rights owns

OWNED = """
SELECT r.rolname, d.classid::regclass::text, pg_describe_object(d.classid, d.objid, d.objsubid)
FROM pg_shdepend d JOIN pg_roles r ON r.oid = d.refobjid
WHERE d.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND d.refclassid = 'pg_authid'::regclass AND d.deptype = 'o' AND r.rolname = ANY(%(ours)s)
"""
"""All objects of whatever kind: functions, operators, tables, types, schemas, triggers' tables."""

EXECUTED = """
SELECT 'function', p.oid::regprocedure::text, p.proowner FROM pg_proc p
UNION ALL SELECT 'trigger', t.tgname || ' on ' || t.tgrelid::regclass, p.proowner
    FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
UNION ALL SELECT 'event trigger', e.evtname, e.evtowner FROM pg_event_trigger e
UNION ALL SELECT 'operator', o.oid::regoperator::text, o.oprowner FROM pg_operator o
UNION ALL SELECT 'operator class', o.opcname, o.opcowner FROM pg_opclass o
UNION ALL SELECT 'type', t.typname, t.typowner FROM pg_type t
UNION ALL SELECT 'default of', d.adrelid::regclass::text, c.relowner
    FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid
UNION ALL SELECT 'rule', r.rulename || ' on ' || r.ev_class::regclass, c.relowner
    FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
UNION ALL SELECT 'policy', p.polname, c.relowner
    FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
UNION ALL SELECT 'constraint', n.conname, c.relowner
    FROM pg_constraint n JOIN pg_class c ON c.oid = n.conrelid
UNION ALL SELECT 'table', c.oid::regclass::text, c.relowner FROM pg_class c
UNION ALL SELECT 'schema', n.nspname, n.nspowner FROM pg_namespace n
UNION ALL SELECT 'language', l.lanname, l.lanowner FROM pg_language l
"""

LESSER = f"""
SELECT kind, name, r.rolname FROM ({EXECUTED}) AS found(kind, name, owner)
JOIN pg_roles r ON r.oid = owner
WHERE NOT r.rolsuper AND r.rolname <> 'pg_database_owner'
  AND r.oid <> (SELECT datdba FROM pg_database WHERE datname = current_database())
"""


def test_no_role_owns_anything(owner: "psycopg.Connection[Any]") -> None:
    assert rows(owner, OWNED) == []


def test_what_is_executed_belongs_to_the_owner_of_the_database(
    owner: "psycopg.Connection[Any]",
) -> None:
    assert rows(owner, LESSER) == []


MAKERS = """
SELECT r.name, 'CREATE on schema ' || n.nspname
FROM pg_namespace n, unnest(%(ours)s::text[] || 'public'::text) AS r(name)
WHERE has_schema_privilege(r.name, n.oid, 'CREATE')
UNION ALL
SELECT r.name, p.privilege || ' on the database'
FROM unnest(%(ours)s::text[] || 'public'::text) AS r(name),
     unnest(ARRAY['CREATE', 'TEMPORARY']) AS p(privilege)
WHERE has_database_privilege(r.name, current_database(), p.privilege)
UNION ALL
SELECT r.name, p.privilege || ' on ' || c.oid::regclass
FROM pg_class c, unnest(%(ours)s::text[] || 'public'::text) AS r(name),
     unnest(ARRAY['TRIGGER', 'REFERENCES', 'MAINTAIN', 'TRUNCATE']) AS p(privilege)
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND has_table_privilege(r.name, c.oid, p.privilege)
"""
"""Rights by which a role makes something that others execute, or that fills the lock table."""


def test_no_role_may_make_what_others_execute(owner: "psycopg.Connection[Any]") -> None:
    assert rows(owner, MAKERS) == []


DEFINERS = """
SELECT oid::regprocedure::text FROM pg_proc
WHERE prosecdef AND pronamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')
  AND """

FOR_EVERYBODY = {"rollcall_current_era()"}
"""Its only result is a number: the default of a column in rows that several roles insert."""


def test_functions_with_their_owners_rights_are_for_named_roles(
    owner: "psycopg.Connection[Any]",
) -> None:
    public = "has_function_privilege('public', oid, 'EXECUTE')"
    assert {name for (name,) in rows(owner, DEFINERS + public)} == FOR_EVERYBODY


def test_functions_with_their_owners_rights_find_their_own_names(
    owner: "psycopg.Connection[Any]",
) -> None:
    paths = "NOT (coalesce(proconfig, '{}') && ARRAY['search_path=public, pg_temp', %s])"
    fixed = paths % "'search_path=pg_catalog, pg_temp'"
    assert rows(owner, DEFINERS + fixed) == []


NAMED = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""


def test_what_roles_are_granted_is_there(owner: "psycopg.Connection[Any]") -> None:
    """A set-up passes over what is missing, since a database that went back has less: a misspelled
    name would be a right that nobody has."""
    named = {name for role in ROLES for name in (*role.tables, *role.functions)}
    assert named - {name for (name,) in rows(owner, NAMED)} == set()


POWERS = """
SELECT rolname, 'attribute' FROM pg_roles WHERE rolname = ANY(%(ours)s)
  AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)
UNION ALL
SELECT m.rolname, r.rolname FROM pg_auth_members a JOIN pg_roles m ON m.oid = a.member
JOIN pg_roles r ON r.oid = a.roleid
WHERE m.rolname = ANY(%(ours)s) AND r.rolname <> 'pg_use_reserved_connections'
"""


def test_no_role_has_the_rights_of_another(owner: "psycopg.Connection[Any]") -> None:
    assert rows(owner, POWERS) == []


# -- what a login without a grant may do

LOCKS = """
SELECT oid::regprocedure::text FROM pg_proc
WHERE proname ~ 'advisory' AND has_function_privilege(%s, oid, 'EXECUTE')
"""


@pytest.mark.parametrize("role", ["public", "rollcall_application"])
def test_strangers_and_applications_take_no_advisory_lock(
    owner: "psycopg.Connection[Any]", role: str
) -> None:
    assert owner.execute(LOCKS, [role]).fetchall() == []


@pytest.mark.parametrize("role", [role.name for role in ROLES if role.takes_locks])
def test_our_roles_take_them(owner: "psycopg.Connection[Any]", role: str) -> None:
    assert len(owner.execute(LOCKS, [role]).fetchall()) > 20


FILLS = (
    "SELECT pg_advisory_lock(5401703, hashtext('others'))",
    "SELECT pg_advisory_xact_lock_shared(1, 2)",
    "SELECT pg_try_advisory_lock(n) FROM generate_series(1, 20000) AS n",
    "SELECT pg_try_advisory_xact_lock_shared(n) FROM generate_series(1, 20000) AS n",
    "DO $$ BEGIN PERFORM pg_advisory_lock(1); END $$",
    "CREATE TEMPORARY TABLE t AS SELECT 1",
    "CREATE TEMPORARY SEQUENCE s",
    "SELECT 1 INTO TEMPORARY t",
    "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE TABLE public.t (n int)",
    "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE SCHEMA s",
    "SELECT lo_create(0)",
    "SELECT lo_creat(-1)",
    "SELECT lo_from_bytea(0, '')",
    "DO $$ BEGIN LOCK TABLE rollcall_group IN ACCESS SHARE MODE; END $$",
    "SELECT 1 FROM rollcall_group",
    "SELECT rollcall_commit_offsets('g', 1, 'm', ARRAY['t'], ARRAY[0], ARRAY[1::bigint])",
    "SELECT pgmq.send('rollcall', '{}')",
)
"""Each would hold a lock that Rollcall waits for, or fill the table of all locks."""


@pytest.mark.parametrize("statement", FILLS, ids=range(len(FILLS)))
def test_a_login_without_a_grant_takes_no_lock(
    stranger: "psycopg.Connection[Any]", statement: str
) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        stranger.execute(statement.encode())


def test_a_login_that_was_granted_a_lock_keeps_it(
    owner: "psycopg.Connection[Any]", stranger: "psycopg.Connection[Any]", django_db_blocker: Any
) -> None:
    """As an administrator grants it to an application that needs it."""
    owner.execute(f"GRANT EXECUTE ON FUNCTION pg_advisory_lock(bigint) TO {STRANGER}".encode())
    with django_db_blocker.unblock():
        apps.get_app_config("groups").follow()  # type: ignore[attr-defined]
        connection.close()
    stranger.execute("SELECT pg_advisory_lock(7)")
    owner.execute(f"REVOKE EXECUTE ON FUNCTION pg_advisory_lock(bigint) FROM {STRANGER}".encode())


def test_a_database_from_before_postgresql_15_is_closed_too(
    owner: "psycopg.Connection[Any]", django_db_blocker: Any
) -> None:
    """And one whose roles came after it was closed."""
    name = owner.info.dbname
    owner.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    owner.execute(f"GRANT TEMPORARY ON DATABASE {name} TO PUBLIC".encode())
    owner.execute("REVOKE EXECUTE ON FUNCTION pg_try_advisory_lock(int, int) FROM rollcall_node")
    with django_db_blocker.unblock():
        apps.get_app_config("groups").follow()  # type: ignore[attr-defined]
        connection.close()
    assert rows(owner, MAKERS) == []
    assert len(owner.execute(LOCKS, ["rollcall_node"]).fetchall()) > 20
    assert settings.DATABASE_ROLES
