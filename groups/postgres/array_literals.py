"""PostgreSQL's array literals, built for whole columns.

psycopg adapts a list item by item, which takes 2.3 us for each text; this takes 0.03
(docs/hot-path.md), and a batch of commits has thousands. Only text, integers and NULL.
"""

from collections.abc import Iterable, Sequence
from typing import Any

NULL = "NULL"

AT_ONCE = 2_000
"""Values that one call in C may convert: while it runs, no other thread gets the interpreter's
lock, and of 100,000 values it takes 10 to 40 ms."""


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
