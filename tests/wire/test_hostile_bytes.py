"""Whatever a peer sends is a message or a WireError, soon and in little memory.

``ROLLCALL_FUZZ_FACTOR=1000 pytest --timeout=0 tests/wire`` makes the random tests of this
folder a thousand times as long, with other examples each time.
"""

import struct
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.wire.codec import decode, encode
from rollcall.wire.declare import Message
from rollcall.wire.errors import WireError
from rollcall.wire.limits import FRAME_BYTES_MAX
from rollcall.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.join_group import JoinGroupRequest
from rollcall.wire.messages.metadata import MetadataRequest
from rollcall.wire.messages.offset_commit import OffsetCommitRequest
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest
from rollcall.wire.messages.sync_group import SyncGroupResponse
from rollcall.wire.primitives import uvarint
from tests.wire.samples import VERSIONS, chance, every_message, filled, often, times, versions

MUTANTS = times(40)


def read_if_sound(cls: type[Message], version: int, data: bytes) -> bool:
    """Whether the bytes are a message; if so, we can write what we have read."""
    try:
        message = decode(cls, version, data)
    except WireError:
        return False
    assert decode(cls, version, encode(message, version)) == message, (version, data)
    return True


@every_message
def test_every_prefix_of_a_message_is_refused(cls: type[Message]) -> None:
    for version in versions(cls):
        whole = encode(filled(cls, version, chance(cls.__name__, version)), version)
        for size in range(len(whole)):
            assert not read_if_sound(cls, version, whole[:size]), (version, size)
        assert read_if_sound(cls, version, whole), version


@every_message
def test_a_message_with_wrong_bytes_is_parsed_or_refused(cls: type[Message]) -> None:
    for version in versions(cls):
        rng = chance("mutants", cls.__name__, version)
        for _ in range(MUTANTS):
            mutant = bytearray(encode(filled(cls, version, rng), version))
            for _ in range(rng.randrange(1, 4)):
                if mutant:
                    mutant[rng.randrange(len(mutant))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, 0x20])
            read_if_sound(cls, version, bytes(mutant))


@given(st.sampled_from(VERSIONS), st.binary(max_size=200))
@often(1500)
def test_any_bytes_are_parsed_or_refused(which: tuple[type[Message], int], data: bytes) -> None:
    read_if_sound(*which, data)


def refused(cls: type[Message], version: int, data: bytes, reason: str) -> None:
    """The bytes are refused before they cost a tenth of a second or a megabyte."""
    with pytest.raises(WireError, match=reason):
        decode(cls, version, data)  # compiles, too: not a part of what is measured
    started = time.thread_time()
    tracemalloc.start()
    try:
        with pytest.raises(WireError, match=reason):
            decode(cls, version, data)
        assert tracemalloc.get_traced_memory()[1] < 1024 * 1024
    finally:
        tracemalloc.stop()
    assert time.thread_time() - started < 0.1


COMMIT_V8 = b"\x02g" + struct.pack(">i", 1) + b"\x02m" + b"\x00"
COMMIT_V2 = b"\x00\x01g" + struct.pack(">i", 1) + b"\x00\x01m" + struct.pack(">q", -1)


