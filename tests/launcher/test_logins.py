"""Nodes, web and worker log in as roles of their own: nobody takes the nodes' connections."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import make_conninfo

from coordinator_site import database
from launcher import postgres
from launcher.installation import CHECKOUT

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


def asked(made: "psycopg.Connection[tuple[object, ...]]", question: str) -> object:
    """The only value of the only row."""
    row = made.execute(question.encode()).fetchone()
    assert row is not None
    return row[0]


def test_the_web_takes_no_connection_beyond_its_own(url: str) -> None:
    with ExitStack() as held:
        for _ in range(WEB_MAX):
            held.enter_context(connect(url, "rollcall_web"))
        with pytest.raises(psycopg.OperationalError, match="too many connections for role"):
            connect(url, "rollcall_web")

        for role in ("rollcall_node", "rollcall_worker"):
            with connect(url, role) as made:
                assert asked(made, WHO) == role


@pytest.mark.parametrize("role", ["rollcall_node", "rollcall_web", "rollcall_worker"])
def test_what_a_login_may_be_by_its_own_word_is_no_superuser(url: str, role: str) -> None:
    with connect(url, role) as made:
        made.execute("SET ROLE NONE")
        assert asked(made, WHO) == role
        assert asked(made, IS_SUPERUSER) is False
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            made.execute("SET ROLE rollcall_analysis")


def test_the_web_makes_a_topic_as_a_node_would_and_does_nothing_else_so(url: str) -> None:
    write = "DELETE FROM rollcall_offset"
    with connect(url, "rollcall_web") as made:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            made.execute(write.encode())
        made.execute("SET ROLE rollcall_node")
        made.execute(write.encode())


def test_nodes_may_use_what_the_server_reserves_and_the_web_may_not(url: str) -> None:
    question = "SELECT pg_has_role(current_user, 'pg_use_reserved_connections', 'USAGE')"
    with connect(url, "rollcall_node") as node, connect(url, "rollcall_web") as web:
        assert (asked(node, question), asked(web, question)) == (True, False)


def test_logins_need_a_secret_to_follow_from() -> None:
    with pytest.raises(ImproperlyConfigured, match="needs a password"):
        database.logins("postgresql://rollcall@127.0.0.1/rollcall", AS_LOGINS)
    told = {**AS_LOGINS, "PGPASSWORD": "of the environment"}
    passwords = database.logins("postgresql://rollcall@127.0.0.1/rollcall", told)
    assert len(set(passwords.values())) == len(passwords) == 3


def test_roles_that_are_only_taken_have_no_passwords() -> None:
    assert not database.logins("postgresql://rollcall:secret@127.0.0.1/rollcall", {})
