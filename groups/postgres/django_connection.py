"""Django's connection of the current thread."""

from django.db import connection


def give_back() -> None:
    """Return it to the pool, unless a transaction is open: called before a wait."""
    if not connection.in_atomic_block:
        connection.close()
