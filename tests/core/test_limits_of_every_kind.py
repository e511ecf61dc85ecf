"""How many members a group of any kind may have, and how long their sessions may be."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from groups.core import events
from groups.core.commanded import registering, thread_offers
from groups.core.conversion.step import LONG_STEP_MIN, may_take_long
from groups.core.draft import join as draft_join
from groups.core.errors import ErrorCode
from groups.core.group import Group
from tests.core.every_kind import ABSENT, EVERY, JOINS, NOW, RULES, decided, settled, written

NEWCOMERS = {"classic": "", "consumer": "n", "draft": "", "commanded": "n"}
LIMITS: dict[str, tuple[str, str]] = {
    "classic": ("group_min_session_timeout_ms", "group_max_session_timeout_ms"),
    "draft": ("consumer_min_session_timeout_ms", "consumer_max_session_timeout_ms"),
    "commanded": ("group_min_session_timeout_ms", "group_max_session_timeout_ms"),
}


def error_of(group: Group, event: events.Event) -> ErrorCode | None:
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
def test_a_full_group_admits_only_its_members(kind: str) -> None:
    for most, code in ((1, ErrorCode.GROUP_MAX_SIZE_REACHED), (2, None)):
        rules = replace(RULES, group_max_size=most, group_consumer_max_size=most)
        group = settled(kind).group.with_rules(rules)
        (member_id,) = group.durable.members
        assert (error_of(group, joining(kind, NEWCOMERS[kind])) or None) is code
        assert not error_of(group, joining(kind, member_id))


@pytest.mark.parametrize("kind", LIMITS)
def test_session_timeouts_are_within_their_bounds(kind: str) -> None:
    least, most = (getattr(RULES, name) for name in LIMITS[kind])
    join: Any = JOINS[kind]
    for timeout_ms in (least, most):
        assert not error_of(ABSENT[kind](), replace(join, session_timeout_ms=timeout_ms))
    for timeout_ms in (least - 1, most + 1):
        refused = error_of(ABSENT[kind](), replace(join, session_timeout_ms=timeout_ms))
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
        code = error_of(ABSENT["commanded"](), replace(join, **over))
        assert code is (ErrorCode.NONE if is_good else ErrorCode.INVALID_REQUEST)


def test_a_consumer_names_topics_or_a_filter() -> None:
    join: Any = JOINS["commanded"]
    neither: dict[str, Any] = {"threads": {}}
    for over in (neither, {"filter": "white_list:t"}):
        assert error_of(ABSENT["commanded"](), replace(join, **over)) is ErrorCode.INVALID_REQUEST


def test_an_unknown_consumer_that_claims_partitions_starts_again() -> None:
    join: Any = JOINS["commanded"]
    group = settled("commanded").group
    for generation in (0, 1):
        strange = replace(join, consumer_id="n", generation_id=generation)
        assert error_of(group, strange) is ErrorCode.UNKNOWN_MEMBER_ID
        assert error_of(group, replace(strange, consumer_id="m")) is ErrorCode.NONE


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


BREADTH = {"classic": (0, 1, 2), "consumer": (0, 2, 3), "draft": (0, 3, 4), "commanded": (0, 3, 4)}
"""Without a group; with a member and, where its kind knows of it, a partition, of the old kinds its
topic too; with one more member, or one that waits to become one."""


@EVERY
def test_the_cost_of_a_step_counts_members_waiters_topics_and_partitions(kind: str) -> None:
    group = settled(kind).group
    more = group.step([joining(kind, NEWCOMERS[kind])], NOW, Random(2)).group
    assert (ABSENT[kind]().breadth, group.breadth, more.breadth) == BREADTH[kind]


@pytest.mark.parametrize("kind", ["draft", "commanded"])
def test_unknown_topics_add_to_the_cost_of_a_step(kind: str) -> None:
    join: Any = JOINS[kind]
    for count, is_long in ((LONG_STEP_MIN - 1, False), (LONG_STEP_MIN, True)):
        names = {f"t{number}": 0 for number in range(count)}
        offered: dict[str, Any] = (
            {"threads": dict.fromkeys(names, 1)}
            if kind == "commanded"
            else {"topics": tuple(names)}
        )
        many = replace(join, counts=names, **offered)
        assert may_take_long(ABSENT[kind](), [many]) is is_long


def test_long_lists_of_topics_of_a_draft_group_end_where_there_is_no_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those of who has joined, and of who waits to; a short one is taken, and one in place of an
    equally long one of the same consumer."""
    monkeypatch.setattr(draft_join, "FEW_BYTES", 100)
    join: Any = JOINS["draft"]
    long = replace(join, consumer_id="", topics=("x" * 500, "y" * 400))
    rules = replace(RULES, group_consumer_metadata_max_bytes=2_000)
    group = settled("draft").group.with_rules(rules)
    (member_id,) = group.durable.members
    codes = []
    for number in range(3):
        decision = group.step([replace(long, ticket=events.Ticket(9, number))], NOW, Random(2))
        group = decision.group
        codes += [a.reply.error for a in decision.answers if a.ticket == events.Ticket(9, number)]
    assert codes == [ErrorCode.GROUP_MAX_SIZE_REACHED], "two wait, the third has no room"
    assert error_of(group, replace(long, topics=("z" * 90,))) is None
    rejoin = replace(long, consumer_id=member_id)
    assert error_of(group, rejoin) is ErrorCode.GROUP_MAX_SIZE_REACHED
    wider = group.with_rules(replace(rules, group_consumer_metadata_max_bytes=3_000))
    rejoined = wider.step([replace(rejoin, ticket=events.Ticket(8, 1))], NOW, Random(2)).group
    assert not error_of(rejoined, rejoin), "in place of what it said before"


