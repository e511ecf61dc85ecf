"""The declarations against an encoder of our own: every message of the draft, in every version."""

import struct
from collections.abc import Callable

import pytest

from protocol.draft_apis import DRAFT_APIS
from rollcall.wire.codec import decode, encode
from rollcall.wire.declare import Message
from rollcall.wire.errors import WireError
from rollcall.wire.messages import PRIVATE_FROM
from rollcall.wire.messages.draft.consumer_metadata import (
    ConsumerMetadataRequest,
    ConsumerMetadataResponse,
)
from rollcall.wire.messages.draft.heartbeat import HeartbeatRequest, HeartbeatResponse
from rollcall.wire.messages.draft.join_group import (
    JoinGroupRequest,
    JoinGroupResponse,
    JoinGroupResponseTopic,
)
from rollcall.wire.messages.draft.leave_group import LeaveGroupRequest, LeaveGroupResponse
from rollcall.wire.messages.draft.metadata import (
    TopicMetadataBroker,
    TopicMetadataPartition,
    TopicMetadataRequest,
    TopicMetadataResponse,
    TopicMetadataTopic,
)
from rollcall.wire.messages.draft.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from rollcall.wire.messages.draft.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
    OffsetFetchResponsePartition,
    OffsetFetchResponseTopic,
)
from rollcall.wire.messages.join_group import JoinGroupRequest as TodaysJoinGroupRequest
from tests.draft import raw
from tests.draft.raw import array, string


def ints(form: str, *values: int) -> bytes:
    return struct.pack(">" + form, *values)


def commit_request(version: int) -> OffsetCommitRequest:
    partition = OffsetCommitRequestPartition(partition=2, offset=7, metadata="note")
    topic = OffsetCommitRequestTopic(name="t", partitions=[partition])
    if version == 0:
        return OffsetCommitRequest(group_id="g", topics=[topic])
    return OffsetCommitRequest(group_id="g", group_generation_id=3, consumer_id="c", topics=[topic])


def commit_bytes(version: int) -> bytes:
    return raw.offset_commit(version, "g", {("t", 2): 7}, 3, "c", "note")


ONE_PARTITION = TopicMetadataPartition(partition=4, leader=1, replicas=[1], in_sync_replicas=[1])
METADATA = TopicMetadataResponse(
    brokers=[TopicMetadataBroker(node_id=1, host="h", port=9392)],
    topics=[TopicMetadataTopic(error_code=5, name="t", partitions=[ONE_PARTITION])],
)

Case = tuple[int, Message, Callable[[], bytes]]

CASES: list[Case] = [
    (
        0,
        JoinGroupRequest(
            group_id="g", session_timeout_ms=6000, topics=["t", "u"], consumer_id="g-1",
            partition_assignment_strategy="range",
        ),
        lambda: raw.join_group("g", 6000, ["t", "u"], "g-1", "range"),
    ),
    (
        0,
        JoinGroupResponse(
            error_code=23, group_generation_id=2, consumer_id="g-1",
            partitions_to_own=[JoinGroupResponseTopic(name="t", partitions=[0, 3])],
        ),
        lambda: ints("hi", 23, 2) + string("g-1") + array([string("t") + ints("iii", 2, 0, 3)]),
    ),
    (
        0,
        HeartbeatRequest(group_id="g", group_generation_id=2, consumer_id="g-1"),
        lambda: raw.heartbeat("g", 2, "g-1"),
    ),
    (0, HeartbeatResponse(error_code=22), lambda: ints("h", 22)),
    (
        0,
        LeaveGroupRequest(group_id="g", consumer_id="g-1"),
        lambda: string("g") + string("g-1"),
    ),
    (0, LeaveGroupResponse(error_code=25), lambda: ints("h", 25)),
    (0, ConsumerMetadataRequest(group_id="g"), lambda: string("g")),
    (
        0,
        ConsumerMetadataResponse(
            error_code=15, coordinator_id=-1, coordinator_host="", coordinator_port=-1
        ),
        lambda: ints("hi", 15, -1) + string("") + ints("i", -1),
    ),
    *((v, commit_request(v), lambda v=v: commit_bytes(v)) for v in range(3)),
    *(
        (
            v,
            OffsetCommitResponse(
                topics=[
                    OffsetCommitResponseTopic(
                        name="t",
                        partitions=[OffsetCommitResponsePartition(partition=2, error_code=27)],
                    )
                ]
            ),
            lambda: array([string("t") + array([ints("ih", 2, 27)])]),
        )
        for v in range(3)
    ),
    *(
        (
            v,
            OffsetFetchRequest(
                group_id="g", topics=[OffsetFetchRequestTopic(name="t", partitions=[2])]
            ),
            lambda: raw.offset_fetch("g", {"t": [2]}),
        )
        for v in range(2)
    ),
    *(
        (
            v,
            OffsetFetchResponse(
                topics=[
                    OffsetFetchResponseTopic(
                        name="t",
                        partitions=[
                            OffsetFetchResponsePartition(partition=2, offset=7, metadata="note")
                        ],
                    )
                ]
            ),
            lambda: array([string("t") + array([ints("iq", 2, 7) + string("note") + b"\0\0"])]),
        )
        for v in range(2)
    ),
    (0, TopicMetadataRequest(topics=["t"]), lambda: array([string("t")])),
    (
        0,
        METADATA,
        lambda: array([ints("i", 1) + string("h") + ints("i", 9392)])
        + array([ints("h", 5) + string("t") + array([ints("hiiiiii", 0, 4, 1, 1, 1, 1, 1)])]),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("version", "message", "expected"),
    CASES,
    ids=[f"{type(message).__name__} v{version}" for version, message, _ in CASES],
)
def test_a_message_is_these_bytes(
    version: int, message: Message, expected: Callable[[], bytes]
) -> None:
    assert encode(message, version) == expected()
    assert decode(type(message), version, expected()) == message


def test_every_message_in_every_version_has_a_case() -> None:
    covered = {(version, type(message)) for version, message, _ in CASES}
    served = {
        (version, cls)
        for api in DRAFT_APIS.values()
        if api.key < PRIVATE_FROM
        for version in range(api.min_version, api.max_version + 1)
        for cls in (api.request, api.response)
    }
    assert covered == served


def test_the_table_is_what_the_draft_has() -> None:
    theirs = {key: api for key, api in DRAFT_APIS.items() if key < PRIVATE_FROM}
    versions = {key: (api.min_version, api.max_version) for key, api in theirs.items()}
    assert versions == {
        3: (0, 0), 8: (0, 2), 9: (0, 1), 10: (0, 0), 11: (0, 0), 12: (0, 0), 13: (0, 0),
    }  # fmt: skip


def test_todays_join_has_another_layout() -> None:
    """Trap 63: same key, same version, another body. A port for each tells them apart."""
    body = raw.join_group("g", 6000, ["t"], "", "range")
    with pytest.raises(WireError):
        decode(TodaysJoinGroupRequest, 0, body)
