"""A set-up does not migrate what is migrated; what follows from settings it does each time."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from groups.management.commands import setup
from groups.postgres import migrated

pytestmark = pytest.mark.django_db


def execute(statement: str) -> None:
    """One statement over Django's connection."""
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture
def migrations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that a set-up calls to bring the tables up to date."""
    called: list[str] = []

    def call(name: str, **options: object) -> None:
        called.append(name)
        call_command(name, **options)

    monkeypatch.setattr(setup, "call_command", call)
    return called


def test_the_second_set_up_migrates_nothing_and_grants_missing_rights(
    migrations: list[str],
) -> None:
    setup.migrate()
    assert migrations == ["migrate"]
    execute("REVOKE ALL ON rollcall_group FROM rollcall_web")

    setup.migrate()

    assert migrations == ["migrate"], "nothing has changed"
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege('rollcall_web', 'rollcall_group', 'SELECT')")
        assert cursor.fetchone() == (True,)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM django_migrations WHERE app = 'groups' AND name LIKE '0094%'",
        "COMMENT ON TABLE django_migrations IS NULL",
        "COMMENT ON TABLE django_migrations IS 'rollcall: migrated (by another version)'",
    ],
)
def test_a_database_of_unknown_state_is_migrated(change: str) -> None:
    migrated.note()
    assert migrated.is_whole()
    execute(change)
    assert not migrated.is_whole()


def test_a_database_of_before_0_2_0_is_refused_and_left_alone() -> None:
    """It has our tables, and not the migrations that 0.2.0 ended with."""
    execute("DELETE FROM django_migrations WHERE app = 'groups' AND name > '0061'")
    execute("DELETE FROM django_migrations WHERE app = 'axes'")
    with pytest.raises(CommandError, match=r"of a version before 0\.2\.0\. Nothing was changed\."):
        setup.migrate()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM django_migrations WHERE app = 'axes'")
        assert cursor.fetchone() == (0,)


def test_migrations_of_all_applications_count() -> None:
    assert {"groups", "auth", "axes", "django_celery_beat"} <= {app for app, _ in migrated.ours()}
