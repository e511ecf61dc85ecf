"""What is written is read back, whole and unchanged, in every version."""

import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.wire.codec import decode, encode, encode_large
from rollcall.wire.declare import Message
from rollcall.wire.encoding import compile_encoder
from rollcall.wire.messages.api_versions import ApiVersionsResponse, SupportedFeatureKey
from rollcall.wire.messages.describe_topic_partitions import Cursor, DescribeTopicPartitionsRequest
from rollcall.wire.messages.fetch import FetchRequest, ReplicaState
from rollcall.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupResponse
from rollcall.wire.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from rollcall.wire.messages.offset_commit import OffsetCommitRequest, OffsetCommitRequestTopic
from rollcall.wire.messages.sync_group import SyncGroupResponse
from tests.wire.samples import every_message, messages, often, versions


@every_message
@given(data=st.data())
@often(30)
def test_a_message_round_trips(cls: type[Message], data: st.DataObject) -> None:
    version = data.draw(st.integers(*cls.versions), label="version")
    message = data.draw(messages(cls, version), label="message")
    assert decode(cls, version, encode(message, version)) == message


@every_message
@given(data=st.data())
@often(10)
def test_joined_pieces_are_the_same_bytes(cls: type[Message], data: st.DataObject) -> None:
    version = data.draw(st.integers(*cls.versions), label="version")
    message = data.draw(messages(cls, version), label="message")
    assert compile_encoder(cls, version, pieces_max=1)(message) == encode(message, version)


def test_encoding_a_large_message_takes_a_small_multiple_of_its_size() -> None:
    """Joined at the end only, its pieces would take some thirty times as much."""
    partition = MetadataResponsePartition(replica_nodes=[0], isr_nodes=[0])
    topic = MetadataResponseTopic(name="t", partitions=[partition] * 20_000)
    large = MetadataResponse(topics=[topic])
    assert encode_large(large, 12) == encode(large, 12)
    tracemalloc.start()
    try:
        written = encode_large(large, 12)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 6 * len(written)


@pytest.mark.parametrize("write", [encode, encode_large])
def test_an_encoding_error_names_the_message(
    write: Callable[[Message, int], bytes],
) -> None:
    with pytest.raises(ValueError, match="HeartbeatRequest v3"):
        write(HeartbeatRequest(generation_id=2**31), 3)
    with pytest.raises(TypeError, match="HeartbeatRequest v3"):
        write(HeartbeatRequest(group_id=None), 3)  # type: ignore[arg-type]


@every_message
def test_a_message_of_defaults_round_trips(cls: type[Message]) -> None:
    for version in versions(cls):
        assert decode(cls, version, encode(cls(), version)) == cls(), version


def test_bytes_before_and_after_are_left_alone() -> None:
    message = HeartbeatRequest(group_id="orders", member_id="a", generation_id=3)
    body = b"header" + encode(message, 4) + b"and more"
    assert decode(HeartbeatRequest, 4, body, len(b"header")) == message


def test_a_field_that_the_version_lacks_is_dropped_and_read_as_its_default() -> None:
    message = JoinGroupRequest(group_id="orders", rebalance_timeout_ms=60_000, reason="deployed")
    before = decode(JoinGroupRequest, 0, encode(message, 0))
    assert before == JoinGroupRequest(group_id="orders", rebalance_timeout_ms=-1, reason=None)


def test_a_heartbeat_response_is_seven_bytes_of_which_the_last_counts_tags() -> None:
    response = HeartbeatResponse(throttle_time_ms=1, error_code=27)
    assert encode(response, 4) == b"\x00\x00\x00\x01\x00\x1b\x00"
    assert encode(response, 0) == b"\x00\x1b"


def test_null_and_empty_are_distinguished() -> None:
    everything, nothing = MetadataRequest(topics=None), MetadataRequest(topics=[])
    assert encode(everything, 1) == b"\xff\xff\xff\xff"
    assert encode(nothing, 1) == b"\x00\x00\x00\x00"
    assert decode(MetadataRequest, 9, encode(everything, 9)).topics is None
    assert decode(MetadataRequest, 9, encode(nothing, 9)).topics == []


@pytest.mark.parametrize("size", [0, 126, 127, 128, 1022, 1023, 1024, 16_382, 16_383, 32_767])
def test_strings_around_the_steps_of_their_prefix_round_trip(size: int) -> None:
    for version in (3, 4):
        message = HeartbeatRequest(group_id="g" * size, member_id="é" * (size // 2))
        assert decode(HeartbeatRequest, version, encode(message, version)) == message


@pytest.mark.parametrize("size", [126, 127, 128, 16_383, 2_097_151, 3_000_000])
def test_bytes_around_the_steps_of_their_prefix_round_trip(size: int) -> None:
    for version in (3, 5):
        message = SyncGroupResponse(assignment=bytes(size))
        assert decode(SyncGroupResponse, version, encode(message, version)) == message


def test_a_tagged_field_is_written_only_when_it_is_not_the_default() -> None:
    silent, telling = ApiVersionsResponse(), ApiVersionsResponse(zk_migration_ready=True)
    assert encode(silent, 3)[-1:] == b"\x00"
    assert encode(telling, 3)[-4:] == b"\x01\x03\x01\x01"


def test_tagged_fields_may_hold_lists_and_structs() -> None:
    feature = SupportedFeatureKey(name="group.version", min_version=0, max_version=1)
    message = ApiVersionsResponse(supported_features=[feature], finalized_features_epoch=7)
    assert decode(ApiVersionsResponse, 4, encode(message, 4)) == message
    fetch = FetchRequest(cluster_id="c", replica_state=ReplicaState(replica_id=5))
    assert decode(FetchRequest, 15, encode(fetch, 15)) == fetch


def test_a_struct_may_be_null() -> None:
    for cursor in (None, Cursor(topic_name="orders", partition_index=7)):
        request = DescribeTopicPartitionsRequest(cursor=cursor)
        assert decode(DescribeTopicPartitionsRequest, 0, encode(request, 0)) == request


def test_any_sequence_is_an_array() -> None:
    topic = OffsetCommitRequestTopic(topic_id=UUID(int=9), partitions=())
    tupled = OffsetCommitRequest(topics=(topic,))
    assert decode(OffsetCommitRequest, 10, encode(tupled, 10)).topics == [
        OffsetCommitRequestTopic(topic_id=UUID(int=9))
    ]


@pytest.mark.parametrize(
    ("message", "version", "error"),
    [
        (HeartbeatResponse(error_code=40_000), 4, ValueError),  # no int16
        (HeartbeatRequest(group_id="g" * 32_768), 4, ValueError),
        (HeartbeatRequest(group_id="g" * 32_768), 0, ValueError),
        (HeartbeatRequest(), 5, ValueError),  # no such version
        (JoinGroupResponse(protocol_name=None), 6, TypeError),  # nullable since 7
        (MetadataRequest(topics=None), 0, TypeError),
        (SyncGroupResponse(assignment=SimpleNamespace()), 5, TypeError),  # type: ignore[arg-type]
    ],
)
def test_invalid_values_raise_value_or_type_errors(
    message: Message, version: int, error: type[Exception]
) -> None:
    with pytest.raises(error):
        encode(message, version)


def test_an_undeclared_version_cannot_be_read() -> None:
    with pytest.raises(ValueError, match="versions 0 to 4, not 5"):
        decode(HeartbeatRequest, 5, b"")
