"""What needs attention, as pages list it: open findings, and below them acknowledged ones,
folded."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from console.admin.links import quote
from console.people import rights
from console.queries.fired import Fired, Place, Remedy
from console.queries.situation_text import many
from console.queries.timeline_text import partition_seconds
from groups.models import Acknowledgement

DOCS_URL: Final = "WEB_DOCS_URL"


class Button(NamedTuple):
    """The one thing to do about a finding."""

    label: str
    url: str


class Trouble(NamedTuple):
    """One finding. ``acknowledge``: the URL to acknowledge it; "": not possible, or not by this
    user; ``acknowledged``: by whom, with ``withdraw``, the URL to withdraw it. ``since``: when it
    began, None: unknown; ``cost``: what stood still since then, in words. ``docs``: where the
    documentation says more; "": nobody said where it is."""

    tone: str
    what: str
    detail: str
    link: str
    acknowledge: str = ""
    acknowledged: Acknowledgement | None = None
    withdraw: str = ""
    since: datetime | None = None
    cost: str = ""
    button: Button | None = None
    advice: str = ""
    docs: str = ""


def troubles(lines: Iterable[Fired], request: HttpRequest) -> Iterator[Trouble]:
    """All findings, the most urgent first."""
    may, now = rights.may(request.user, rights.ACKNOWLEDGE), timezone.now()
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
            line.since,
            cost(line, now),
            button(line, request),
            line.advice,
            documentation(line),
        )


def documentation(line: Fired) -> str:
    """The page of the documentation's site, if the installation says where that is."""
    site, (page, _, anchor) = getattr(settings, DOCS_URL), line.docs.partition("#")
    return f"{site.rstrip('/')}/{page}.html{'#' if anchor else ''}{anchor}" if site else ""


def cost(line: Fired, now: datetime) -> str:
    """What stands still, and what that has cost until now. It is rounded to minutes: a page whose
    text changed each second would be sent again each second."""
    if not line.still:
        return ""
    stand = "stands" if line.still == 1 else "stand"
    told = f"{many(line.still, 'partition')} {stand} still"
    until = now.replace(second=0, microsecond=0)
    cost_ms = line.cost_ms(until)
    return f"{told}: at most {partition_seconds(cost_ms)} until {until:%H:%M}" if cost_ms else told


class Page(NamedTuple):
    """The page of a remedy, for those who have this right. ``query``: of a URL."""

    label: str
    name: str
    right: str
    query: str = ""


REMEDIES: Final[Mapping[Remedy, Page]] = {
    Remedy.EVICT: Page("Evict {name}", "group_evict", rights.EVICT),
    Remedy.THAW: Page("Thaw it", "group_freeze", rights.FREEZE),
    Remedy.RESUME: Page("Start its work", "group_pause", rights.PAUSE),
    Remedy.UNDRAIN: Page("Withdraw the drain", "node_drain", rights.DRAIN),
    Remedy.FORGET: Page("Forget it", "node_forget", rights.DRAIN),
    Remedy.WHY: Page("See why", "group_change", rights.VIEW_GROUP, "tab=rebalances"),
}


def button(line: Fired, request: HttpRequest) -> Button | None:
    """What ends it, for a user who may; whoever may not can see why it is so."""
    if line.remedy is None:
        return None
    page = REMEDIES[line.remedy]
    if not rights.may(request.user, page.right):
        page = REMEDIES[Remedy.WHY] if line.place == Place.GROUP else page
        if page.right != rights.VIEW_GROUP:
            return None
    query = urlencode({"member": line.member_id}) if "{name}" in page.label else page.query
    url = reverse(f"admin:groups_{page.name}", args=[quote(line.key)])
    return Button(page.label.format(name=line.name), f"{url}?{query}" if query else url)


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

OWN_PAGES: Final = (Place.GROUP, Place.OPERATION)
"""Each of them has a page; a group's id may be empty."""


def link(line: Fired) -> str:
    """The page that tells more."""
    return reverse(PAGES[line.place], args=[quote(line.key)] if line.place in OWN_PAGES else [])
