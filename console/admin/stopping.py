"""Stopped work in words, for a group's page. Decides nothing and reads no rows."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse

from console.admin.links import quote
from console.queries.groups import MemberView
from console.queries.pauses import DEAF, STARTING, STOPPED, STOPPING, WORKING, WorkState
from groups.models import Group, Pause

WORDS: Final[Mapping[str, str]] = {
    WORKING: "working",
    STOPPING: "stopping",
    STOPPED: "stopped",
    STARTING: "starting",
    DEAF: "does not support stopping",
}

TONES: Final[Mapping[str, str]] = {STOPPING: "nobody", STOPPED: "nobody", DEAF: "error"}

STOPS_MAX: Final = 10
"""Pauses that a page lists; REST has them all."""


def of_group(group: Group, work: WorkState) -> dict[str, Any]:
    """Members that are stopped individually, by whom and why, and how many have stopped. A stop of
    the whole group is in its situation."""
    members = [pause for pause in work.pauses if pause.name]
    return {
        "work": work,
        "stops": [_stop(group, pause) for pause in members[:STOPS_MAX]],
        "obedience": obedience(work),
    }


def of_member(work: WorkState, view: MemberView) -> dict[str, Any]:
    """One member's part. ``is_stopped``: whether it was stopped individually."""
    word = work.members[view.member_id]
    name = view.instance_id or view.member_id
    return {
        "work": WORDS[word] if work.is_stopped or word != WORKING else "",
        "work_tone": TONES.get(word, "quiet"),
        "is_stopped": any(pause.name == name for pause in work.pauses),
    }


def obedience(work: WorkState) -> str:
    """How many have stopped: "3 of 4 members that support stopping have stopped"."""
    have = "has" if work.obeyed == 1 else "have"
    text = f"{work.obeyed} of {work.asked} members that support stopping {have} stopped"
    if work.deaf:
        takes, goes = ("does", "continues") if work.deaf == 1 else ("do", "continue")
        text += f"; {work.deaf} {takes} not support it, and {goes}"
    return f"{text}."


def _stop(group: Group, pause: Pause) -> dict[str, Any]:
    url = reverse("admin:groups_group_pause", args=[quote(group.group_id)])
    return {
        "sentence": f"The work of {pause.name} was stopped by {pause.actor}: {pause.reason}.",
        "since": pause.since,
        "url": f"{url}?{urlencode({'member': pause.name})}",
    }
