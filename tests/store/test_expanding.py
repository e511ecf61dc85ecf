"""Migrations expand the schema: programs of the version before go on with it (docs/operating.md,
*Upgrading a cluster*). What contracts it comes a version later, when nothing reads it any more."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED

CONTRACTING = (
    migrations.RemoveField,
    migrations.DeleteModel,
    migrations.RenameField,
    migrations.RenameModel,
    migrations.AlterModelTable,
)
IN_SQL = re.compile(
    r"\b(DROP\s+(TABLE(?!\s+%I)|COLUMN|VIEW|TYPE)|RENAME\s+(TO|COLUMN)"
    r"|ALTER\s+COLUMN\s+\S+\s+(TYPE|SET\s+NOT\s+NULL|DROP\s+DEFAULT))\b",
    re.IGNORECASE,
)
"""Functions drop partitions that are over, of names that they make (``%I``)."""

FIRST = "0094_database_of_the_timeline"
"""The tables of 0.2.0; the others begin from there."""


def problems(operation: Operation) -> Iterator[str]:
    """Why a program of the version before would fail on this."""
    if isinstance(operation, CONTRACTING):
        yield f"{type(operation).__name__} takes away what it uses"
    if isinstance(operation, migrations.AddField) and not has_default(operation.field):
        yield f"{operation.name} has neither a default in the database nor null: its inserts fail"
    if isinstance(operation, migrations.RunSQL):
        for found in IN_SQL.finditer(str(operation.sql)):
            yield f"{found[0]!r} takes away what it uses"
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        for one in operation.database_operations:
            yield from problems(one)


def has_default(field: Any) -> bool:
    """Whether an insert may leave the column out."""
    return (
        field.null
        or field.db_default is not NOT_PROVIDED
        or field.many_to_many
        or isinstance(field, models.GeneratedField)
    )


def ours() -> list[tuple[str, Operation]]:
    """Every operation of ours after ``FIRST``."""
    loaded = MigrationLoader(None).disk_migrations
    return [
        (name, operation)
        for (app, name), migration in sorted(loaded.items())
        if app == "groups" and name > FIRST
        for operation in migration.operations
    ]


def test_migrations_only_add() -> None:
    found = {(name, problem) for name, each in ours() for problem in problems(each)}
    assert found == set()


@pytest.mark.parametrize(
    "contracting",
    [
        migrations.RemoveField("node", "host"),
        migrations.RenameField("node", "host", "address"),
        migrations.AddField("node", "zone", models.TextField(default="")),
        migrations.RunSQL("ALTER TABLE rollcall_node DROP COLUMN host", "SELECT 1"),
        migrations.RunSQL("ALTER TABLE rollcall_node ALTER COLUMN host SET NOT NULL", "SELECT 1"),
        migrations.SeparateDatabaseAndState([migrations.DeleteModel("Node")]),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_migration_that_takes_away_is_found(contracting: Operation) -> None:
    assert list(problems(contracting))


def test_one_that_adds_is_not() -> None:
    fields = (models.TextField(null=True), models.TextField(db_default=""))
    adding = [migrations.AddField("node", "zone", field) for field in fields]
    assert not [problem for each in adding for problem in problems(each)]
