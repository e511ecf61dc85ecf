"""What every assignor owes: each partition once, only to subscribers, evenly, and little moved."""

from dataclasses import replace
from fractions import Fraction
from heapq import heapreplace
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from groups.core.assignors import quotas as quotas_module
from groups.core.assignors import registry
from groups.core.assignors import weights as wishes
from groups.core.assignors.quotas import _level, filled, quotas
from groups.core.assignors.types import NOTHING, NOWHERE, Assignor, Subscriber
from groups.core.assignors.uniform import assign_near, assign_uniformly
from tests.core.consumer.promises import (
    Case,
    Shares,
    at_home,
    cases,
    check_all,
    members_of,
    moved,
    run,
    sizes,
)

ALL = pytest.mark.parametrize("name", registry.table())
EVEN = pytest.mark.parametrize("assign", [assign_uniformly, assign_near])


def test_the_built_in_assignors_are_in_the_table() -> None:
    assert set(registry.DEFAULT_NAMES) <= set(registry.NAMES)


@ALL
@given(case=cases(alike=False, weighty=True))
def test_each_partition_goes_once_and_only_to_a_subscriber(name: str, case: Case) -> None:
    check_all(registry.table()[name], case)


@ALL
@given(case=cases(alike=True, weighty=True))
def test_results_are_the_same_for_equal_subscriptions(name: str, case: Case) -> None:
    check_all(registry.table()[name], case)


# -- uniform, with racks and without


@EVEN
@given(case=cases(alike=True))
def test_uniform_is_even_for_equal_subscriptions(assign: Assignor, case: Case) -> None:
    shares = run(assign, case)
    assert sizes(shares)[0] - sizes(shares)[-1] <= 1


@EVEN
@given(case=cases(alike=True, weighty=True))
def test_every_member_is_within_one_partition_of_its_weighted_share(
    assign: Assignor, case: Case
) -> None:
    shares = run(assign, case)
    total, whole = sum(map(len, shares.values())), sum(m.weight for m in case.members)
    for member in case.members:
        exact = Fraction(total * member.weight, whole)
        assert abs(len(shares[member.member_id]) - exact) < 1


@given(case=cases(alike=True), at=st.integers(0, 7))
def test_uniform_moves_no_more_than_a_change_of_members_needs(case: Case, at: int) -> None:
    before = run(assign_uniformly, case)
    settled = case.holding(before)
    newcomer = Subscriber("z", None, case.members[0].topics, NOTHING)
    after = run(assign_uniformly, replace(settled, members=[*settled.members, newcomer]))
    assert moved(before, after) == len(after["z"]), "only the newcomer's share moves"
    left = settled.without(case.members[at % len(case.members)].member_id)
    if left.members:
        assert moved(before, run(assign_uniformly, left)) == 0, "who stays loses nothing"


@EVEN
@given(case=cases(alike=False, weighty=True))
def test_no_single_move_would_make_uniform_more_even(assign: Assignor, case: Case) -> None:
    # Where all subscribe alike shares are exact, which weights round a little differently.
    assume(len({m.topics for m in case.members}) > 1 or {m.weight for m in case.members} == {1})
    shares = run(assign, case)
    weight = {m.member_id: m.weight for m in case.members}
    topics = {m.member_id: m.topics for m in case.members}
    for rich, share in shares.items():
        for poor in shares:
            if len(share) * weight[poor] > (len(shares[poor]) + 1) * weight[rich]:
                assert not any(topic in topics[poor] for topic, _ in share)


@EVEN
@given(case=cases(alike=False, weighty=True))
def test_an_unchanged_assignment_is_the_same_object(assign: Assignor, case: Case) -> None:
    """The step writes the rows of those only whose set is another."""
    shares = run(assign, case)
    again = run(assign, case.holding(shares))
    assert all(again[m] is shares[m] for m in shares)


def test_cg_26_a_fourth_member_takes_the_surplus_only() -> None:
    members = members_of("abc", dict.fromkeys("abc", frozenset({"t1"})))
    case = Case(members, {"t1": 11}, NOWHERE)
    before = run(assign_uniformly, case)
    assert sizes(before) == [4, 4, 3]
    newcomer = Subscriber("d", None, frozenset({"t1"}), NOTHING)
    settled = case.holding(before)
    after = run(assign_uniformly, replace(settled, members=[*settled.members, newcomer]))
    assert sizes(after) == [3, 3, 3, 2]
    assert moved(before, after) == len(after["d"]) == 2


# -- racks


def in_racks(**rack_of: str) -> list[Subscriber]:
    return [Subscriber(m, None, frozenset({"t1"}), NOTHING, r) for m, r in rack_of.items()]


