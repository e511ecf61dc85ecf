"""A draft consumer's row is in the bytes of the consumer protocol, which Kafka's tools read."""

from groups.core import row_packing
from groups.core.assignment import assignment_of
from groups.core.subscription import subscription_of, unpack_protocols


def test_topics_are_stored_as_a_version_0_subscription_without_user_data() -> None:
    ((strategy, metadata),) = unpack_protocols(row_packing.pack_topics("range", ["u", "t", "u"]))
    assert strategy == "range"
    assert metadata == b"\0\0\0\0\0\2\0\1t\0\1u\xff\xff\xff\xff"
    said = subscription_of(metadata)
    assert said is not None and (said.version, said.topics) == (0, ("t", "u"))


def test_partitions_are_stored_as_a_version_0_assignment() -> None:
    parts = {("t", 1), ("t", 0), ("u", 3)}
    packed = row_packing.pack_parts(parts)
    assert packed == assignment_of(parts, 0) and packed[:2] == b"\0\0"
    assert row_packing.parts_in(packed) == parts
    assert row_packing.by_topic(parts) == {"t": (0, 1), "u": (3,)}
