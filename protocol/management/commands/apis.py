"""``manage.py apis``: prints docs/apis.md."""

from collections.abc import Iterator
from typing import Any, Final

from django.core.management.base import BaseCommand

from groups.core.errors import ErrorCode
from protocol.apis import APIS
from protocol.management.error_meanings import MEANINGS

HEAD: Final = """\
# APIs and error codes

`manage.py apis` generates this page from the table of APIs (`protocol/apis.py`) and that of error
codes (`protocol/management/error_meanings.py`). ApiVersions tells clients the same.
[ACLs](acls.md) says what each API needs; clients of the [0.9 draft](draft-0.9.md) have a listener
with APIs of their own.

## APIs

Keys from 10000 on are Rollcall's own: [commanded groups](commanded.md), and
[assignors of clients](assignors.md).

| key | API | versions |
|---|---|---|"""

ERRORS: Final = """
## Error codes

Numbers and names are Apache Kafka's, but for two of the 0.9 draft, which has other numbers on its
own listener.

| code | name | when |
|---|---|---|"""


class Command(BaseCommand):
    """Prints the page."""

    help = "Print the tables of APIs and error codes (docs/apis.md)."

    def handle(self, *args: Any, **options: Any) -> None:
        """The same on every installation."""
        self.stdout.write("\n".join(page()))


def page() -> Iterator[str]:
    """Its lines."""
    yield HEAD
    for api in APIS.values():
        yield f"| {api.key} | {api.name} | {api.min_version} to {api.max_version} |"
    yield ERRORS
    for code in sorted(MEANINGS, key=lambda code: (code < ErrorCode.UNKNOWN_SERVER_ERROR, code)):
        yield f"| {code.value} | {code.name} | {MEANINGS[code]} |"