def near(*racks: str) -> dict[str, list[frozenset[str]]]:
    return {"t1": [frozenset(rack.split("/")) - {""} for rack in racks]}


@given(case=cases(alike=True))
def test_rack_awareness_costs_no_evenness_and_is_never_worse_than_chance(case: Case) -> None:
    plain, close = run(assign_uniformly, case), run(assign_near, case)
    assert sizes(close) == sizes(plain)
    assert at_home(case, close) >= at_home(case, plain)


RACKS = st.sampled_from(["r1", "r2", "r3", "r4"])


@given(
    homes=st.lists(st.none() | RACKS, min_size=1, max_size=4),
    racks=st.lists(st.frozensets(RACKS, max_size=3), min_size=1, max_size=6),
)
def test_as_many_partitions_as_possible_are_in_their_rack(
    homes: list[str | None], racks: list[frozenset[str]]
) -> None:
    """As many as by the best of all ways to deal the same numbers."""
    members = [
        Subscriber(f"m{n}", None, frozenset({"t1"}), NOTHING, r) for n, r in enumerate(homes)
    ]
    case = Case(members, {"t1": len(racks)}, {"t1": racks})
    shares = run(assign_near, case)
    places = [m.rack_id for m in members for _ in shares[m.member_id]]
    best = max(
        sum(rack in near for rack, near in zip(order, racks, strict=True))
        for order in set(permutations(places))
    )
    assert at_home(case, shares) == best


def test_a_member_with_an_alternative_yields_to_one_without() -> None:
    """The first partition may be near to either member, the second one only to b."""
    case = Case(in_racks(a="r1", b="r3"), {"t1": 2}, near("r1/r3", "r2/r3"))
    assert run(assign_near, case) == {"a": {("t1", 0)}, "b": {("t1", 1)}}


@given(case=cases(alike=False))
def test_an_existing_assignment_only_gets_nearer(case: Case) -> None:
    settled = case.holding(run(assign_uniformly, case))
    before = {m.member_id: m.held for m in settled.members}
    after = run(assign_near, settled)
    assert sizes(after) == sizes(before)
    assert at_home(case, after) >= at_home(case, before)


def test_without_racks_rack_awareness_moves_nothing() -> None:
    members = [Subscriber(m, None, frozenset({"t1"}), NOTHING) for m in "ab"]
    case = Case(members, {"t1": 4}, near("r2", "r1", "r1", "r1"))
    assert run(assign_near, case) == run(assign_uniformly, case)


def test_each_rack_gets_its_local_partitions() -> None:
    case = Case(in_racks(a="r1", b="r2", c="r1", d="r2"), {"t1": 4}, near("r2", "r1", "r2", "r1"))
    shares = run(assign_near, case)
    assert at_home(case, shares) == 4
    assert shares["a"] | shares["c"] == {("t1", 1), ("t1", 3)}


def test_each_rack_gets_its_local_partitions_with_different_subscriptions() -> None:
    members = [*in_racks(a="r1", b="r2"), Subscriber("c", None, frozenset({"t2"}), NOTHING)]
    case = Case(members, {"t1": 4, "t2": 1}, near("r2", "r1", "r2", "r1"))
    assert at_home(case, run(assign_near, case)) == 4


def test_a_partition_with_one_rack_comes_before_one_with_two() -> None:
    case = Case(in_racks(a="r1", b="r2"), {"t1": 2}, near("r1/r2", "r1"))
    assert at_home(case, run(assign_near, case)) == 2


def test_two_remote_partitions_are_swapped_and_nothing_else_moves() -> None:
    case = Case(in_racks(a="r1", b="r2", c="r3"), {"t1": 6}, near("r2", "r1", "r1", "r2", "r3", ""))
    had = {
        "a": frozenset({("t1", 0), ("t1", 1)}),
        "b": frozenset({("t1", 2), ("t1", 3)}),
        "c": frozenset({("t1", 4), ("t1", 5)}),
    }
    after = run(assign_near, case.holding(had))
    assert after["a"] == {("t1", 1), ("t1", 2)}
    assert after["b"] == {("t1", 0), ("t1", 3)}
    assert after["c"] is had["c"]


def test_a_new_member_gets_partitions_that_are_remote_to_their_owners() -> None:
    racks = near("r1", "r1", "r1", "r2", "r2", "r2")
    alone = Case(in_racks(a="r1"), {"t1": 6}, racks)
    before = run(assign_near, alone)
    both = replace(alone, members=in_racks(a="r1", b="r2")).holding(before)
    after = run(assign_near, both)
    assert after["b"] == {("t1", 3), ("t1", 4), ("t1", 5)}


