"""A group's timeline on its page, on a page of its own, and as a picture."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from console.admin import standing, timeline_chart, timeline_window
from console.admin.timeline_chart import WORDS, line_of, rebalance_line
from console.people import rights
from console.queries import timeline, timeline_text
from console.queries.timeline import Timeline, Window
from console.queries.timeline_events import DEPLOY, MARK, Event
from console.queries.timeline_lanes import HOST
from groups.models import Group

LINES_MAX: Final = 200
"""Lines below the drawing, the newest; a shorter time has all of its own."""

PICTURE: Final = "attachment; filename=timeline.svg"


def context(group_id: str, group: Group | None, request: HttpRequest) -> Mapping[str, Any]:
    """The timeline that a URL selects."""
    now = timezone.now()
    shown, name = timeline_window.window(request.GET, now)
    found = timeline.read(
        group_id,
        shown,
        rights.kinds(request.user),
        group,
        has_reports=rights.may(request.user, rights.VIEW_REPORT),
    )
    lines = list(_lines(found))
    return {
        **timeline_window.links(shown, name, now),
        "timeline": found,
        "window": shown,
        "drawing": timeline_chart.draw(found),
        "cost": timeline_text.cost(found.cost),
        "hosts": _hosts(found, shown),
        "lines": lines[:LINES_MAX],
        "more_lines": max(0, len(lines) - LINES_MAX),
        "query_now": timeline_window.query(shown.since, shown.until, shown.host),
    }


def _hosts(found: Timeline, shown: Window) -> Sequence[tuple[str, str]]:
    """The names of the lanes; one of a host leads to its members."""
    return [
        (
            lane.name if found.by != HOST or not lane.detail else f"{lane.name} · {lane.detail}",
            timeline_window.query(shown.since, shown.until, lane.key)
            if found.by == HOST and lane.key
            else "",
        )
        for lane in found.lanes
    ]


def _lines(found: Timeline) -> Iterator[Mapping[str, Any]]:
    """Everything that happened, the newest first."""
    told = [
        *(
            (one.since, rebalance_line(one), _tone(one.cost_ms), "rebalance", one.text, None)
            for one in found.rebalances
        ),
        *(
            (one.at, line_of(one, n), one.tone, WORDS[one.sort], one.text, _cost_of(one))
            for n, one in enumerate(found.events)
        ),
    ]
    for at, key, tone, sort, text, cost in sorted(told, key=lambda line: line[:2], reverse=True):
        yield {
            "at": at,
            "key": key,
            "tone": tone,
            "sort": sort,
            "text": text,
            "cost": cost,
            "was": f"?{urlencode({'tab': 'owners', 'at': timeline_window.text(at)})}",
        }


def _tone(cost_ms: int) -> str:
    return "warn" if cost_ms else "good"


def _cost_of(event: Event) -> str | None:
    """The URL of the time after a mark or a deploy."""
    if event.sort not in (MARK, DEPLOY):
        return None
    return timeline_window.after(event.at, event.until)


def page(
    site: Any, group_id: str, group: Group | None, request: HttpRequest, template: str
) -> HttpResponse:
    """The timeline on a page of its own."""
    values = {
        **site.each_context(request),
        "title": f"Timeline of {group_id}",
        "group": group or Group(group_id=group_id),
        "is_whole": True,
        **standing.urls(Group(group_id=group_id)),
        **context(group_id, group, request),
    }
    return render(request, template, values)


def picture(group_id: str, group: Group | None, request: HttpRequest) -> HttpResponse:
    """The timeline as an SVG that needs no style sheet."""
    values = {"group_id": group_id, **context(group_id, group, request)}
    template = "admin/groups/group/timeline_picture.svg"
    answer = render(request, template, values, content_type="image/svg+xml")
    answer["Content-Disposition"] = PICTURE
    return answer
