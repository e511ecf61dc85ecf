"""The possible results of a batch that failed, and the mapping from PostgreSQL's errors.

Classes and one table of SQLSTATEs. The senders of batches handle the failures.
"""

import json
from collections.abc import Sequence
from typing import Any

import psycopg


class StoreError(Exception):
    """A batch was not written, or its outcome is unknown. The subclass says which."""


class Fenced(StoreError):
    """A slot of the batch has another owner now. Nothing was written."""


class Conflict(StoreError):
    """Rows of ``group_ids`` have another revision than was seen. Nothing was written."""

    def __init__(self, group_ids: Sequence[str]) -> None:
        super().__init__(f"revision differs: {group_ids}")
        self.group_ids = tuple(group_ids)


class Busy(StoreError):
    """Rows of ``group_ids`` are locked by another transaction. Nothing was written."""

    def __init__(self, group_ids: Sequence[str]) -> None:
        super().__init__(f"held elsewhere: {group_ids}")
        self.group_ids = tuple(group_ids)


class Contended(StoreError):
    """A row that the batch needs is locked; which one is unknown. Nothing was written."""


class TooSlow(StoreError):
    """A statement or the transaction exceeded PostgreSQL's timeout. Nothing was written: PostgreSQL
    does not end a transaction after it has begun to commit."""


class Unready(StoreError):
    """PostgreSQL refuses every such batch, whatever is in it, until somebody puts that right: a
    grant or a column is missing, or it recovers. Nothing was written."""


class StatementRefused(StoreError):
    """PostgreSQL refuses a value. Nothing was written, and trying again would not help."""


class Unknown(StoreError):
    """The connection broke: the batch may have committed or not. Reload before continuing."""


def translate(error: psycopg.Error, connection: psycopg.AsyncConnection[Any] | None) -> StoreError:
    """Convert an error of psycopg; the only function that reads SQLSTATEs."""
    detail = error.diag.message_detail
    match error.sqlstate:
        case "RC001":
            return Fenced(str(error))
        case "RC002":
            return Conflict(json.loads(detail or "[]"))
        case "RC003":
            return Busy(json.loads(detail or "[]"))
        case "55P03" | "40P01" | "40001":  # a lock timeout, a deadlock, a serialization failure
            return Contended(str(error))
        case "57014" | "25P03" | "25P04":  # timeouts: statement, idle transaction, transaction
            return TooSlow(str(error))
    if isinstance(error, psycopg.DataError):
        return StatementRefused(str(error))  # errors of the client side (U+0000) have no SQLSTATE
    broken = connection is not None and (connection.closed or connection.broken)
    if broken or error.sqlstate is None or error.sqlstate[:2] in LOST:
        return Unknown(str(error))
    if error.sqlstate[:2] in UNREADY:
        return Unready(str(error))
    return StatementRefused(str(error))


LOST = frozenset({"08", "57", "58", "53", "25"})
"""SQLSTATE classes after which the fault is the service's and not the batch's: connection
exception, operator intervention (a shutdown), system error, insufficient resources, invalid
transaction state (read-only)."""

UNREADY = frozenset({"28", "42", "55"})
"""Those that no value of a batch leads to: invalid authorization, access rule violation (a grant,
a table or a column that is missing), object not in prerequisite state."""
