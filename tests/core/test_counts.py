"""What the rows of a group say about its work, whichever protocol it speaks."""

import struct
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from groups.core.assignment import assignment_of
from groups.core.counts import Counts, counts_of, partitions_owned, subscribed_topics
from groups.core.rows import GroupRow, MemberRow
from groups.core.subscription import pack_protocols

SIZES = {"boxes": 8, "crates": 3}
ROW = ("m", None, "client", "/host", 1_000, 1_000, 0)


def size(topic: str) -> int:
    """The catalogue."""
    return SIZES.get(topic, 0)


def group(kind: str = "classic", protocol: str | None = "range", **details: Any) -> GroupRow:
    return GroupRow("g", kind, "Stable", protocol_name=protocol, details=details)


def metadata(*topics: str) -> bytes:
    """A subscription as clients send it."""
    named = b"".join(struct.pack(f">h{len(t)}s", len(t), t.encode()) for t in topics)
    return struct.pack(">hI", 0, len(topics)) + named + struct.pack(">i", -1)


def member(
    subscription: bytes = b"", owned: Sequence[tuple[str, int]] = (), **details: Any
) -> MemberRow:
    packed = pack_protocols((("sticky", b"?"), ("range", subscription))) if subscription else b""
    assignment = assignment_of(owned, 0) if owned else b""
    return MemberRow(*ROW, packed, assignment, details)


def test_topics_of_all_members_are_counted_once_and_their_partitions_by_the_catalogue() -> None:
    members = [
        member(metadata("boxes", "crates"), [("boxes", 0), ("boxes", 1), ("crates", 2)]),
        member(metadata("boxes"), [("boxes", 7)]),
    ]
    assert counts_of(group(), members, size) == Counts(2, 11, 7)


def test_a_topic_that_does_not_exist_counts_and_has_no_partitions() -> None:
    assert counts_of(group(), [member(metadata("boxes", "gone"))], size) == Counts(2, 8, 8)


def test_owned_partitions_of_a_shrunken_topic_do_not_go_below_zero() -> None:
    owned = [("crates", number) for number in range(5)]
    assert counts_of(group(), [member(metadata("crates"), owned)], size) == Counts(1, 3, 0)


def test_what_is_owned_of_a_deleted_topic_hides_no_partition_of_another() -> None:
    """A leader learns of a deletion with its next look at the topics, minutes later."""
    owned = [("gone", number) for number in range(6)] + [("crates", 0)]
    members = [member(metadata("crates", "boxes", "gone"), owned)]
    assert counts_of(group(), members, size) == Counts(3, 11, 10)


def test_a_group_without_members_has_no_work() -> None:
    assert counts_of(group(), [], size) == Counts(0, 0, 0)


def test_the_group_s_protocol_says_which_metadata_counts() -> None:
    one = member(metadata("crates", "boxes"))
    assert subscribed_topics(group(), one) == ("boxes", "crates")
    assert subscribed_topics(group(protocol="sticky"), one) is None
    assert counts_of(group(protocol="sticky"), [one], size) == Counts(0, 0, 0)


def test_before_the_first_generation_the_protocol_that_the_member_prefers_counts() -> None:
    packed = pack_protocols((("range", metadata("boxes")), ("sticky", b"?")))
    row = MemberRow("m", None, "client", "/host", 1_000, 1_000, 0, packed)
    assert subscribed_topics(group(protocol=None), row) == ("boxes",)


def test_a_member_without_metadata_subscribes_to_nothing_known() -> None:
    empty = MemberRow("m", None, "client", "/host", 1_000, 1_000, 0)
    assert counts_of(group(), [empty], size) == Counts(0, 0, 0)


def test_invalid_assignment_bytes_own_nothing() -> None:
    row = MemberRow("m", None, "client", "/host", 1_000, 1_000, 0, assignment=b"\x00\x00\x7f")
    assert partitions_owned(group(), row) == 0


def test_members_of_a_consumer_group_have_names_patterns_and_ids() -> None:
    consumer = group("consumer", None, matches={"c.*": ["crates", "boxes"]})
    named = member(topics=["boxes"], assigned={"ab": [0, 1], "cd": [2]})
    by_pattern = member(topics=["other"], regex="c.*", assigned={})
    new = member()
    assert subscribed_topics(consumer, named) == ["boxes"]
    assert subscribed_topics(consumer, by_pattern) == ["boxes", "crates", "other"]
    assert subscribed_topics(consumer, new) == []
    assert partitions_owned(consumer, named) == 3
    assert counts_of(consumer, [named, by_pattern, new], size) == Counts(3, 11, 8)


class Looked(list[str]):
    """Topics that count how often they are iterated."""

    looks = 0

    def __iter__(self) -> Iterator[str]:
        self.looks += 1
        return super().__iter__()


def test_a_pattern_of_many_members_is_matched_once() -> None:
    """900 members whose pattern matches 20,000 topics took eight seconds."""
    found = Looked(SIZES)
    consumer = group("consumer", None, matches={".*": found})
    members = [member(regex=".*", assigned={}) for _ in range(900)]
    assert counts_of(consumer, members, size) == Counts(2, 11, 11)
    assert found.looks == 1


@given(
    st.sampled_from(["classic", "draft", "commanded"]),
    st.none() | st.sampled_from(["range", "sticky", ""]),
    st.lists(st.tuples(st.binary(max_size=40), st.binary(max_size=40)), max_size=4),
)
def test_members_with_unreadable_bytes_are_counted_all_the_same(
    kind: str, protocol: str | None, sent: list[tuple[bytes, bytes]]
) -> None:
    """What a client sends as its subscription, and a leader as an assignment, is anything."""
    members = [
        MemberRow(*ROW, pack_protocols((("range", said), ("sticky", said))), owned)
        for said, owned in sent
    ]
    found = counts_of(group(kind, protocol), members, size)
    assert 0 <= found.unowned <= found.partitions
