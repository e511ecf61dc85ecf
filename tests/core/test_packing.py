"""Lengths in the bytes of members: what they say is believed as far as there are bytes."""

import struct

import pytest

from groups.core.assignment import assignment_of, partitions_of
from groups.core.subscription import pack_protocols, packed_size, unpack_protocols

PROTOCOLS = (("range", b"\0\1"), ("naïve", b""), ("x", b"12345"))


def test_protocols_are_counted_by_their_bytes() -> None:
    for some in (PROTOCOLS, PROTOCOLS[:1], ()):
        assert unpack_protocols(pack_protocols(some)) == some
        assert packed_size(some) == len(pack_protocols(some))


def assigned(topics: int, partitions: int, *numbers: int) -> bytes:
    """Version 0, these counts, and whatever numbers follow."""
    body = struct.pack(f">i{len(numbers)}i", partitions, *numbers)
    return struct.pack(">hih", 0, topics, 1) + b"t" + body + b"\xff\xff\xff\xff"


@pytest.mark.parametrize(("topics", "partitions"), [(-1, 1), (-2, 1), (9, 1), (1, -1), (1, 99)])
def test_an_invalid_count_reads_as_empty(topics: int, partitions: int) -> None:
    assert partitions_of(assigned(1, 1, 7)) == frozenset({("t", 7)})
    assert partitions_of(assigned(1, 0)) == frozenset()
    assert partitions_of(assigned(topics, partitions, 7)) is None


def test_an_assignment_round_trips_in_every_version() -> None:
    parts = frozenset({("t", 0), ("t", 3), ("u", 1)})
    assert [partitions_of(assignment_of(parts, version)) for version in range(4)] == [parts] * 4
