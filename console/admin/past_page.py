"""A group's page as it was at a moment (``?at=``): its owners, members, offsets and settings, with
the tabs of now where they show the same."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils import timezone

from console.admin import configuration_tab, standing, timeline_window
from console.admin.matrix import COLOURS, heat_map, matrix
from console.admin.member_table import by_topic, table
from console.queries import moments, moments_text, tones
from console.queries.moments import Moment
from console.queries.ranges import ranges
from console.queries.situation_text import Situation, Tone
from groups.broker_configs import from_django
from groups.core.configs.group import GROUP_CONFIGS
from groups.models import Group, Offset

AT: Final = "at"
TOPICS_MAX: Final = 40
OFFSETS_MAX: Final = 200
"""Partitions of a page of offsets, by name; a part of a topic's name chooses others."""

SLIDER: Final = timedelta(hours=12)
"""How far before and after the moment the slider reaches."""

AROUND: Final = timedelta(minutes=30)
"""Of the timeline that a page of the past leads to."""

PART: Final = re.compile(r"(?:(?P<topic>[\w.-]{1,249})[:-])?(?P<number>\d{1,9})", re.ASCII)
"""A partition as it is written: "orders-7", "orders:7" or "7"."""


def moment_of(request: HttpRequest) -> datetime | None:
    """The moment of the URL; None: now, or one to come."""
    at = timeline_window.moment(request.GET.get(AT, ""))
    return at if at is not None and at < timezone.now() else None


def context(group_id: str, at: datetime, request: HttpRequest) -> dict[str, Any]:
    """The content of the page."""
    then = moments.look(group_id, at)
    name = request.GET.get("tab", "")
    name = name if name in TABS else next(iter(TABS))
    _, make = TABS[name]
    return {
        "group": Group(group_id=group_id, revision=0),
        "at": at,
        "is_past": True,
        "tone": tones.PLAIN,
        "situation": Situation(Tone.PLAIN, moments_text.was(then)),
        "answers": _answers(then, request),
        "tab": name,
        "tab_template": f"admin/groups/group/tabs/{TEMPLATES.get(name, name)}.html",
        "tabs": [
            {"title": each, "link": _link(key, at), "active": key == name}
            for key, (each, _) in TABS.items()
        ],
        "around": timeline_window.query(at - AROUND, at + AROUND),
        **slider(at, name),
        **standing.urls(Group(group_id=group_id)),
        **make(group_id, then, request),
    }


def slider(at: datetime | None, tab: str) -> Mapping[str, Any]:
    """What chooses a moment: a field, and a slider for those with scripts. On pages of the present
    it changes once an hour: a page that is refreshed is not sent again for it."""
    now = timezone.now().replace(second=0, microsecond=0)
    middle = at or now.replace(minute=0)
    last = min(now, at + SLIDER) if at else middle
    return {
        "slider": {
            "tab": tab,
            "first": int((last - 2 * SLIDER).timestamp()),
            "last": int(last.timestamp()),
            "value": int(middle.timestamp()),
            "at": middle,
        }
    }


def _link(tab: str, at: datetime) -> str:
    return f"?{urlencode({'tab': tab, AT: timeline_window.text(at)})}"


def _answers(then: Moment, request: HttpRequest) -> Sequence[str]:
    """Who owned the partition that is asked for."""
    asked = request.GET.get("partition", "").strip()
    match = PART.fullmatch(asked)
    if match is None:
        return []
    topic, number = match["topic"], int(match["number"])
    found = then.owners_of(number, topic)
    return [moments_text.owner(one, number) for one in found] or [moments_text.nobody(then, asked)]


def _owners(_group_id: str, then: Moment, _request: HttpRequest) -> Mapping[str, Any]:
    members, counts = then.members, then.counts
    small = matrix(members, counts)
    topics = [] if small else by_topic(members, counts, ranges)
    return {
        "matrix": small,
        "heat": None if small else heat_map(members, counts),
        "by_topic": topics[:TOPICS_MAX],
        "more_topics": max(0, len(topics) - TOPICS_MAX),
    }


def _members(_group_id: str, then: Moment, request: HttpRequest) -> Mapping[str, Any]:
    listed = table(then.members, request.GET)
    lives = {life.member_id: life for life in then.lives}
    return {
        "table": listed,
        "rows": [
            {
                "view": view,
                "life": lives[view.member_id],
                "colour": n % COLOURS,
                "partitions": "; ".join(
                    f"{topic}: {ranges(numbers)}"
                    for topic, numbers in (view.assignment or {}).items()
                ),
            }
            for n, view in enumerate(listed.rows)
        ],
    }


def _offsets(group_id: str, then: Moment, request: HttpRequest) -> Mapping[str, Any]:
    search = request.GET.get("topic", "").strip()
    found = [one for one in moments.offsets(group_id, then.at) if search in one.topic]
    topics = {one.topic for one in found[:OFFSETS_MAX]}
    now = {
        (topic, partition): offset
        for topic, partition, offset in Offset.objects.filter(
            group_id=group_id, topic__in=topics
        ).values_list("topic", "partition", "committed_offset")
    }
    return {
        "rows": [
            {**one._asdict(), "now": now.get((one.topic, one.partition))}
            for one in found[:OFFSETS_MAX]
        ],
        "more": max(0, len(found) - OFFSETS_MAX),
        "search": search,
    }


def _configuration(group_id: str, then: Moment, _request: HttpRequest) -> Mapping[str, Any]:
    (values,) = moments.settings(group_id, then.at)
    broker = from_django()
    return {
        "settings": [
            {
                "entry": config.entry(values, broker),
                "is_own": config.name in values,
                "source": configuration_tab.SOURCES[config.entry(values, broker).source],
                "bounds": configuration_tab.bounds(config, broker),
            }
            for config in GROUP_CONFIGS
        ],
    }


Make = Callable[[str, Moment, HttpRequest], Mapping[str, Any]]

TABS: Final[Mapping[str, tuple[str, Make]]] = {
    "owners": ("Who owned what", _owners),
    "members": ("Members", _members),
    "offsets": ("Offsets", _offsets),
    "configuration": ("Configuration", _configuration),
}
TEMPLATES: Final[Mapping[str, str]] = {"members": "members_then", "offsets": "offsets_then"}
"""Of tabs that show something else than those of now."""
