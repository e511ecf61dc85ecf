"""A PostgreSQL that is not ours: its administrator executes the printed script, and the user of the
URL is none that may do anything elsewhere."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from launcher import postgres
from launcher.installation import CHECKOUT
from tests.launcher.conftest import Launch
from tests.launcher.test_hosts import serves

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

ADMINISTRATOR = "CREATE ROLE administrator LOGIN CREATEROLE CREATEDB PASSWORD 'theirs'"
USER = (
    "CREATE ROLE plain LOGIN PASSWORD 'ours'",
    "GRANT plain TO CURRENT_USER",
    "CREATE DATABASE theirs OWNER plain",
)
RIGHTS = "SELECT rolsuper, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = 'plain'"
ROLES = "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'rollcall\\_%'"
USERS = """
SELECT DISTINCT usename FROM pg_stat_activity
WHERE datname = 'theirs' AND application_name LIKE 'rollcall%' AND usename <> 'postgres'
"""


@pytest.fixture
def urls(folder: Path) -> Iterator[dict[str, str]]:
    """The URLs of the superuser, the administrator and the plain user."""
    with postgres.serve(folder / "server", throwaway=True) as url:
        rows(url, ADMINISTRATOR)
        at = urlsplit(url).netloc.rpartition("@")[2]
        for statement in USER:
            rows(f"postgresql://administrator:theirs@{at}/postgres", statement)
        yield {
            "superuser": url,
            "administrator": f"postgresql://administrator:theirs@{at}/theirs",
            "plain": f"postgresql://plain:ours@{at}/theirs",
        }


def manage(folder: Path, url: str, mode: str, *words: str) -> "subprocess.CompletedProcess[str]":
    own = {"ROLLCALL_DATABASE_URL": url, "ROLLCALL_DATABASE_ROLES": mode}
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=CHECKOUT,
        env={**os.environ, **own, "ROLLCALL_DATA_DIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def rows(url: str, statement: str) -> list[Any]:
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(statement.encode())
        return found.fetchall() if found.description else []


@pytest.mark.parametrize("mode", ["on", "logins"])
def test_the_printed_script_is_all_that_a_plain_user_needs(
    folder: Path, urls: dict[str, str], launch: Launch, mode: str
) -> None:
    refused = manage(folder, urls["plain"], mode, "setup")
    assert refused.returncode == 1 and "CREATEROLE" in refused.stderr

    printed = manage(folder, urls["plain"], mode, "setup", "--print-sql")
    assert printed.returncode == 0 and "ours" not in printed.stdout
    for _ in range(2):  # it may be executed again
        rows(urls["administrator"], printed.stdout)
    assert rows(urls["plain"], RIGHTS) == [(False, mode == "logins", False)]
    roles = rows(urls["plain"], ROLES)

    launcher = launch(
        "-m",
        "launcher",
        ROLLCALL_DATABASE_URL=urls["plain"],
        ROLLCALL_DATABASE_ROLES=mode,
        ROLLCALL_DATABASE_MAY_BE_UNSAFE="on",
        ROLLCALL_DATA_DIR=str(folder / "data"),
        ROLLCALL_KAFKA_PORT="0",
        ROLLCALL_DRAFT_PORT="0",
        ROLLCALL_WEB_PORT="0",
        DJANGO_SETTINGS_MODULE="",
    )
    serves(launcher)

    assert rows(urls["plain"], ROLES) == roles, "set-up needed no other"
    users = {user for (user,) in rows(urls["superuser"], USERS)}
    logins = {"rollcall_node", "rollcall_web", "rollcall_worker"}
    assert users == (logins if mode == "logins" else {"plain"})
