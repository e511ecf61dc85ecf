"""What differs in a group between two moments, on its page."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.http import HttpRequest
from django.utils import timezone

from console.admin import standing, timeline_window
from console.queries import moments, moments_text, tones
from console.queries.moments import Comparison
from console.queries.situation_text import Situation, Tone
from groups.models import Group, Operation

TAB: Final = "compare"
TITLE: Final = "Compare"

BEFORE: Final = timedelta(hours=1)
SHOWN_MAX: Final = 200
"""Rows of each list; others are only counted."""

OFFSET_VERBS: Final = (Operation.Verb.RESET_OFFSETS, Operation.Verb.RESTORE_OFFSETS)


def context(group_id: str, request: HttpRequest) -> dict[str, Any]:
    """The two moments of the URL, by default an hour ago and now."""
    since, until = _times(request, timezone.now())
    found = moments.compare(group_id, since, until)
    return {
        "group": Group(group_id=group_id, revision=0),
        "is_past": True,
        "tone": tones.PLAIN,
        "situation": Situation(Tone.PLAIN, moments_text.compared(found)),
        "tab": TAB,
        "tab_template": "admin/groups/group/tabs/compare.html",
        "since": since,
        "until": until,
        "comparison": found,
        "came": found.came[:SHOWN_MAX],
        "went": found.went[:SHOWN_MAX],
        "moves": found.moves[:SHOWN_MAX],
        "more": _more(found),
        "resets": _resets(group_id, since, until),
        "between": timeline_window.query(since, until),
        **standing.urls(Group(group_id=group_id)),
    }


def _times(request: HttpRequest, now: datetime) -> tuple[datetime, datetime]:
    """In the order of time; a refresh of the default changes once a minute."""
    minute = now.replace(second=0, microsecond=0)
    until = timeline_window.moment(request.GET.get("until", "")) or minute
    until = min(until, now)
    since = timeline_window.moment(request.GET.get("since", "")) or until - BEFORE
    since = min(since, now)
    return min(since, until), max(since, until)


def _more(found: Comparison) -> int:
    lists = (found.came, found.went, found.moves)
    return sum(max(0, len(each) - SHOWN_MAX) for each in lists)


def _resets(group_id: str, since: datetime, until: datetime) -> Sequence[Operation]:
    """Operations that set offsets meanwhile: the page of each offers to undo it."""
    verbs = Operation.objects.filter(group_id=group_id, verb__in=OFFSET_VERBS)
    within = verbs.filter(finished_at__gt=since, finished_at__lte=until)
    return list(within.order_by("-id")[:SHOWN_MAX])
