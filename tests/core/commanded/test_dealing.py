"""Range over threads, and the five conditions, by themselves."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groups.core.commanded.assignment import deal, necessity

THREADS = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d"]),
    st.dictionaries(st.sampled_from(["t", "u", "v"]), st.integers(1, 4)),
)
COUNTS = st.dictionaries(st.sampled_from(["t", "u", "v"]), st.integers(0, 12))


@given(threads=THREADS, counts=COUNTS)
def test_every_partition_of_a_topic_with_threads_has_one_owner(
    threads: dict[str, dict[str, int]], counts: dict[str, int]
) -> None:
    given_ = deal(threads, counts)
    parts = [part for owned in given_.values() for part in owned]
    topics = {topic for offered in threads.values() for topic in offered}
    assert sorted(parts) == [(t, p) for t in sorted(topics) for p in range(counts.get(t, 0))]
    for consumer, owned in given_.items():
        assert all(number < threads[consumer][topic] for (topic, _), number in owned.items())


@given(threads=THREADS, counts=COUNTS)
def test_threads_get_the_same_or_one_more(
    threads: dict[str, dict[str, int]], counts: dict[str, int]
) -> None:
    given_ = deal(threads, counts)
    for topic in {topic for offered in threads.values() for topic in offered}:
        sizes = [
            sum(at[0] == topic and thread == number for at, thread in given_[consumer].items())
            for consumer in sorted(threads)
            for number in range(threads[consumer].get(topic, 0))
        ]
        assert sizes == sorted(sizes, reverse=True) and max(sizes) - min(sizes) <= 1


@given(threads=THREADS, counts=COUNTS)
def test_a_fresh_assignment_does_not_cause_a_rebalance(
    threads: dict[str, dict[str, int]], counts: dict[str, int]
) -> None:
    dealt = deal(threads, counts)
    assert necessity(dealt, dealt, counts) == ""


@pytest.mark.parametrize(
    ("owned", "wanted", "condition"),
    [
        ({"a": {}}, {"a": {("t", 0): 0}}, "3.1"),
        ({"a": {("t", 0): 0}}, {"a": {("t", 0): 0, ("t", 1): 0}}, "3.2"),
        ({"a": {("t", 0): 0, ("t", 2): 0}}, {"a": {("t", 0): 0}}, "3.3"),
        ({"a": {("deleted", 0): 0}}, {"a": {}}, "3.3"),
        ({"a": {("t", 0): 0}}, {"b": {("t", 0): 0}}, "3.4"),
        ({"a": {("t", 0): 0}}, {"a": {("t", 0): 1}}, "3.4"),
        ({"a": {}}, {"a": {}}, ""),
    ],
)
def test_the_first_matching_condition_is_reported(
    owned: dict[str, dict[tuple[str, int], int]],
    wanted: dict[str, dict[tuple[str, int], int]],
    condition: str,
) -> None:
    assert necessity(owned, wanted, {"t": 2}) == condition


class Asked(dict[str, int]):
    """Threads by topic that count how often they are read."""

    times = 0

    def get(self, *args: Any) -> Any:
        Asked.times += 1
        return super().get(*args)


def test_disjoint_offers_of_topics_are_not_multiplied() -> None:
    """Ten thousand with twenty each would be asked two thousand million times."""
    threads = {f"c{n}": Asked({f"t{n}": 1, "all": 1}) for n in range(300)}
    counts = {topic: 2 for named in threads.values() for topic in named}

    dealt = deal(threads, counts)

    assert sum(map(len, dealt.values())) == 2 * 301
    assert Asked.times <= len(threads)
