"""Rows as columns in order, and PostgreSQL's array literals of whole columns. Pure.

psycopg adapts a list item by item, which takes 2.3 us for each text; this takes 0.03
(docs/hot-path.md), and a batch of commits has thousands. Only text, integers and NULL.

``zip(*rows)``, ``sorted(rows)`` and ``join`` are single calls in C: while they run, the
interpreter's lock is not handed over, so a thread that builds a batch of 100,000 rows with them
stops the event loop for a tenth of a second. From some thousand rows on these functions take small
steps in Python, between which the loop gets the lock.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import merge
from typing import Any, Final, TypeVar

Row = TypeVar("Row", bound=Sequence[Any])

Statement = tuple[str, Mapping[str, Any]]
"""Its text and its parameters."""

NULL = "NULL"

AT_ONCE: Final = 2_000
"""Rows or values that one call in C may process: one to two milliseconds."""


def columns(rows: Sequence[Any]) -> Iterable[Sequence[Any]]:
    """The columns of rows of one length; there is at least one row."""
    if len(rows) <= AT_ONCE:
        return zip(*rows, strict=True)
    return [[row[at] for row in rows] for at in range(len(rows[0]))]


def arrays(names: Sequence[str], rows: Sequence[Any]) -> dict[str, Any]:
    """The parameters of a statement that takes rows as an array of each column, by its name."""
    return {name: array(column) for name, column in zip(names, columns(rows), strict=True)}


def in_order(rows: Collection[Row], key: Callable[[Row], Any] | None = None) -> list[Row]:
    """The rows in the order of ``sorted``."""
    if len(rows) <= AT_ONCE:
        return sorted(rows) if key is None else sorted(rows, key=key)  # type: ignore[type-var]
    key = key or _whole
    found = list(rows)
    starts = range(0, len(found), AT_ONCE)
    parts = [sorted(found[at : at + AT_ONCE], key=key) for at in starts]
    return list(merge(*parts, key=key))


def _whole(row: Row) -> Any:
    return row


def array(column: Sequence[Any]) -> str | list[Any]:
    """The literal of a column whose values have one type; a column of bytes stays a list.

    The statement must cast it (``%(name)s::text[]``).
    """
    kind = next((type(value) for value in column if value is not None), None)
    if len(column) > AT_ONCE and kind is not bytes:
        return _in_parts(column)
    if kind is str or (kind is not None and issubclass(kind, str)):
        return texts(column)
    if kind is bytes:
        return list(column)
    if None in column:
        return "{" + ",".join([NULL if v is None else str(v) for v in column]) + "}"
    return "{" + ",".join(map(str, column)) + "}"


def _in_parts(column: Sequence[Any]) -> str:
    parts = [array(column[at : at + AT_ONCE]) for at in range(0, len(column), AT_ONCE)]
    return "{" + ",".join([str(part)[1:-1] for part in parts]) + "}"


def texts(column: Sequence[str | None]) -> str:
    """The literal of texts, each in quotes."""
    if None in column:
        return "{" + ",".join([NULL if v is None else f'"{_escaped(v)}"' for v in column]) + "}"
    joined = '","'.join(column)  # type: ignore[arg-type]  # no None among them
    if "\\" in joined or joined.count('"') != 2 * (len(column) - 1):
        joined = '","'.join([_escaped(v) for v in column if v is not None])
    return f'{{"{joined}"}}'


def integers(columns: Iterable[Sequence[int]]) -> str:
    """The literal of texts, each of which is the literal of a column of integers."""
    return '{"' + '","'.join(map(_integers, columns)) + '"}'


def _integers(column: Sequence[int]) -> str:
    if len(column) > AT_ONCE:
        return _in_parts(column)
    return "{" + ",".join(map(str, column)) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