# -- range


@given(case=cases(alike=False))
def test_range_gives_each_member_one_contiguous_range_of_every_topic(case: Case) -> None:
    shares = run(registry.table()["range"], case)
    for topic, count in case.counts.items():
        having = [m.member_id for m in case.members if topic in m.topics]
        parts = {m: sorted(p for t, p in shares[m] if t == topic) for m in having}
        for mine in parts.values():
            assert mine == list(range(mine[0], mine[-1] + 1)) if mine else True
            assert count // len(having) <= len(mine) <= count // len(having) + 1


def given_by_range(members: list[Subscriber], counts: dict[str, int]) -> Shares:
    return registry.table()["range"](members, counts, NOWHERE)


def test_range_gives_contiguous_ranges_and_brings_equal_topics_together() -> None:
    members = members_of("ab", dict.fromkeys("ab", frozenset({"t1", "t2"})))
    first = {(topic, p) for topic in ("t1", "t2") for p in (0, 1, 2)}
    second = {(topic, p) for topic in ("t1", "t2") for p in (3, 4)}
    assert given_by_range(members, {"t1": 5, "t2": 5}) == {"a": first, "b": second}


def test_range_counts_each_topics_own_subscribers() -> None:
    topics = {"a": frozenset({"t1"}), "b": frozenset({"t1", "t2"}), "c": frozenset({"t1"})}
    shares = given_by_range(members_of("abc", topics), {"t1": 3, "t2": 2})
    assert shares["b"] == {("t1", 1), ("t2", 0), ("t2", 1)}
    assert shares["a"] == {("t1", 0)}
    assert shares["c"] == {("t1", 2)}


# -- numbers and words

WEIGHTS = st.lists(st.integers(1, 5), min_size=1, max_size=6)


@given(weights=WEIGHTS, total=st.integers(0, 60))
def test_quotas_add_up_to_the_partitions(weights: list[int], total: int) -> None:
    assert sum(quotas(weights, total, [0] * len(weights))) == total


@given(weights=WEIGHTS, free=st.integers(0, 40), data=st.data())
def test_filling_equals_assigning_one_by_one(
    weights: list[int], free: int, data: st.DataObject
) -> None:
    loads = [data.draw(st.integers(0, 20)) for _ in weights]
    one_by_one = list(loads)
    for _ in range(free):
        least = min(range(len(weights)), key=lambda i: ((one_by_one[i] + 1) / weights[i], i))
        one_by_one[least] += 1
    given_out = filled(weights, loads, free)
    after = [load + more for load, more in zip(loads, given_out, strict=True)]
    assert sum(given_out) == free
    needs = [
        max(Fraction(n, w) for n, w in zip(x, weights, strict=True)) for x in (after, one_by_one)
    ]
    assert needs[0] == needs[1], "nobody is fuller than if it had gone one by one"


@given(weights=WEIGHTS, free=st.integers(0, 40), data=st.data())
def test_every_member_can_be_filled_up_to_the_level_and_not_beyond(
    weights: list[int], free: int, data: st.DataObject
) -> None:
    """So that what remains to be given one by one is less than the weights together."""
    loads = [data.draw(st.integers(0, 20)) for _ in weights]

    def needed(level: int) -> int:
        return sum(max(0, level * w - load) for w, load in zip(weights, loads, strict=True))

    level = _level(weights, loads, free)
    assert needed(level) <= free < needed(level + 1)


def test_only_a_few_partitions_are_assigned_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    given_singly = []

    def counting(heap: list[tuple[float, int]], item: tuple[float, int]) -> tuple[float, int]:
        given_singly.append(item)
        return heapreplace(heap, item)

    monkeypatch.setattr(quotas_module, "heapreplace", counting)
    assert sum(filled([1, 2, 3], [0, 7, 0], 60_000)) == 60_000
    assert len(given_singly) < 6, "less than the weights together"


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("uniform", ("uniform", 1)),
        ("uniform*1", ("uniform", 1)),
        ("uniform*3", ("uniform", 3)),
        ("uniform-rack*100", ("uniform-rack", 100)),
        ("uniform*0", None),
        ("uniform*101", None),
        ("uniform*", None),
        ("uniform*1.5", None),
        ("uniform*-1", None),
        ("uniform*²", None),
    ],
)
def test_a_choice_is_an_assignor_with_an_optional_weight(
    text: str, wish: tuple[str, int] | None
) -> None:
    assert wishes.read(text) == wish