def registered(group: Group, number: int, **over: Any) -> tuple[Group, ErrorCode]:
    join: Any = JOINS["commanded"]
    ticket = events.Ticket(7, number)
    event = replace(join, consumer_id=f"n{number}", generation_id=-1, ticket=ticket, **over)
    decision = group.step([event], NOW, Random(number))
    (code,) = [a.reply.error for a in decision.answers if a.ticket == ticket]
    return decision.group, code


def test_topics_that_consumers_of_a_commanded_group_name_have_a_total(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registering, "FEW_TOPICS", 2)
    monkeypatch.setattr(registering, "OFFERS_MAX", 10)
    group = ABSENT["commanded"]()
    four = {f"t{number}": 1 for number in range(4)}
    codes = []
    for number in range(3):
        group, code = registered(group, number, threads=four, counts=four)
        codes.append(code)
    assert codes == [ErrorCode.NONE, ErrorCode.NONE, ErrorCode.GROUP_MAX_SIZE_REACHED]
    assert registered(group, 1, threads=four)[1] is ErrorCode.NONE, "it has them already"
    assert registered(group, 3, threads={"t0": 1, "t1": 1})[1] is ErrorCode.NONE


def test_filters_of_a_commanded_group_have_a_total_and_let_through_so_many_topics(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registering, "FILTERS_MAX", 2)
    monkeypatch.setattr(thread_offers, "LET_THROUGH_MAX", 6)
    group: Any = ABSENT["commanded"]()
    codes, names = [], tuple(f"t{number}" for number in range(5))
    for number, pattern in enumerate("aab"):
        key = f"white_list:{pattern}"
        offered: dict[str, Any] = {"threads": {}, "filter": key, "filter_threads": 1}
        counts, matches = dict.fromkeys(names, 1), {key: names}
        group, code = registered(group, number, **offered, counts=counts, matches=matches)
        codes.append(code)
        told_each = {key: tuple(found) for key, found in group.matches.items()}
        assert told_each[key] == names[: group.room]
        assert group.room == 6 // (number + 1)
    key = "white_list:c"
    offered = {"threads": {}, "filter": key, "filter_threads": 1}
    codes.append(registered(group, 3, **offered)[1])
    assert codes == [ErrorCode.NONE] * 3 + [ErrorCode.GROUP_MAX_SIZE_REACHED]
    assert sum(len(row.subscription) > 20 for row in group.durable.members.values()) == 3
