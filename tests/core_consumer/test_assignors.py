"""What every assignor owes: each partition once, only to subscribers, evenly, and little moved."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groups.core import assignors
from groups.core.assignors import NOTHING, Parts, Subscriber

TOPICS = ("t1", "t2", "t3", "t4")
COUNTS = st.dictionaries(st.sampled_from(TOPICS), st.integers(0, 12), min_size=1)
NAMES = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)
BOTH = pytest.mark.parametrize("name", assignors.table())

Shares = Mapping[str, Parts]


def members_of(ids: Sequence[str], topics: Mapping[str, frozenset[str]]) -> list[Subscriber]:
    return [Subscriber(m, None, topics[m], NOTHING) for m in sorted(ids)]


@st.composite
def alike(draw: st.DrawFn) -> tuple[list[Subscriber], dict[str, int]]:
    counts, ids = draw(COUNTS), draw(NAMES)
    return members_of(ids, dict.fromkeys(ids, frozenset(counts))), counts


@st.composite
def unlike(draw: st.DrawFn) -> tuple[list[Subscriber], dict[str, int]]:
    counts, ids = draw(COUNTS), draw(NAMES)
    topics = {m: draw(st.frozensets(st.sampled_from(sorted(counts)))) for m in ids}
    return members_of(ids, topics), counts


def holding(members: Sequence[Subscriber], shares: Shares) -> list[Subscriber]:
    return [replace(m, held=shares.get(m.member_id, NOTHING)) for m in members]


def check(members: Sequence[Subscriber], counts: Mapping[str, int], shares: Shares) -> None:
    """Each partition of a subscribed topic once, to a subscriber; nothing else."""
    assert shares.keys() == {m.member_id for m in members}
    given_out = Counter(part for share in shares.values() for part in share)
    subscribed = {topic for m in members for topic in m.topics}
    every = {(topic, p) for topic in subscribed for p in range(counts[topic])}
    assert given_out == dict.fromkeys(every, 1)
    for member in members:
        assert {topic for topic, _ in shares[member.member_id]} <= member.topics


def sizes(shares: Shares) -> list[int]:
    return sorted((len(share) for share in shares.values()), reverse=True)


def moved(before: Shares, after: Shares) -> int:
    """How many partitions somebody had and has no more, though he is still there."""
    return sum(len(before[m] - after[m]) for m in before if m in after)


@BOTH
@given(case=unlike())
def test_each_partition_goes_once_and_only_to_a_subscriber(
    name: str, case: tuple[list[Subscriber], dict[str, int]]
) -> None:
    members, counts = case
    shares = assignors.table()[name](members, counts)
    check(members, counts, shares)
    # Whatever they held before: somebody else's share, a topic that is gone, too high a number.
    odd = {("gone", 0), ("t1", 99)}
    turned = [shares[members[i - 1].member_id] | odd for i in range(len(members))]
    held = [replace(member, held=share) for member, share in zip(members, turned, strict=True)]
    check(held, counts, assignors.table()[name](held, counts))
    shrunk = {topic: count // 2 for topic, count in counts.items()}
    check(held, shrunk, assignors.table()[name](held, shrunk))


@BOTH
@given(case=alike())
def test_what_is_settled_stays_settled(
    name: str, case: tuple[list[Subscriber], dict[str, int]]
) -> None:
    members, counts = case
    shares = assignors.table()[name](members, counts)
    assert assignors.table()[name](holding(members, shares), counts) == shares


@given(case=alike())
def test_uniform_is_even_where_all_subscribe_alike(
    case: tuple[list[Subscriber], dict[str, int]],
) -> None:
    members, counts = case
    shares = assignors.table()["uniform"](members, counts)
    assert sizes(shares)[0] - sizes(shares)[-1] <= 1


@given(case=alike(), at=st.integers(0, 7))
def test_uniform_moves_no_more_than_a_change_of_members_needs(
    case: tuple[list[Subscriber], dict[str, int]], at: int
) -> None:
    members, counts = case
    uniform = assignors.table()["uniform"]
    before = uniform(members, counts)
    newcomer = Subscriber("z", None, members[0].topics, NOTHING)
    after = uniform([*holding(members, before), newcomer], counts)
    assert moved(before, after) == len(after["z"]), "only the newcomer's share moves"
    left = holding(members, before)
    del left[at % len(left)]
    if left:
        assert moved(before, uniform(left, counts)) == 0, "who stays loses nothing"


@given(case=unlike())
def test_uniform_leaves_no_single_move_that_would_even_things_out(
    case: tuple[list[Subscriber], dict[str, int]],
) -> None:
    members, counts = case
    uniform = assignors.table()["uniform"]
    shares = uniform(members, counts)
    topics = {m.member_id: m.topics for m in members}
    for share in shares.values():
        for poor in shares:
            if len(share) - len(shares[poor]) > 1:
                assert not any(topic in topics[poor] for topic, _ in share)
    assert uniform(holding(members, shares), counts) == shares, "and then nothing moves"


def test_cg_26_a_fourth_member_takes_the_surplus_only() -> None:
    uniform = assignors.table()["uniform"]
    members = members_of("abc", dict.fromkeys("abc", frozenset({"t1"})))
    before = uniform(members, {"t1": 11})
    assert sizes(before) == [4, 4, 3]
    four = [*holding(members, before), Subscriber("d", None, frozenset({"t1"}), NOTHING)]
    after = uniform(four, {"t1": 11})
    assert sizes(after) == [3, 3, 3, 2]
    assert moved(before, after) == len(after["d"]) == 2


def test_range_gives_contiguous_ranges_and_brings_equal_topics_together() -> None:
    members = members_of("ab", dict.fromkeys("ab", frozenset({"t1", "t2"})))
    shares = assignors.table()["range"](members, {"t1": 5, "t2": 5})
    first = {(topic, p) for topic in ("t1", "t2") for p in (0, 1, 2)}
    second = {(topic, p) for topic in ("t1", "t2") for p in (3, 4)}
    assert shares == {"a": first, "b": second}


def test_range_counts_each_topics_own_subscribers() -> None:
    topics = {"a": frozenset({"t1"}), "b": frozenset({"t1", "t2"}), "c": frozenset({"t1"})}
    shares = assignors.table()["range"](members_of("abc", topics), {"t1": 3, "t2": 2})
    assert shares["b"] == {("t1", 1), ("t2", 0), ("t2", 1)}
    assert shares["a"] == {("t1", 0)}
    assert shares["c"] == {("t1", 2)}
