"""``manage.py operations``: the command line's table, which knows nothing of the server's code."""

import json
from collections.abc import Iterator
from typing import Any, Final

from django.core.management.base import BaseCommand

from groups.core.operations import OPERATIONS, Name, Target

OWN: Final = (Name.FREEZE,)
"""Commands with options of their own are written out (``rollcall/cli/verbs.py``)."""

HEAD: Final = '''"""The commands that the table of operations has: name, method, targets, help.

``manage.py operations`` generates this file from ``groups/core/operations.py``.
"""

from typing import Final

Row = tuple[str, str, tuple[str, ...], str]

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
        if row.helps and name not in OWN:
            targets = sorted(row.says) or [Target.MEMBER]
            fields = [
                name.value,
                "POST" if row.says else "DELETE",
                tuple(map(str, targets)),
                row.helps,
            ]
            yield "    ("
            yield from (f"        {_literal(field)}," for field in fields)
            yield "    ),"
    yield ")"


def _literal(field: str | tuple[str, ...]) -> str:
    if isinstance(field, str):
        return json.dumps(field)
    words = ", ".join(map(json.dumps, field))
    return f"({words},)" if len(field) == 1 else f"({words})"
