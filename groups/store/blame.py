"""Finds the members whose rows PostgreSQL refuses, without writing anything."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import psycopg

from groups.postgres import errors
from groups.store.apply import MEMBER_COLUMNS, Write, in_columns, member_row, moved_members
from groups.store.sql import group_rows


async def refused_members(
    connection: psycopg.AsyncConnection[Any], write: Write
) -> tuple[str, ...]:
    """The members of this write whose rows PostgreSQL refuses because of their values. Writes
    nothing."""
    moved = moved_members([write])
    rows = [member_row(group_id, new) for group_id, _, new in moved if new is not None]
    try:
        return tuple([member_id async for member_id in _refused(connection, rows)])
    except psycopg.Error as error:
        raise errors.translate(error, connection) from error


async def _refused(
    connection: psycopg.AsyncConnection[Any], rows: Sequence[tuple[Any, ...]]
) -> AsyncIterator[str]:
    if not rows or await _takes(connection, rows):
        return
    if len(rows) == 1:
        yield rows[0][1]
        return
    half = len(rows) // 2
    for part in (rows[:half], rows[half:]):
        async for member_id in _refused(connection, part):
            yield member_id


async def _takes(connection: psycopg.AsyncConnection[Any], rows: Sequence[tuple[Any, ...]]) -> bool:
    """Whether PostgreSQL accepts these rows; the transaction is rolled back."""
    try:
        async with connection.transaction(force_rollback=True):
            for text, parameters in in_columns(group_rows.PUT_MEMBERS, MEMBER_COLUMNS, rows):
                await connection.execute(text.encode(), parameters)
    except psycopg.Error as error:
        if isinstance(errors.translate(error, connection), errors.StatementRefused):
            return False
        raise
    except (TypeError, ValueError):
        return False
    return True
