"""Nodes, web and worker log in with their own roles: nobody takes the nodes' connections."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import make_conninfo

from console.operations import client_functions as access
from console.operations import topic_functions as functions
from coordinator_site import database
from groups.postgres.roles import BY_NAME, GROUP_TABLES, ROLES
from launcher import commands, own_secrets, postgres
from launcher.installation import CHECKOUT

pytestmark = pytest.mark.xdist_group("logins")  # one server for all

LOGINS = [role.name for role in ROLES if role.connections is not None]
WEB_MAX = 4
AS_LOGINS = {
    "ROLLCALL_DATABASE_ROLES": "logins",
    "ROLLCALL_WEB_DATABASE_CONNECTIONS_TOTAL": str(WEB_MAX),
}
IS_SUPERUSER = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
WHO = "SELECT current_user"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database that was set up without logins once, and with them since."""
    folder = tmp_path_factory.mktemp("logins")
    for each in (folder, *folder.parents[:2]):
        each.chmod(0o755)  # the server's user has to reach what is below
    with postgres.serve(folder / "data", throwaway=True) as served:
        set_up(served, folder, {"ROLLCALL_DATABASE_ROLES": "on"})
        set_up(served, folder, AS_LOGINS)
        yield served


def set_up(url: str, folder: Path, told: dict[str, str]) -> None:
    """What every start does."""
    given = {**os.environ, "ROLLCALL_DATABASE_URL": url, "ROLLCALL_DATA_DIR": str(folder), **told}
    command = (sys.executable, "manage.py", "migrate", "--verbosity=0")
    subprocess.run(command, cwd=CHECKOUT, env=given, check=True)


def connect(url: str, role: str) -> "psycopg.Connection[tuple[object, ...]]":
    """As a process of this kind does."""
    who = database.login(role, database.logins(url, AS_LOGINS))
    assert who, "it has no login"
    return psycopg.connect(make_conninfo(url, **who), autocommit=True)


def value_of(
    made: "psycopg.Connection[tuple[object, ...]]", question: str, *given: object
) -> object:
    """The only value of the only row."""
    row = made.execute(question.encode(), given or None).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.long
def test_the_web_takes_no_connection_beyond_its_own(url: str) -> None:
    with ExitStack() as held:
        for _ in range(WEB_MAX):
            held.enter_context(connect(url, "rollcall_web"))
        with pytest.raises(psycopg.OperationalError, match="too many connections for role"):
            connect(url, "rollcall_web")

        for role in ("rollcall_node", "rollcall_worker"):
            with connect(url, role) as made:
                assert value_of(made, WHO) == role


