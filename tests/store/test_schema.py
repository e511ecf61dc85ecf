"""groups/schema.sql is what the migrations make."""

from django.db.migrations.loader import MigrationLoader

from tests.store.schema import SCHEMA, dumped


def test_the_committed_schema_is_what_the_migrations_make(database_url: str) -> None:
    """After a new migration: ``make schema``, and look at what it changes."""
    assert dumped(database_url) == SCHEMA.read_text()


def test_every_migration_has_a_way_back() -> None:
    """docs/operating.md, *Upgrading a cluster, and going back*."""
    loader = MigrationLoader(None)
    one_way = [
        f"{name}: {operation.describe()}"
        for (app, name), migration in loader.disk_migrations.items()
        if app == "groups"
        for operation in migration.operations
        if not operation.reversible
    ]
    assert one_way == []
