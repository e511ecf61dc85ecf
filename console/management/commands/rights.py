"""``manage.py rights``: prints docs/rights.md."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.contrib.auth.models import Group as Role
from django.core.management.base import BaseCommand

from console.journal_subjects import SUBJECTS
from console.people import rights, staff_roles

ROLES: Final = (staff_roles.VIEWER, staff_roles.OPERATOR, staff_roles.ADMINISTRATOR)

HEAD: Final = """\
# Who may do what

`manage.py rights` generates this page from the table of rights (`console/people/rights.py`),
against which every request is checked, and from the roles (`console/people/staff_roles.py`). A
route without a row is forbidden to everyone. A superuser, and over REST the token of
`ROLLCALL_API_TOKEN`, may do everything that a row allows; any other token has the rights of its
user. Users of the admin are staff.
"""


class Command(BaseCommand):
    """Prints the page."""

    help = "Print the table of rights (docs/rights.md)."

    def handle(self, *args: Any, **options: Any) -> None:
        """With the roles of the installation."""
        self.stdout.write("\n".join(_page()))


def _page() -> Iterator[str]:
    held = {name: _held(name) for name in ROLES}
    yield HEAD
    yield from _table("REST, under /api/v1/", "route", held, _methods(rights.REST))
    confluent = _methods(rights.CONFLUENT)
    yield from _table("Confluent's paths, under /kafka/v3/", "route", held, confluent)
    yield from _table("Other paths", "path", held, _methods(rights.SERVICES))
    pages = _methods(rights.ADMIN)
    yield from _table("The admin's pages, by the names of their URLs", "page", held, pages)
    actions = (
        (f"{label}: {action}", permission)
        for label, model in rights.MODELS.items()
        for action, permission in model.actions.items()
    )
    yield from _table("Actions on rows selected in a list", "action", held, actions)
    yield from _table("Websockets", "path", held, rights.SOCKETS.items())
    kinds = ((kind, rights.JOURNAL[about]) for kind, about in SUBJECTS.items())
    yield from _table("Entries of the journal, wherever they are read", "kind", held, kinds)


def _methods(rows: Mapping[str, rights.Row]) -> Iterator[tuple[str, str]]:
    for route, row in rows.items():
        for method, permission in row.items():
            yield f"{method} {route}", permission


def _table(title: str, head: str, held: Mapping[str, set[str]], rows: Any) -> Iterator[str]:
    yield f"\n## {title}\n\n| {head} | needs | {' | '.join(ROLES)} |\n|---|---|---|---|---|"
    for name, permission in rows:
        marks = (_mark(permission, held[role]) for role in ROLES)
        yield f"| `{name}` | {permission} | {' | '.join(marks)} |"


def _mark(permission: str, held: set[str]) -> str:
    fixed = {rights.ANYBODY: True, rights.LOGGED_IN: True, rights.NOBODY: False}
    return "yes" if fixed.get(permission, permission in held) else "-"


def _held(role: str) -> set[str]:
    permissions = Role.objects.get(name=role).permissions.select_related("content_type")
    return {f"{each.content_type.app_label}.{each.codename}" for each in permissions}
