"""Which schema this program was written for, and which one the database has: the last migration.

Asked once, at each start. A node that runs goes on while the database is migrated beside it, since
migrations only add; one that starts must know all that the rows may say.
"""

from pkgutil import iter_modules

import groups.migrations

OURS = max(module.name for module in iter_modules(groups.migrations.__path__))
"""The last migration of this program."""

APPLIED = "SELECT coalesce(max(name), '') FROM django_migrations WHERE app = 'groups'"


def problem(applied: str) -> str | None:
    """What is wrong with a database whose last migration is this; None where nothing is."""
    if applied == OURS:
        return None
    if applied < OURS:
        return f"its schema is {applied or 'empty'}, this node's {OURS}: migrate it first"
    return f"its schema is {applied}, newer than this node's {OURS}: start the newer version"