@pytest.mark.parametrize(
    "count", [b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\x07", b"\x80\x80\x08"]
)
def test_a_compact_count_of_billions_allocates_nothing(count: bytes) -> None:
    refused(OffsetCommitRequest, 8, COMMIT_V8 + count + bytes(20), "elements")


@pytest.mark.parametrize("count", [b"\x7f\xff\xff\xff", b"\x00\x01\x86\xa1", b"\x00\x00\x00\x09"])
def test_a_count_of_billions_allocates_nothing(count: bytes) -> None:
    refused(OffsetCommitRequest, 2, COMMIT_V2 + count + bytes(20), "elements")


def test_a_negative_count_is_refused_for_a_non_nullable_array() -> None:
    refused(OffsetCommitRequest, 2, COMMIT_V2 + b"\xff\xff\xff\xff" + bytes(20), "null")
    refused(OffsetCommitRequest, 8, COMMIT_V8 + b"\x00" + bytes(20), "null")


def test_a_negative_length_is_null_for_a_nullable_field() -> None:
    """So Kafka's own readers take it: any number below zero, not only -1."""
    assert decode(MetadataRequest, 1, b"\x80\x00\x00\x00").topics is None
    refused(MetadataRequest, 0, b"\x80\x00\x00\x00", "null")


@pytest.mark.parametrize("version", [0, 4])
def test_null_is_refused_for_a_non_nullable_string(version: int) -> None:
    refused(HeartbeatRequest, version, b"\xff\xff" if version == 0 else b"\x00", "null")


def test_a_varint_without_an_end_is_refused_at_its_fifth_byte() -> None:
    for cls, version in VERSIONS:
        if cls.flexible(version):
            endless = b"\xff" * (2 * 1024 * 1024)
            with pytest.raises(WireError):
                decode(cls, version, endless)
    refused(HeartbeatRequest, 4, b"\xff" * (2 * 1024 * 1024), "varint")


def test_a_varint_has_thirty_two_bits() -> None:
    refused(HeartbeatRequest, 4, b"\xff\xff\xff\xff\x1f" + bytes(50), "varint")
    refused(HeartbeatRequest, 4, b"\xff\xff\xff\xff\xff\x01" + bytes(50), "varint")


def test_a_varint_may_be_longer_than_necessary() -> None:
    sound = encode(HeartbeatRequest(group_id="g", member_id="m"), 4)
    longer = b"\x82\x80\x00" + sound[1:-1] + b"\x80\x00"
    assert decode(HeartbeatRequest, 4, longer) == decode(HeartbeatRequest, 4, sound)


def test_a_join_of_350_000_protocols_is_over_the_budget() -> None:
    join = JoinGroupRequest(group_id="g", protocol_type="consumer")
    head = encode(join, 9)[:-3]
    frame = head + uvarint(350_001) + b"\x01\x01\x00" * 350_000 + b"\x00\x00"
    refused(JoinGroupRequest, 9, frame, "350000 elements")


def test_three_million_empty_topics_are_over_the_budget() -> None:
    refused(
        OffsetCommitRequest, 2, COMMIT_V2 + struct.pack(">i", 3_000_000) + bytes(18_000_000), "elem"
    )
    refused(MetadataRequest, 1, struct.pack(">i", 3_000_000) + bytes(6_000_000), "elements")


def test_the_budget_counts_all_arrays_of_a_frame() -> None:
    """Each of 500 topics is within every limit; together they are not."""
    topic = b"\x02t" + uvarint(301) + bytes([*bytes(16), 1, 0]) * 300 + b"\x00"
    frame = COMMIT_V8 + uvarint(501) + topic * 500 + b"\x00"
    assert len(frame) < FRAME_BYTES_MAX
    with pytest.raises(WireError, match="elements"):
        decode(OffsetCommitRequest, 8, frame)
    reply = decode(OffsetCommitRequest, 8, frame, elements_max=200_000)
    assert sum(len(topic.partitions) for topic in reply.topics) == 150_000


def test_numbers_count_as_elements_too() -> None:
    frame = b"\x00\x01g" + struct.pack(">i", 1) + b"\x00\x01t" + struct.pack(">i", 100_000)
    refused(OffsetFetchRequest, 1, frame + bytes(400_000), "100000 elements")


def test_tagged_fields_count_as_elements_too() -> None:
    protocol = b"\x01\x01\x20" + b"\x00\x00" * 32
    head = encode(JoinGroupRequest(), 9)[:-3]
    frame = head + uvarint(40_001) + protocol * 40_000 + b"\x00\x00"
    with pytest.raises(WireError, match="elements"):
        decode(JoinGroupRequest, 9, frame)


def test_a_struct_has_at_most_thirty_two_tagged_fields_of_sixteen_kibibytes() -> None:
    def asked(tags: bytes) -> bytes:
        return b"\x02n\x02v" + tags

    def field(tag: int, size: int) -> bytes:
        return uvarint(tag) + uvarint(size) + bytes(size)

    many = b"".join(field(tag, 16 * 1024) for tag in range(32))
    assert decode(ApiVersionsRequest, 3, asked(b"\x20" + many)).client_software_name == "n"
    refused(ApiVersionsRequest, 3, asked(b"\x21" + many + field(32, 0)), "33 tagged fields")
    refused(ApiVersionsRequest, 3, asked(b"\x01" + field(0, 16 * 1024 + 1)), "16385 bytes")
    refused(ApiVersionsRequest, 3, asked(b"\x01\x00\x05four"), "truncated")


def test_tagged_fields_may_come_unordered_and_the_last_of_two_counts() -> None:
    """Kafka's readers do not check the order either; only its writers keep it."""
    head = encode(ApiVersionsResponse(), 3)[:-1]
    epoch = [b"\x01\x08" + struct.pack(">q", number) for number in (7, 8)]
    reply = decode(ApiVersionsResponse, 3, head + b"\x04\x03\x01\x01\x63\x01x" + b"".join(epoch))
    assert reply == ApiVersionsResponse(zk_migration_ready=True, finalized_features_epoch=8)


@pytest.mark.parametrize("size", [0, 7, 9])
def test_a_tagged_field_must_have_the_size_of_its_value(size: int) -> None:
    head = encode(ApiVersionsResponse(), 3)[:-1]
    frame = head + b"\x01\x01" + bytes([size]) + bytes(max(size, 8))
    refused(ApiVersionsResponse, 3, frame, "size")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (b"\xff", "\ufffd"),
        (b"gr\xfc\xdfe", "gr\ufffd\ufffde"),
        (b"\xc3", "\ufffd"),
        (b"\xed\xa0\x80", "\ufffd" * 3),
        (b"\xc0\x80", "\ufffd" * 2),
        (b"\xf4\x90\x80\x80", "\ufffd" * 4),
        (b"g" * 200 + b"\xff", "g" * 200 + "\ufffd"),
    ],
)
@pytest.mark.parametrize("version", [3, 4])
def test_what_is_not_utf_8_in_a_text_is_replaced(version: int, text: bytes, read: str) -> None:
    size = uvarint(len(text) + 1) if version == 4 else struct.pack(">h", len(text))
    nobody = encode(HeartbeatRequest(group_id="", generation_id=7, member_id="größe"), version)
    rest = nobody[1 if version == 4 else 2 :]
    message = decode(HeartbeatRequest, version, size + text + rest)
    assert (message.group_id, message.generation_id, message.member_id) == (read, 7, "größe")


def test_a_text_that_is_too_long_with_its_replacements_is_refused() -> None:
    """It would not fit into a response, which repeats it."""
    fits, too_long = (b"\xff" * (0x7FFF // 3 + more) for more in (0, 1))
    rest = encode(HeartbeatRequest(group_id=""), 3)[2:]
    message = decode(HeartbeatRequest, 3, struct.pack(">h", len(fits)) + fits + rest)
    assert len(encode(message, 3)) > 0x7FF0
    refused(HeartbeatRequest, 3, struct.pack(">h", len(too_long)) + too_long + rest, "UTF-8")


def test_the_length_of_a_string_is_limited_to_an_int16() -> None:
    refused(HeartbeatRequest, 4, uvarint(32_769) + b"g" * 40_000, "32768 bytes")


def test_a_declared_length_of_gigabytes_allocates_only_existing_bytes() -> None:
    sync = encode(SyncGroupResponse(), 3)[:-4] + struct.pack(">i", 2**31 - 1) + bytes(100)
    refused(SyncGroupResponse, 3, sync, "truncated")
    sync = encode(SyncGroupResponse(), 5)[:-2] + b"\xff\xff\xff\xff\x0f" + bytes(100)
    refused(SyncGroupResponse, 5, sync, "truncated")
