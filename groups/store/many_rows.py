"""Columns and order of many rows, without a long call that other threads wait for. Pure.

``zip(*rows)`` and ``sorted(rows)`` are single calls in C: while they run, the interpreter's lock is
not handed over, so a thread that builds a batch of 100,000 rows with them stops the event loop for
a tenth of a second. From some thousand rows on these functions take small steps in Python, between
which the loop gets the lock.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from heapq import merge
from typing import Any, Final, TypeVar

Row = TypeVar("Row", bound=Sequence[Any])

ROWS_AT_ONCE: Final = 2_000
"""The number of rows that one call in C may process: one to two milliseconds."""


def whole(row: Row) -> Any:
    """The row itself as its key."""
    return row


def columns(rows: Sequence[Any]) -> Iterable[Sequence[Any]]:
    """The columns of rows of one length; there is at least one row."""
    if len(rows) <= ROWS_AT_ONCE:
        return zip(*rows, strict=True)
    return [[row[at] for row in rows] for at in range(len(rows[0]))]


def in_order(rows: Collection[Row], key: Callable[[Row], Any] | None = None) -> list[Row]:
    """The rows in the order of ``sorted``."""
    if len(rows) <= ROWS_AT_ONCE:
        return sorted(rows) if key is None else sorted(rows, key=key)  # type: ignore[type-var]
    key = key or whole
    found = list(rows)
    starts = range(0, len(found), ROWS_AT_ONCE)
    parts = [sorted(found[at : at + ROWS_AT_ONCE], key=key) for at in starts]
    return list(merge(*parts, key=key))
