"""``manage.py operations``: the command line's table, which knows nothing of the server's code."""

import json
from collections.abc import Iterator
from typing import Any, Final

from django.core.management.base import BaseCommand

from groups.core.operations import OPERATIONS

HEAD: Final = '''"""The commands of the table of operations: name, method, path, targets, help.

``manage.py operations`` generates this file from ``groups/core/operations.py``.
"""

from typing import Final

Row = tuple[str, str, str, tuple[str, ...], str]


def path_of(tail: str, member: str | None) -> str:
    """REST's path of an operation on a group, or on a member of one; the query names them."""
    target = "/group" if member is None else "/group/members"
    return f"{target}/{tail}" if tail else target


COMMANDS: Final[tuple[Row, ...]] = ('''


class Command(BaseCommand):
    """Print the table as Python."""

    help = __doc__ or ""

    def handle(self, *_: Any, **__: Any) -> None:
        """Print it."""
        self.stdout.write("\n".join(page()))


def page() -> Iterator[str]:
    """The lines of the file, formatted."""
    yield HEAD
    for name, row in OPERATIONS.items():
        if row.says:
            fields = [name.value, name.method, name.tail, (*map(str, sorted(row.says)),), row.helps]
            yield "    ("
            yield from (f"        {_literal(field)}," for field in fields)
            yield "    ),"
    yield ")"


def _literal(field: str | tuple[str, ...]) -> str:
    if isinstance(field, str):
        return json.dumps(field)
    words = ", ".join(map(json.dumps, field))
    return f"({words},)" if len(field) == 1 else f"({words})"
