"""An empty database gets its tables from groups/baseline.sql: all of them or none."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection

from groups.management.commands import setup
from groups.postgres import baseline, migrated
from launcher.installation import CHECKOUT
from tests import databases
from tests.store.schema import PARTITIONED
from tests.upgrade.dump import RESTRICTED, program

PARTITIONS = tuple(f"rollcall_{name}_2*" for name in PARTITIONED)
"""Partitions are named by the hour or the day in which they were made."""

OWN = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*\+00"  # when it was made
    r"|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # a random number of each installation
    r"|(?<=rollcall_timeline VALUES ).*"  # the server, and the number of the database
)

Empty = Callable[[], AbstractContextManager[str]]


@pytest.fixture
def empty(django_db_setup: None, django_db_blocker: "pytest.FixtureRequest") -> Iterator[Empty]:
    """Makes an empty database, which is Django's meanwhile."""
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        yield lambda: databases.empty(f"test_empty_{os.getpid()}")


def dumped(url: str) -> list[str]:
    """All that is in it, but what differs each time: owners, grants and comments with it."""
    command = [program("pg_dump"), "--inserts", *map("--exclude-table={}".format, PARTITIONS), url]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return OWN.sub("?", RESTRICTED.sub("", text)).splitlines()


def value_of(query: str) -> object:
    """The one value of a row."""
    with connection.cursor() as cursor:
        cursor.execute(query)
        [(value,)] = cursor.fetchall()
    return value


def hours() -> object:
    """How many hours and days have a partition."""
    return value_of(
        "SELECT count(*) FROM pg_class WHERE relname ~"
        " '^rollcall_(offset_history|life|ownership)_2\\d+$'"
    )


def test_the_baseline_and_the_migrations_create_the_same_database(empty: Empty) -> None:
    """After a new migration or a new version of a library: ``make schema``."""
    with empty() as url:
        call_command("migrate", verbosity=0)
        migrated.note()
        by_migrations, of_history = dumped(url), hours()
    with empty() as url:
        assert baseline.load(), "the file is of other migrations"
    with empty() as url:
        setup.migrate()
        assert dumped(url) == by_migrations
        assert hours() == of_history


def test_two_concurrent_set_ups_create_one_database(empty: Empty, tmp_path: Path) -> None:
    with empty() as url:
        environ = {"ROLLCALL_DATABASE_URL": url, "ROLLCALL_DATA_DIR": str(tmp_path)}
        site = {"DJANGO_SETTINGS_MODULE": "coordinator_site.settings"}
        command = [sys.executable, "manage.py", "setup"]
        both = [
            subprocess.Popen(command, cwd=CHECKOUT, env={**os.environ, **environ, **site})
            for _ in range(2)
        ]
        assert [process.wait() for process in both] == [0, 0]
        assert migrated.is_whole()
        assert value_of("SELECT count(*) FROM auth_user") == 1


def test_a_failed_set_up_leaves_nothing(
    empty: Empty, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "baseline.sql"
    broken.write_bytes(baseline.FILE.read_bytes() + b"\nSELECT 1 / 0;\n")
    monkeypatch.setattr(baseline, "FILE", broken)
    with empty():
        with pytest.raises(DatabaseError, match="division by zero"):
            setup.migrate()
        assert value_of(baseline.IS_EMPTY) is True


def test_later_migrations_are_applied_by_the_next_set_up(
    empty: Empty, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A set-up that dies between the tables and the grants."""

    def dies(**_: object) -> None:
        raise KeyboardInterrupt

    with empty():
        with monkeypatch.context() as patched:
            patched.setattr(setup, "emit_post_migrate_signal", dies)
            with pytest.raises(KeyboardInterrupt):
                setup.migrate()
        assert not migrated.is_whole()
        setup.migrate()
        assert migrated.is_whole()
        assert value_of("SELECT has_table_privilege('rollcall_web', 'rollcall_group', 'SELECT')")
        assert value_of("SELECT count(*) FROM auth_group_permissions")


@pytest.mark.parametrize(
    "there",
    [
        "CREATE TABLE mine (id int)",
        "CREATE FUNCTION mine() RETURNS int RETURN 1",
        "CREATE TYPE mine AS ENUM ('one')",
        "CREATE SCHEMA mine; SET search_path = mine",
    ],
)
def test_a_non_empty_database_is_migrated(empty: Empty, there: str) -> None:
    with empty():
        with connection.cursor() as cursor:
            cursor.execute(there)
        assert not baseline.load()


@pytest.mark.parametrize("other", ["a migration", "PostgreSQL"])
def test_an_unrelated_file_is_not_loaded(
    empty: Empty, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, other: str
) -> None:
    more = frozenset({("groups", "9999_new")}) if other == "a migration" else frozenset()
    text = baseline.FILE.read_text()
    if other == "PostgreSQL":
        text = text.replace("PostgreSQL 18", "PostgreSQL 17", 1)
    path = tmp_path / "baseline.sql"
    path.write_text(text)
    monkeypatch.setattr(baseline, "FILE", path)
    known = migrated.ours()
    monkeypatch.setattr(migrated, "ours", lambda: known | more)
    with empty():
        assert not baseline.load()
        assert value_of(baseline.IS_EMPTY) is True
