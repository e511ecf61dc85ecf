"""Whether a database has all migrations of this program, without loading any.

Loading them and planning takes longer than the rest of a start's set-up. After a migrate command
has finished, the names of all migrations are stored as the comment of Django's own table; an
interrupted command has not written it, and unapplied migrations are missing in the table. A dump
contains the comment together with the rows.
"""

import hashlib
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from django.apps import apps
from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations import Migration
from psycopg import sql

Names = frozenset[tuple[str, str]]

KEPT = "SELECT obj_description(to_regclass('django_migrations'), 'pg_class')"
APPLIED = "SELECT app, name FROM django_migrations"
KEEP = sql.SQL("COMMENT ON TABLE django_migrations IS {}")

TABLES = "SELECT to_regclass('rollcall_group') IS NOT NULL"
TOO_OLD = (
    "This database is of a version before 0.2.0. Nothing was changed. Run the setup of 0.2.0 on it"
    " first, then this version's (docs/operating.md, Upgrading a cluster)."
)


def ours() -> Names:
    """Application and name of each migration of this program."""
    return frozenset(
        (config.label, module.name)
        for config in apps.get_app_configs()
        if find_spec(f"{config.name}.migrations")
        for module in iter_modules(import_module(f"{config.name}.migrations").__path__)
        if not module.name.startswith("_")
    )


def is_whole(using: str = DEFAULT_DB_ALIAS) -> bool:
    """Whether there is nothing to migrate."""
    with connections[using].cursor() as cursor:
        cursor.execute(KEPT)
        [(kept,)] = cursor.fetchall()
        if kept != mark():
            return False
        cursor.execute(APPLIED)
        return ours() <= set(cursor.fetchall())


def note(using: str = DEFAULT_DB_ALIAS) -> None:
    """Store that all migrations were applied."""
    with connections[using].cursor() as cursor:
        cursor.execute(KEEP.format(sql.Literal(mark())).as_string(None))


def mark() -> str:
    """What stands for the migrations of this program."""
    digest = hashlib.sha256(repr(sorted(ours())).encode()).hexdigest()
    return f"rollcall: migrated ({digest})"


def refuse_older(using: str, plan: Sequence[tuple[Migration, bool]], **_facts: Any) -> None:
    """Before migrations are applied: raise ``CommandError`` if the first of ours, which makes the
    tables of 0.2.0, would meet those of an earlier version."""
    if any(migration.app_label == "groups" and migration.initial for migration, _ in plan):
        with connections[using].cursor() as cursor:
            cursor.execute(TABLES)
            if cursor.fetchone() == (True,):
                raise CommandError(TOO_OLD)
