"""Strategies: their assignments, and that a custom one cannot break the one-owner guarantee."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groups import strategies as loading
from groups.core.classic.group import ClassicGroup
from groups.core.conversion.step import runs_foreign_code
from groups.core.draft import strategies
from groups.core.draft.strategies import BUILT_IN, Misdealt, deal
from groups.core.events import Tick
from groups.core.strategy import Counts, Strategy, Topics
from tests.core.draft.conversation import Conversation, greedy

NAMES = st.sampled_from(["t0", "t1", "t2", "nowhere"])
GROUPS = st.dictionaries(st.text("abc", min_size=1, max_size=3), st.frozensets(NAMES), min_size=1)
COUNTS = st.fixed_dictionaries({name: st.integers(0, 7) for name in ("t0", "t1", "t2")})


@pytest.mark.parametrize("name", BUILT_IN)
@given(topics=GROUPS, counts=COUNTS)
def test_every_partition_has_one_subscribed_owner(
    name: str, topics: Topics, counts: Counts
) -> None:
    """``deal`` says so itself, or raises."""
    given_ = deal(BUILT_IN[name], topics, counts)
    assert given_.keys() == topics.keys()


@given(consumers=st.integers(1, 9), count=st.integers(0, 40))
def test_shares_differ_by_at_most_one_for_equal_subscriptions(consumers: int, count: int) -> None:
    topics = {f"c{number}": ["t"] for number in range(consumers)}
    for strategy in BUILT_IN.values():
        sizes = [len(parts) for parts in deal(strategy, topics, {"t": count}).values()]
        assert max(sizes) - min(sizes) <= 1


WRONG = {
    "two owners": {"a": [("t", 0), ("t", 1)], "b": [("t", 1)]},
    "one owner twice": {"a": [("t", 0), ("t", 0), ("t", 1)]},
    "nobody's": {"a": [("t", 0)]},
    "no such partition": {"a": [("t", 0), ("t", 1), ("t", 2)]},
    "not subscribed to": {"a": [("t", 0)], "b": [("t", 1), ("u", 0)]},
    "a stranger": {"a": [("t", 0)], "c": [("t", 1)]},
}


@pytest.mark.parametrize("fault", WRONG)
def test_an_invalid_assignment_is_detected(fault: str) -> None:
    with pytest.raises(Misdealt):
        deal(lambda topics, counts: WRONG[fault], {"a": ["t"], "b": ["t"]}, {"t": 2, "u": 1})


def test_an_exception_in_a_strategy_counts_as_an_invalid_assignment() -> None:
    def broken(topics: Topics, counts: Counts) -> Mapping[str, list[tuple[str, int]]]:
        raise KeyError("whatever")

    with pytest.raises(Misdealt, match="KeyError"):
        deal(broken, {"a": ["t"]}, {"t": 2})


def test_a_custom_strategy_wins_over_a_built_in_one_of_the_same_name() -> None:
    own = (("range", strategies.assign_in_turn),)
    assert strategies.find("range", own) is strategies.assign_in_turn
    assert strategies.find("range", ()) is strategies.assign_ranges
    assert strategies.find("sticky", own) is None


@pytest.mark.parametrize("value", ["tests.draft.own:assign", "tests.draft.own.assign"])
def test_a_strategy_is_loaded_by_its_path(value: str) -> None:
    ((name, found),) = loading.load([f"mine={value}"])
    assert name == "mine"
    assert found({"a": ["t"]}, {"t": 1}) == {"a": [("t", 0)]}


@pytest.mark.parametrize("value", ["nowhere", "tests.nowhere:assign", "tests.draft.own:nothing"])
def test_a_missing_strategy_is_named(value: str) -> None:
    with pytest.raises(loading.NoStrategy, match=value):
        loading.load([f"mine={value}"])


def test_a_strategy_that_is_not_callable_is_refused() -> None:
    with pytest.raises(loading.NoStrategy, match="not a function"):
        loading.load(["mine=tests.draft.raw:METADATA"])


def test_steps_that_may_run_a_custom_strategy_are_known_beforehand() -> None:
    """Such a step is taken beside the event loop."""
    for strategy, is_foreign in (("range", False), ("greedy", True)):
        talk = Conversation()
        talk.say(f"join a strategy={strategy}")
        assert runs_foreign_code(talk.group, [Tick()]) is is_foreign, strategy
    rules = replace(talk.rules, strategies=(("range", greedy),))
    classic = ClassicGroup.absent("g", rules, 0)
    named = replace(classic.durable.group, protocol_name="range")
    group = ClassicGroup.merge(replace(classic.durable, group=named), None, rules, 0)
    assert not runs_foreign_code(group, [Tick()])


class Asked(frozenset[str]):
    """Topics that count how often they are read."""

    times = 0

    def __contains__(self, topic: object) -> bool:
        Asked.times += 1
        return super().__contains__(topic)


@pytest.mark.parametrize("strategy", [strategies.assign_ranges, strategies.assign_in_turn])
def test_disjoint_subscriptions_are_not_multiplied(
    strategy: Strategy,
) -> None:
    """Ten thousand with twenty each would be asked two thousand million times."""
    topics = {f"c{n}": Asked({f"t{n}", "all"}) for n in range(300)}
    counts = {topic: 2 for names in topics.values() for topic in names}
    Asked.times = 0

    dealt = strategy(topics, counts)

    assert sum(len(list(parts)) for parts in dealt.values()) == 2 * 301
    assert Asked.times <= len(topics)
