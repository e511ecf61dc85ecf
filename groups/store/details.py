"""The details of rows as JSON text."""

import json
from collections.abc import Callable

from groups.core.rows import GroupRow, MemberRow, size_of, size_of_group

Row = GroupRow | MemberRow
Text = Callable[[Row], str]

AT_ONCE_MAX = 64 * 1024
"""Bytes of a row for which ``json``'s C code holds the interpreter's lock, and so the event loop,
for half a millisecond. 20,000 topics of 200 characters and what matches them are 9 MB: 70 ms."""

IN_PIECES = json.JSONEncoder()


def text(row: Row) -> str:
    """The details in one go."""
    return json.dumps(dict(row.details))


def text_in_pieces(row: Row) -> str:
    """The same text; that of a large row is put together in Python, a quarter dearer, which lets go
    of the lock every millisecond."""
    size = size_of(row) if isinstance(row, MemberRow) else size_of_group(row)
    if size <= AT_ONCE_MAX:
        return text(row)
    return "".join(IN_PIECES.iterencode(dict(row.details)))


def text_for(size: int) -> Text:
    """How to put the rows of a batch of so many bytes: few have any that is large."""
    return text if size <= AT_ONCE_MAX else text_in_pieces
