"""groups/schema.sql is what the migrations make."""

from django.apps import apps
from django.db.migrations.loader import MigrationLoader

from groups.postgres.roles import ROLES
from tests.store.schema import SCHEMA, dumped


def test_the_committed_schema_is_up_to_date(database_url: str) -> None:
    """After a new migration: ``make schema``, and review the difference."""
    assert dumped(database_url) == SCHEMA.read_text()


def test_every_migration_is_reversible() -> None:
    """docs/operating.md, *Upgrading a cluster, and going back*."""
    loader = MigrationLoader(None)
    one_way = [
        f"{name}: {operation.describe()}"
        for (app, name), migration in loader.disk_migrations.items()
        if app == "groups" and not migration.initial
        for operation in migration.operations
        if not operation.reversible
    ]
    assert one_way == []


def test_every_table_has_a_grant() -> None:
    """A table without a grant is missed only by a process with a role of its own."""
    tables = {model._meta.db_table for model in apps.get_app_config("groups").get_models()}
    granted = {table for role in ROLES for table in role.tables}
    assert tables - granted == set()
