"""Reading ConsumerProtocolSubscription: every version, and never a stumble over bad bytes."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groups.core.subscription import topics_of, topics_of_all


def subscription(*topics: bytes, version: int = 0, rest: bytes = b"") -> bytes:
    listed = b"".join(struct.pack(">h", len(name)) + name for name in topics)
    return struct.pack(">hi", version, len(topics)) + listed + struct.pack(">i", -1) + rest


OWNED_NONE = struct.pack(">i", 0)
GENERATION = struct.pack(">i", 5)
RACK = struct.pack(">h", 2) + b"r1"


@pytest.mark.parametrize(
    ("version", "rest"),
    [
        (0, b""),
        (1, OWNED_NONE),
        (2, OWNED_NONE + GENERATION),
        (3, OWNED_NONE + GENERATION + RACK),
        (9, b"fields of a later version"),
    ],
)
def test_topics_are_read_from_every_version(version: int, rest: bytes) -> None:
    packed = subscription(b"orders", "naïve".encode(), version=version, rest=rest)
    assert topics_of(packed) == frozenset({"orders", "naïve"})


def test_no_topics_is_a_subscription_to_nothing() -> None:
    assert topics_of(subscription()) == frozenset()


@pytest.mark.parametrize(
    "metadata",
    [
        b"",
        b"\x00",
        b"range",
        struct.pack(">hi", -1, 0),
        struct.pack(">hi", 0, -1),
        struct.pack(">hi", 0, 2**31 - 1),
        struct.pack(">hih", 0, 1, -1),
        struct.pack(">hih", 0, 1, 9) + b"short",
    ],
)
def test_unreadable_bytes_are_ignored(metadata: bytes) -> None:
    assert topics_of(metadata) is None


def test_a_name_that_no_topic_can_have_hides_no_other() -> None:
    packed = subscription(b"orders", b"gr\xfc\xdfe", b"a\0b")
    assert topics_of(packed) == frozenset({"orders", "gr\ufffd\ufffde", "a\ufffdb"})


def test_one_unreadable_member_makes_the_group_depend_on_every_topic() -> None:
    assert topics_of_all([subscription(b"orders"), b"?"]) is None
    assert topics_of_all([subscription(b"a"), subscription(b"b")]) == frozenset({"a", "b"})


@given(st.binary(max_size=200))
def test_any_bytes_are_parsed_or_declined(metadata: bytes) -> None:
    topics = topics_of(metadata)
    assert topics is None or all(isinstance(name, str) for name in topics)
