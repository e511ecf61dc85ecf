"""What would happen to a group: a tab with the questions that it can be asked, and one answer
(``console.queries.foresight``)."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict

from console.admin.standing import Standing
from console.queries import foresight, foresight_text
from console.queries.foresight import Unanswerable
from console.queries.situation_text import many
from groups.core.foresight import Change, Foresight, Gone, Scene

TAB: Final = "what-if"
SHOWN_MAX: Final = 100
"""Members in the table, those that change most; others are only counted."""

HOSTS_MAX: Final = 30
DIGITS_MAX: Final = 6


class Question(NamedTuple):
    """A question of a URL: the title of its answer, and the change."""

    title: str
    change: Change


Ask = Callable[[Scene, QueryDict], Question]


def _number(query: QueryDict, name: str) -> int:
    """A number that is not 0. Raises ValueError with a sentence."""
    text = query.get(name, "").strip()
    digits = text.removeprefix("-").removeprefix("+")
    if not digits.isdecimal() or len(digits) > DIGITS_MAX or not int(digits):
        raise ValueError("a whole number is needed, and not 0")
    return int(text)


def _host(scene: Scene, query: QueryDict) -> Question:
    host = query["host"]
    return Question(f"If host {host.lstrip('/')} dies", foresight.of_host(scene, host))


def _member(scene: Scene, query: QueryDict) -> Question:
    member_id = query["gone"]
    change = Change(gone=frozenset([member_id]), how=Gone.SILENT)
    seat = next((each for each in scene.seats if each.member_id == member_id), None)
    name = member_id if seat is None else seat.as_seen.instance_id or seat.client_id or member_id
    return Question(f"If {name} dies", change)


def _members(scene: Scene, query: QueryDict) -> Question:
    more = _number(query, "more")
    if more > 0:
        return Question(f"With {many(more, 'more member')}", Change(newcomers=more))
    if -more > len(scene.seats):
        raise ValueError(f"the group has {many(len(scene.seats), 'member')}")
    last = [seat.member_id for seat in scene.seats[more:]]
    return Question(f"With {many(-more, 'member')} fewer", Change(gone=frozenset(last)))


def _partitions(_scene: Scene, query: QueryDict) -> Question:
    topic, added = query.get("grown", ""), _number(query, "partitions")
    title = f"With {many(added, 'more partition')} of {topic}"
    return Question(title, Change(partitions={topic: added}))


def _assignor(_scene: Scene, query: QueryDict) -> Question:
    name = query["assignor"]
    return Question(f"With the assignor {name}", Change(assignor=name))


def _deploy(_scene: Scene, query: QueryDict) -> Question:
    size, static = _number(query, "at_once"), bool(query.get("static"))
    ids = ", with static ids" if static else ""
    return Question(
        f"In a deploy of {size} at a time{ids}", Change(at_once=size, are_static=static)
    )


QUESTIONS: Final[Mapping[str, Ask]] = {
    "host": _host,
    "gone": _member,
    "more": _members,
    "partitions": _partitions,
    "assignor": _assignor,
    "at_once": _deploy,
}
"""By the parameter of the URL that asks it."""


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
            "query": f"?{urlencode({'tab': TAB, 'host': host})}",
            "members": members[host],
            "partitions": owned[host],
        }
        for host in order[:HOSTS_MAX]
    ]


def _answer(scene: Scene, query: QueryDict) -> dict[str, Any]:
    asked = next((name for name in QUESTIONS if query.get(name)), None)
    if asked is None:
        return {}
    try:
        question = QUESTIONS[asked](scene, query)
        found = foresight.answer(scene, question.change)
    except (ValueError, Unanswerable) as error:
        return {"asked": asked, "problem": f"This cannot be answered: {error}."}
    return {
        "asked": asked,
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