@pytest.mark.long
@pytest.mark.parametrize("role", LOGINS)
def test_a_login_cannot_become_superuser_or_another_role(url: str, role: str) -> None:
    with connect(url, role) as made:
        made.execute("SET ROLE NONE")
        assert value_of(made, WHO) == role
        assert value_of(made, IS_SUPERUSER) is False
        for other in {each.name for each in ROLES} - {role}:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                made.execute(f"SET ROLE {other}".encode())
        for statement in (
            "CREATE TEMPORARY TABLE said (line text)",
            "COPY (SELECT 1) TO PROGRAM 'true'",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                made.execute(statement.encode())


TABLES = """
SELECT c.relname, array_agg(a.attname ORDER BY a.attnum)
FROM pg_class c JOIN pg_attribute a
  ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attidentity <> 'a'
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
  AND NOT c.relispartition
GROUP BY c.relname
"""
VERBS = ("SELECT", "INSERT", "UPDATE", "DELETE")


def tried(
    made: "psycopg.Connection[tuple[object, ...]]", table: str, columns: list[str]
) -> set[str]:
    """What the login may do to a table, by doing it to no row; an UPDATE of some columns only by
    their names."""
    named = ", ".join(f'"{name}"' for name in columns)
    nothing = ", ".join(f'(null::{table})."{name}"' for name in columns)
    statements = {
        "SELECT": f"SELECT * FROM {table} LIMIT 0",
        "INSERT": f"INSERT INTO {table} ({named}) SELECT {nothing} WHERE false",
        "DELETE": f"DELETE FROM {table} WHERE false",
        **{
            f"UPDATE {name}": f'UPDATE {table} SET "{name}" = "{name}" WHERE false'
            for name in columns
        },
    }
    found = set()
    for verb, statement in statements.items():
        try:
            made.execute(statement.encode())
        except (
            psycopg.errors.InsufficientPrivilege,
            psycopg.errors.ObjectNotInPrerequisiteState,  # of a view, which is read-only
        ):
            continue
        found.add(verb)
    return found


def documented(privileges: tuple[str, ...], columns: list[str]) -> set[str]:
    """The same by the table of roles."""
    found = set()
    for privilege in privileges:
        verb, _, some = privilege.partition(" (")
        named = some.rstrip(")").split(", ") if some else columns
        found |= {f"UPDATE {name}" for name in named} if verb == "UPDATE" else {verb}
    return found


@pytest.mark.long
@pytest.mark.parametrize("role", LOGINS)
def test_each_login_may_do_to_each_table_what_the_table_of_roles_says(url: str, role: str) -> None:
    with psycopg.connect(url) as owner:
        tables: dict[str, list[str]] = dict(owner.execute(TABLES).fetchall())
    assert BY_NAME[role].tables.keys() <= tables.keys()
    with connect(url, role) as made:
        for table, columns in tables.items():
            expected = documented(BY_NAME[role].tables.get(table, ()), columns)
            assert tried(made, table, columns) == expected, f"{role}: {table}"


def test_only_nodes_write_groups_and_nobody_changes_records() -> None:
    """Of the table itself, so that a row added in haste is noticed."""
    writes = {
        (role.name, table): documented(privileges, ["any"]) - {"SELECT"}
        for role in ROLES
        for table, privileges in role.tables.items()
    }
    for (role, table), verbs in writes.items():
        if table in GROUP_TABLES and verbs:
            assert role == "rollcall_node", table
        if table.startswith("auth_") and verbs:
            assert role == "rollcall_web", table
        if table in ("rollcall_journal", "rollcall_offset_history", "django_admin_log"):
            assert not any(verb.startswith("UPDATE") for verb in verbs), (role, table)
        if table == "rollcall_audit":
            assert verbs == {"INSERT"}, role
    assert writes["rollcall_web", "django_admin_log"] == {"INSERT"}


@pytest.mark.long
def test_the_web_creates_topics_through_a_function_only(url: str) -> None:
    with connect(url, "rollcall_web") as made:
        topic = ("made", str(uuid4()))
        assert value_of(made, functions.CREATE.call, [topic[0]], [topic[1]], [2], "{}") is True
        for write in ("DELETE FROM rollcall_offset", "DELETE FROM rollcall_topic"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                made.execute(write.encode())
        assert value_of(made, "SELECT count(*) FROM rollcall_topic WHERE name = 'made'") == 1


@pytest.mark.long
def test_the_web_changes_users_and_cannot_read_their_verifiers(url: str) -> None:
    made_of = ("ann", "SCRAM-SHA-256", b"salt", 4096, b"stored", b"server", "{}")
    with connect(url, "rollcall_web") as made:
        assert value_of(made, access.SET_PASSWORD.call, *made_of) is True
        assert value_of(made, "SELECT mechanisms FROM rollcall_user") == {"SCRAM-SHA-256": 4096}
        for forbidden in (
            "SELECT stored_key FROM rollcall_credential",
            "DELETE FROM rollcall_credential",
            "DELETE FROM rollcall_acl",
            "INSERT INTO rollcall_first_password VALUES (1, '')",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                made.execute(forbidden.encode())
        assert value_of(made, access.DELETE_USER.call, *made_of[:2], "{}") is True
    refused = pytest.raises(psycopg.errors.InsufficientPrivilege)
    with connect(url, "rollcall_worker") as worker, refused:
        worker.execute(access.DELETE_USER.call.encode(), (*made_of[:2], "{}"))


@pytest.mark.long
def test_nodes_may_use_reserved_connections_and_the_web_may_not(url: str) -> None:
    question = "SELECT pg_has_role(current_user, 'pg_use_reserved_connections', 'USAGE')"
    with connect(url, "rollcall_node") as node, connect(url, "rollcall_web") as web:
        assert (value_of(node, question), value_of(web, question)) == (True, False)


def test_logins_need_a_secret_to_derive_passwords_from() -> None:
    with pytest.raises(ImproperlyConfigured, match="needs a password"):
        database.logins("postgresql://rollcall@127.0.0.1/rollcall", AS_LOGINS)
    environ = {**AS_LOGINS, "PGPASSWORD": "of the environment"}
    passwords = database.logins("postgresql://rollcall@127.0.0.1/rollcall", environ)
    assert len(set(passwords.values())) == len(passwords) == len(LOGINS)


def test_roles_without_login_have_no_passwords() -> None:
    assert not database.logins("postgresql://rollcall:secret@127.0.0.1/rollcall", {})


def test_each_process_gets_only_its_own_secrets() -> None:
    """None of them can act as another, nor as who owns the database."""
    whole = {
        **AS_LOGINS,
        "ROLLCALL_DATABASE_URL": "postgresql://rollcall:the-owners@127.0.0.1:1/rollcall?a=b",
        "ROLLCALL_API_TOKEN": "the-token",
        "ROLLCALL_ADMIN_PASSWORD": "the-password",
        "ROLLCALL_SECRET_KEY": "the-key",
        "PGPASSWORD": "the-owners",
        "PATH": "/bin",
    }
    given = {name: own_secrets.of(name, whole) for name in commands.PROGRAMS}

    holders = {
        word: {name for name, environ in given.items() if word in str(environ)}
        for word in ("the-owners", "the-token", "the-password", "the-key", "/bin")
    }
    assert holders == {
        "the-owners": {"setup"},
        "the-token": {"web"},
        "the-password": {"setup"},
        "the-key": {"web"},
        "/bin": {*commands.PROGRAMS},
    }
    assert "the-" not in str(own_secrets.of_nobody(whole))
    for name in commands.SERVERS:
        url = given[name]["ROLLCALL_DATABASE_URL"]
        own = database.logins(url, given[name])
        assert set(own) == {commands.PROGRAMS[name].login}
        assert own.items() <= database.logins(whole["ROLLCALL_DATABASE_URL"], AS_LOGINS).items()
        assert url.endswith("@127.0.0.1:1/rollcall?a=b")


def test_without_logins_all_connect_as_the_user_of_the_url() -> None:
    whole = {"ROLLCALL_DATABASE_URL": "postgresql://one:secret@127.0.0.1:1/rollcall"}
    for name in commands.PROGRAMS:
        assert own_secrets.of(name, whole) == whole
