"""The tabs of a group's page: a table of them, with the content of each.

A tab is a query parameter (``?tab=members``), so that each has a link, and a refresh reads only its
content.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils import timezone

from console.admin import (
    comparison,
    configuration_tab,
    fleet_charts,
    journal_page,
    offsets_tab,
    past_page,
    stopping,
    timeline_tab,
    what_if,
)
from console.admin.matrix import COLOURS, gave_up, heat_map, matrix
from console.admin.member_table import by_topic, shortened, table
from console.admin.standing import Standing, last_operations
from console.people import rights
from console.queries import groups
from console.queries.journal_text import seconds
from console.queries.ranges import ranges
from console.queries.situation import SILENT_SHARE
from groups.core.operations import OPERATIONS, Name

TOPICS_MAX: Final = 40
"""Topics of a group that is too large for a matrix, those with unowned partitions first."""


class Tab(NamedTuple):
    """One tab. ``query``: parameters that select it if the URL names no tab."""

    title: str
    context: Callable[[Standing, HttpRequest], Mapping[str, Any]]
    query: tuple[str, ...] = ()


def owners(seen: Standing, _request: HttpRequest) -> Mapping[str, Any]:
    """The owners of partitions, as a matrix or a heat map with a line per topic; and the last
    events."""
    idle = gave_up(seen.group, seen.members, seen.situation.waiting)
    small = matrix(seen.members, seen.counts, idle)
    topics = [] if small else by_topic(seen.members, seen.counts, ranges)
    return {
        "matrix": small,
        "heat": None if small else heat_map(seen.members, seen.counts, idle),
        "by_topic": topics[:TOPICS_MAX],
        "more_topics": max(0, len(topics) - TOPICS_MAX),
        "newest": journal_page.newest(seen.group.group_id, seen.members),
    }


def members(seen: Standing, request: HttpRequest) -> Mapping[str, Any]:
    """The members, with search, order and pages."""
    listed = table(seen.members, request.GET)
    colours = {m.member_id: n % COLOURS for n, m in enumerate(seen.members)}
    offered = [
        name
        for name, row in OPERATIONS.items()
        if row.button and rights.may(request.user, f"groups.{row.permission}")
    ]
    return {
        "table": listed,
        "members": [
            {
                **member(m, colours[m.member_id]),
                **_operations(seen, m, offered),
                **stopping.of_member(seen.work, m),
            }
            for m in listed.rows
        ],
        "has_instances": any(m.instance_id for m in listed.rows),
        "has_operations": bool(offered),
    }


def _operations(
    seen: Standing, view: groups.MemberView, offered: Sequence[Name]
) -> Mapping[str, Any]:
    """The links to operations on a member: those that would change something."""
    is_drained, is_classic = view.drain is not None, seen.group.kind == groups.CLASSIC
    hidden = {Name.DRAIN: is_drained or is_classic, Name.UNDRAIN: not is_drained}
    shown = [name for name in offered if not hidden.get(name)]
    return {"operations": [(OPERATIONS[name].button, name.value) for name in shown]}


def rebalances(seen: Standing, request: HttpRequest) -> Mapping[str, Any]:
    """The journal, charts of its rebalances, and the operations on the group."""
    group_id = seen.group.group_id
    entries = journal_page.read(group_id, request)
    return {
        **journal_page.page(group_id, entries, request, seen.members),
        **fleet_charts.of_group(group_id, request, timezone.now()),
        "operations": last_operations(group_id),
    }


def timeline(seen: Standing, request: HttpRequest) -> Mapping[str, Any]:
    """The group along time."""
    return timeline_tab.context(seen.group.group_id, seen.group, request)


TABS: Final[Mapping[str, Tab]] = {
    "owners": Tab("Who owns what", owners),
    "timeline": Tab("Timeline", timeline, ("last", "since")),
    "members": Tab("Members", members, ("members", "sort", "page")),
    "rebalances": Tab("Rebalances", rebalances, ("before", "unfolded")),
    "offsets": Tab("Offsets", offsets_tab.context, ("topic", "partition", "after")),
    "configuration": Tab("Configuration", configuration_tab.context),
    what_if.TAB: Tab("What if", what_if.context),
}
"""By the name in the URL; the first is the default."""


def chosen(request: HttpRequest) -> str:
    """The tab that a URL selects."""
    named = request.GET.get("tab", "")
    if named in TABS:
        return named
    meant = (name for name, tab in TABS.items() if any(word in request.GET for word in tab.query))
    return next(meant, next(iter(TABS)))


def of(seen: Standing, request: HttpRequest) -> dict[str, Any]:
    """The content of the selected tab, and the links of the others."""
    name = chosen(request)
    return {
        "tab": name,
        "tab_template": f"admin/groups/group/tabs/{name}.html",
        "tabs": links(name),
        **(past_page.slider(None, name) if name in past_page.TABS else {}),
        **TABS[name].context(seen, request),
    }


def links(shown: str) -> list[dict[str, Any]]:
    """The tabs, and the comparison, which needs nothing of the group's present."""
    titles = {**{name: tab.title for name, tab in TABS.items()}, comparison.TAB: comparison.TITLE}
    return [
        {"title": title, "link": f"?{urlencode({'tab': name})}", "active": name == shown}
        for name, title in titles.items()
    ]


def member(view: groups.MemberView, colour: int) -> dict[str, Any]:
    """One line of the members' table. The time of the last heartbeat is shown only if it is long
    ago: otherwise every heartbeat would change the page."""
    age, session = view.heartbeat_age_ms, max(1, view.session_timeout_ms)
    is_silent = age is not None and age > SILENT_SHARE * session
    return {
        "view": view,
        "key": f"{zlib.crc32(view.member_id.encode()):x}",
        "query": urlencode({"member": view.member_id}),
        "colour": colour,
        "name": shortened(view.client_id) or "(no client id)",
        "id": shortened(view.member_id),
        "is_silent": is_silent,
        "session": seconds(session),
        "age": None if age is None else seconds(age),
        "partitions": "; ".join(
            f"{topic}: {ranges(numbers)}" for topic, numbers in (view.assignment or {}).items()
        ),
    }
