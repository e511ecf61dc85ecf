"""What a group can be asked (``foresight``): a table of questions, by the parameter that asks each.
Pages, REST, the command line and agents ask by the same names."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from console.foresight.foresight import NO_CHANGE, Change, Gone, Scene
from console.queries import foresight
from console.queries.groups import CLASSIC, CONSUMER
from console.queries.situation_text import many
from console.queries.why_text import seconds
from groups.broker_configs import from_django

DIGITS_MAX: Final = 8

SESSIONS: Final[Mapping[str, str]] = {CLASSIC: "group", CONSUMER: "group.consumer"}
"""The prefix of the settings that bound a session timeout, by kind of group."""

SESSIONS_OF_OTHERS: Final = "consumer"


class Question(NamedTuple):
    """A question of a URL: the title of its answer, and the change."""

    title: str
    change: Change


Asked = Mapping[str, Any]
"""Parameters of a URL, or options of a command, as texts or numbers."""

Ask = Callable[[Scene, Asked], Question]


def _number(query: Asked, name: str) -> int:
    """A number that is not 0. Raises ValueError with a sentence."""
    text = str(query.get(name, "")).strip()
    digits = text.removeprefix("-").removeprefix("+")
    if not digits.isdecimal() or len(digits) > DIGITS_MAX or not int(digits):
        raise ValueError("a whole number is needed, and not 0")
    return int(text)


def _host(scene: Scene, query: Asked) -> Question:
    host = str(query["host"])
    return Question(f"If host {host.lstrip('/')} dies", foresight.of_host(scene, host))


def _member(scene: Scene, query: Asked) -> Question:
    member_id = str(query["gone"])
    change = Change(gone=frozenset([member_id]), how=Gone.SILENT)
    seat = next((each for each in scene.seats if each.member_id == member_id), None)
    name = member_id if seat is None else seat.as_seen.instance_id or seat.client_id or member_id
    return Question(f"If {name} dies", change)


def _timeout(scene: Scene, query: Asked) -> Question:
    """A session timeout matters where somebody dies: the member with the most partitions."""
    if not scene.seats:
        raise ValueError("the group has no members")
    most = max(scene.seats, key=lambda seat: (len(seat.as_seen.held), seat.member_id))
    return _member(scene, {**query, "gone": most.member_id})


def _timed(scene: Scene, query: Asked, asked: Question) -> Question:
    """The same with another session timeout."""
    timeout = _number(query, "session_timeout_ms")
    if asked.change.how != Gone.SILENT:
        raise ValueError("a session timeout matters where a host or a member dies")
    settings, of = from_django(), SESSIONS.get(scene.kind, SESSIONS_OF_OTHERS)
    least, most = (
        int(settings[f"{of}.{end}.session.timeout.ms"].value or 0) for end in ("min", "max")
    )
    if not least <= timeout <= most:
        raise ValueError(f"the coordinator takes session timeouts of {least:,} to {most:,} ms")
    change = replace(asked.change, session_timeout_ms=timeout)
    return Question(f"{asked.title}, with a session timeout of {seconds(timeout)}", change)


def _spoken(_scene: Scene, query: Asked, asked: Question) -> Question:
    """The same with another protocol."""
    name = str(query["protocol"])
    change = replace(asked.change, protocol=name)
    return Question(f"{asked.title}, with the protocol {name}", change)


def _members(scene: Scene, query: Asked) -> Question:
    more = _number(query, "more")
    if more > 0:
        return Question(f"With {many(more, 'more member')}", Change(newcomers=more))
    if -more > len(scene.seats):
        raise ValueError(f"the group has {many(len(scene.seats), 'member')}")
    last = [seat.member_id for seat in scene.seats[more:]]
    return Question(f"With {many(-more, 'member')} fewer", Change(gone=frozenset(last)))


def _partitions(_scene: Scene, query: Asked) -> Question:
    topic, added = str(query.get("grown", "")), _number(query, "partitions")
    if not topic:
        raise ValueError("the topic that grows is not named")
    title = f"With {many(added, 'more partition')} of {topic}"
    return Question(title, Change(partitions={topic: added}))


def _assignor(_scene: Scene, query: Asked) -> Question:
    name = str(query["assignor"])
    return Question(f"With the assignor {name}", Change(assignor=name))


def _deploy(_scene: Scene, query: Asked) -> Question:
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
    "session_timeout_ms": _timeout,
    "protocol": lambda _scene, _query: Question("After a rebalance", NO_CHANGE),
}
"""By the parameter of the URL that asks it."""

BESIDES: Final[Mapping[str, Callable[[Scene, Asked, Question], Question]]] = {
    "session_timeout_ms": _timed,
    "protocol": _spoken,
}
"""What is asked besides, in the same way."""

PARTS: Final[Mapping[str, str]] = {"grown": "partitions", "static": "at_once"}
"""Parameters that say more of a question, which is not asked without its own."""


def question(scene: Scene, query: Asked) -> Question | None:
    """The first question that is asked; None: none is. Raises ValueError with the reason why it
    makes no sense."""
    asked = next((name for name in QUESTIONS if query.get(name)), None)
    for part in filter(query.get, PARTS):
        if not query.get(PARTS[part]):
            raise ValueError(f"{part} says more of {PARTS[part]}, which is not given")
    if asked is None:
        return None
    found = QUESTIONS[asked](scene, query)
    for name in filter(query.get, BESIDES):
        found = BESIDES[name](scene, query, found)
    return found
