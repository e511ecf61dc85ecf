"""An array that many messages contain is encoded once, and as any other."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.wire.codec import LARGE_ELEMENTS, decode, encode, encode_large, is_large
from rollcall.wire.disposal import discard
from rollcall.wire.kept import ENCODINGS_MAX, Kept
from rollcall.wire.messages.metadata import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from tests.wire.samples import messages, often, versions

Partitions = Kept[MetadataResponsePartition]


def response(partitions: Sequence[MetadataResponsePartition]) -> MetadataResponse:
    return MetadataResponse(
        topics=[MetadataResponseTopic(name=name, partitions=partitions) for name in "ab"]
    )


@pytest.mark.parametrize("version", versions(MetadataResponse))
@given(data=st.data())
@often(30)
def test_a_kept_array_is_written_as_any_other(version: int, data: st.DataObject) -> None:
    plain = data.draw(st.lists(messages(MetadataResponsePartition, version), max_size=4))
    kept = response(Kept(plain))
    written = encode(response(plain), version)
    assert encode(kept, version) == written
    assert encode(kept, version) == written  # now from what was kept
    assert encode_large(kept, version) == written
    assert decode(MetadataResponse, version, written) == response(plain)


def test_it_is_encoded_once_per_version() -> None:
    made: list[int] = []

    class Watched(MetadataResponsePartition):
        @property
        def leader_id(self) -> int:
            made.append(1)
            return 7

        @leader_id.setter
        def leader_id(self, _value: int) -> None: ...

    kept = response(Kept([Watched(), Watched()]))
    encode(kept, 9)
    assert len(made) == 2, "both topics have the same two partitions"
    encode(kept, 9)
    assert len(made) == 2
    encode(kept, 8)
    assert len(made) == 4


def test_the_encodings_of_the_last_versions_are_kept() -> None:
    partitions = Partitions([MetadataResponsePartition(partition_index=1)])
    for version in versions(MetadataResponse):
        encode(response(partitions), version)
        assert len(partitions.encodings) <= ENCODINGS_MAX
    first, last = MetadataResponse.versions
    kept = dict(partitions.encodings)
    encode(response(partitions), last)
    encode(response(partitions), last - 1)
    assert partitions.encodings == kept
    encode(response(partitions), first)
    assert set(partitions.encodings) != set(kept)


def test_a_discarded_reply_keeps_the_encodings() -> None:
    partitions = Partitions([MetadataResponsePartition(partition_index=n) for n in range(3)])
    written = encode(response(partitions), 9)
    waste: list[object] = [response(partitions)]
    discard(waste)
    assert not waste
    assert len(partitions) == 3
    assert encode(response(partitions), 9) == written


def test_an_encoded_array_does_not_make_a_message_large() -> None:
    partitions = Partitions([MetadataResponsePartition()] * LARGE_ELEMENTS)
    assert is_large(response(partitions))
    assert is_large(response(partitions), 9)
    encode_large(response(partitions), 9)
    assert not is_large(response(partitions), 9)
    assert is_large(response(partitions), 8)
    assert is_large(response(partitions))
