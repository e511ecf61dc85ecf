"""How many members a group of any kind may have, and how long their sessions may be."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from groups.core import events
from groups.core.errors import ErrorCode
from groups.core.group import Group
from tests.core.every_kind import ABSENT, EVERY, JOINS, NOW, RULES, decided, lived, written

NEWCOMERS = {"classic": "", "consumer": "n", "draft": "", "commanded": "n"}
LIMITS: dict[str, tuple[str, str]] = {
    "classic": ("group_min_session_timeout_ms", "group_max_session_timeout_ms"),
    "draft": ("consumer_min_session_timeout_ms", "consumer_max_session_timeout_ms"),
    "commanded": ("group_min_session_timeout_ms", "group_max_session_timeout_ms"),
}


def told(group: Group, event: events.Event) -> ErrorCode | None:
    """The answer; None where the request waits."""
    answers = group.step([event], NOW, Random(2)).answers
    codes = [answer.reply.error for answer in answers if answer.ticket == event.ticket]
    return codes[0] if codes else None


def joining(kind: str, member_id: str) -> Any:
    """The same join by this member."""
    join: Any = JOINS[kind]
    field = "member_id" if kind in ("classic", "consumer") else "consumer_id"
    return replace(join, **{field: member_id})


@EVERY
def test_a_full_group_lets_nobody_in_but_those_who_are_in_it(kind: str) -> None:
    for most, code in ((1, ErrorCode.GROUP_MAX_SIZE_REACHED), (2, None)):
        rules = replace(RULES, group_max_size=most, group_consumer_max_size=most)
        group = lived(kind).group.with_rules(rules)
        (member_id,) = group.durable.members
        assert (told(group, joining(kind, NEWCOMERS[kind])) or None) is code
        assert not told(group, joining(kind, member_id))


@pytest.mark.parametrize("kind", LIMITS)
def test_a_session_is_as_long_as_the_least_and_the_most_and_not_beyond(kind: str) -> None:
    least, most = (getattr(RULES, name) for name in LIMITS[kind])
    join: Any = JOINS[kind]
    for timeout_ms in (least, most):
        assert not told(ABSENT[kind](), replace(join, session_timeout_ms=timeout_ms))
    for timeout_ms in (least - 1, most + 1):
        refused = told(ABSENT[kind](), replace(join, session_timeout_ms=timeout_ms))
        assert refused is ErrorCode.INVALID_SESSION_TIMEOUT


@pytest.mark.parametrize(
    ("threads", "is_good"), [(0, False), (1, True), (1_000, True), (1_001, False)]
)
def test_a_consumer_has_from_one_to_a_thousand_threads_for_a_topic(
    threads: int, is_good: bool
) -> None:
    join: Any = JOINS["commanded"]
    by_filter: dict[str, Any] = {"threads": {}, "filter": "white_list:t", "filter_threads": threads}
    by_name: dict[str, Any] = {"threads": {"t": threads}}
    for over in (by_name, by_filter):
        code = told(ABSENT["commanded"](), replace(join, **over))
        assert code is (ErrorCode.NONE if is_good else ErrorCode.INVALID_REQUEST)


def test_a_consumer_names_topics_or_a_filter() -> None:
    join: Any = JOINS["commanded"]
    neither: dict[str, Any] = {"threads": {}}
    for over in (neither, {"filter": "white_list:t"}):
        assert told(ABSENT["commanded"](), replace(join, **over)) is ErrorCode.INVALID_REQUEST


def test_who_says_that_it_works_and_is_not_known_begins_anew() -> None:
    join: Any = JOINS["commanded"]
    group = lived("commanded").group
    for generation in (0, 1):
        strange = replace(join, consumer_id="n", generation_id=generation)
        assert told(group, strange) is ErrorCode.UNKNOWN_MEMBER_ID
        assert told(group, replace(strange, consumer_id="m")) is ErrorCode.NONE


@pytest.mark.parametrize("kind", ["draft", "commanded"])
def test_the_journal_names_topics_up_to_two_hundred_characters(kind: str) -> None:
    names = [f"topic-{number:02}" for number in range(40)]
    join: Any = JOINS[kind]
    counts = dict.fromkeys(names, 1)
    offered: dict[str, Any] = {"threads": counts} if kind == "commanded" else {"topics": names}
    group: Any = written(ABSENT[kind](), replace(join, counts=counts, **offered))
    news = decided(group, events.TopicsChanged(counts=dict.fromkeys(names, 2)))
    queued = news.group.durable.group.details.get("queued", {})
    reasons = [*(entry.reason for entry in news.journal), queued.get("reason")]
    named = ", ".join(names)[:200]
    assert f"the partitions of {named} are not what they were" in reasons


BREADTH = {"classic": (0, 1, 2), "consumer": (0, 2, 3), "draft": (0, 2, 3), "commanded": (0, 2, 3)}
"""Without a group; with a member and, where its kind knows of it, a partition; with one more
member, or one that waits to become one."""


@EVERY
def test_a_step_goes_through_members_those_who_wait_and_partitions(kind: str) -> None:
    group = lived(kind).group
    more = group.step([joining(kind, NEWCOMERS[kind])], NOW, Random(2)).group
    assert (ABSENT[kind]().breadth, group.breadth, more.breadth) == BREADTH[kind]
