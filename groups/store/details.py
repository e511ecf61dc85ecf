"""The details of large rows as JSON text (of other rows: ``groups.core.rows.text_of``)."""

import json
from collections.abc import Callable

from groups.core.rows import GroupRow, MemberRow, size_of, size_of_group, text_of

Row = GroupRow | MemberRow
Text = Callable[[Row], str]

AT_ONCE_MAX = 64 * 1024
"""For a row of this size ``json``'s C code holds the interpreter's lock, and so blocks the event
loop, for half a millisecond. 20,000 topics of 200 characters and their matches are 9 MB: 70 ms."""

IN_PIECES = json.JSONEncoder()


def text_in_pieces(row: Row) -> str:
    """The same text; that of a large row is built in Python, which takes a quarter longer but
    releases the lock every millisecond."""
    size = size_of(row) if isinstance(row, MemberRow) else size_of_group(row)
    if size <= AT_ONCE_MAX:
        return text_of(row)
    return "".join(IN_PIECES.iterencode(dict(row.details)))
