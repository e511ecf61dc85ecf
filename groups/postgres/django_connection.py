"""Django's connection of this thread."""

from django.db import connection


def give_back() -> None:
    """To the pool, unless a transaction is open: for who is about to wait."""
    if not connection.in_atomic_block:
        connection.close()
