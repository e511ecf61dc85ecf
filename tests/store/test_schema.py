"""groups/schema.sql is what the migrations make."""

from tests.store.schema import SCHEMA, dumped


def test_the_committed_schema_is_what_the_migrations_make(database_url: str) -> None:
    """After a new migration: ``make schema``, and look at what it changes."""
    assert dumped(database_url) == SCHEMA.read_text()
