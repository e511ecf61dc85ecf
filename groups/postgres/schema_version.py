"""Compares this program's schema version with the database's: the last migration.

Checked once, at each start. A running node continues while the database is migrated, since
migrations only add; a node that starts must know all possible content of the rows.
"""

from pkgutil import iter_modules

import groups.migrations

OURS = max(module.name for module in iter_modules(groups.migrations.__path__))
"""The last migration of this program."""

APPLIED = "SELECT coalesce(max(name), '') FROM django_migrations WHERE app = 'groups'"


def problem(applied: str) -> str | None:
    """What is wrong with a database whose last migration is this; None if nothing is."""
    if applied == OURS:
        return None
    if applied < OURS:
        return f"its schema is {applied or 'empty'}, this node's {OURS}: migrate it first"
    return f"its schema is {applied}, newer than this node's {OURS}: start the newer version"
