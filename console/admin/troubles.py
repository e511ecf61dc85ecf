"""What needs attention, as pages list it: open findings, and below them acknowledged ones,
folded."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from console.admin.links import quote
from console.people import rights
from console.queries.fired import Fired, Place
from groups.models import Acknowledgement


class Trouble(NamedTuple):
    """One finding. ``acknowledge``: the URL to acknowledge it; "": not possible, or not by this
    user; ``acknowledged``: by whom, with ``withdraw``, the URL to withdraw it."""

    tone: str
    what: str
    detail: str
    link: str
    acknowledge: str = ""
    acknowledged: Acknowledgement | None = None
    withdraw: str = ""


def troubles(lines: Iterable[Fired], request: HttpRequest) -> Iterator[Trouble]:
    """All findings, the most urgent first."""
    may = rights.may(request.user, rights.ACKNOWLEDGE)
    for line in lines:
        noted = line.acknowledged
        yield Trouble(
            line.tone,
            line.sentence,
            line.detail,
            link(line),
            acknowledge(line) if may and noted is None and line.subject is not None else "",
            noted,
            reverse(WITHDRAW, args=[noted.pk]) if may and noted is not None else "",
        )


def folded(lines: Iterable[Trouble]) -> Mapping[str, Sequence[Trouble]]:
    """Open findings, and acknowledged ones."""
    findings = list(lines)
    return {
        "troubles": [line for line in findings if line.acknowledged is None],
        "acknowledged": [line for line in findings if line.acknowledged is not None],
    }


def acknowledge(line: Fired) -> str:
    """The URL to acknowledge it."""
    query = urlencode({"rule": line.rule, "subject": line.subject})
    return f"{reverse('admin:groups_acknowledgement_add')}?{query}"


WITHDRAW: Final = "admin:groups_acknowledgement_delete"

PAGES: Final[Mapping[Place, str]] = {
    Place.GROUP: "admin:groups_group_change",
    Place.GROUPS: "admin:groups_group_changelist",
    Place.NODES: "admin:groups_node_changelist",
    Place.OPERATION: "admin:groups_operation_change",
    Place.SCHEDULE: "admin:django_celery_beat_periodictask_changelist",
}


def link(line: Fired) -> str:
    """The page that tells more."""
    return reverse(PAGES[line.place], args=[quote(line.key)] if line.key else [])
