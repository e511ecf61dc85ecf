"""The embedded words of classic consumers: read in full, written back, and never just believed."""

from hypothesis import given
from hypothesis import strategies as st

from groups.core.assignment import assignment_of, partitions_of
from groups.core.subscription import Subscription, subscription_of, topics_of
from tests.core.consumer.wire_bytes import subscription

NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=1, max_size=8)
PARTS = st.frozensets(st.tuples(NAMES, st.integers(0, 2**31 - 1)), max_size=8)


@given(st.lists(NAMES, max_size=4), PARTS, st.integers(0, 5), st.none() | NAMES)
def test_every_version_encodes_its_fields(
    topics: list[str], owned: frozenset[tuple[str, int]], version: int, rack: str | None
) -> None:
    said = subscription_of(subscription(topics, owned, version, rack))
    assert said == Subscription(
        version,
        tuple(topics),
        owned if version >= 1 else frozenset(),
        rack if version >= 3 else None,
    )


@given(PARTS, st.integers(0, 3))
def test_an_assignment_round_trips(parts: frozenset[tuple[str, int]], version: int) -> None:
    assert partitions_of(assignment_of(parts, version)) == parts


@given(st.binary(max_size=60))
def test_arbitrary_bytes_are_parsed_or_refused(noise: bytes) -> None:
    said = subscription_of(noise)
    assert said is None or topics_of(noise) == frozenset(said.topics)


@given(st.integers(0, 200))
def test_truncated_bytes_are_refused(length: int) -> None:
    whole = subscription(["orders", "payments"], [("orders", 1), ("payments", 7)], 3, "a-rack")
    assert subscription_of(whole[:length]) == (
        None if length < len(whole) else subscription_of(whole)
    )
