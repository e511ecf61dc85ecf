"""What would happen to a group: a tab with the questions that it can be asked, and one answer
(``console.queries.foresight``)."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict

from console.admin.standing import Standing
from console.foresight.foresight import Foresight, Scene
from console.queries import foresight, foresight_text, questions
from console.queries.foresight import Unanswerable

TAB: Final = "what-if"
SHOWN_MAX: Final = 100
"""Members in the table, those that change most; others are only counted."""

HOSTS_MAX: Final = 30


def context(seen: Standing, request: HttpRequest) -> Mapping[str, Any]:
    """The questions, and the answer to that of the URL. Four statements."""
    try:
        scene = foresight.scene_of(seen.group)
    except Unanswerable as error:
        return {"unanswerable": str(error)}
    return {
        "hosts": _hosts(scene),
        "topics": sorted(scene.named(topic) for topic in scene.counts)[:HOSTS_MAX],
        "assignors": sorted(scene.assignors.keys() - {scene.assignor}),
        "assignor_now": scene.assignor,
        "protocols": sorted(scene.protocols),
        **_answer(scene, request.GET),
    }


def _hosts(scene: Scene) -> list[dict[str, Any]]:
    """Hosts, those with the most partitions first."""
    members = Counter(seat.host for seat in scene.seats)
    owned: Counter[str] = Counter()
    for seat in scene.seats:
        owned[seat.host] += len(seat.as_seen.held)
    order = sorted(members, key=lambda host: (-owned[host], host))
    return [
        {
            "name": host.lstrip("/"),
            "address": host,
            "query": f"?{urlencode({'tab': TAB, 'host': host})}",
            "members": members[host],
            "partitions": owned[host],
        }
        for host in order[:HOSTS_MAX]
    ]


def _answer(scene: Scene, query: QueryDict) -> dict[str, Any]:
    try:
        question = questions.question(scene, query)
        if question is None:
            return {}
        found = foresight.answer(scene, question.change)
    except (ValueError, Unanswerable) as error:
        return {"problem": f"This cannot be answered: {error}."}
    return {
        "question": question.title,
        "told": foresight_text.answer(found),
        "accuracy": found.accuracy,
        **_shares(found),
    }


def _shares(found: Foresight) -> dict[str, Any]:
    changed = sorted(found.shares, key=lambda one: (-abs(one.after - one.before), one.name))
    return {
        "shares": changed[:SHOWN_MAX],
        "more_shares": max(0, len(changed) - SHOWN_MAX),
    }
