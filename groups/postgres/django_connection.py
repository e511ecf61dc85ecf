"""Django's connection of the current thread."""

from typing import Any

from django.db import connection


def give_back() -> None:
    """Return it to the pool, unless a transaction is open: called before a wait."""
    if not connection.in_atomic_block:
        connection.close()


def rows(statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    """The rows that a statement returns."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def execute(statement: str, **parameters: Any) -> int:
    """Returns the number of affected rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return int(cursor.rowcount)
