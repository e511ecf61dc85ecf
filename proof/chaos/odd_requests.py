"""Requests with values that cannot be stored, or only just: each must be answered, and none with
-1.

A rejected request must not change the group; the members check that.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final
from uuid import uuid4

from groups.core.errors import ErrorCode
from proof.chaos.network import BROKEN, Elsewhere, Network, call
from proof.simulation import odd
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

LIMIT_S: Final = 5.0

IMPOSSIBLE: Final = ("\0", "id\0", "n" * 6_000, odd.instance(0) + "x")
"""Names that are not allowed."""


async def send(network: Network, group_id: str) -> list[str]:
    """Send them to the group's coordinator; returns wrong responses, in words. A lost request
    proves nothing."""
    strange: list[str] = []
    for request, version in requests(group_id):
        with suppress(Elsewhere, *BROKEN):
            peer = await network.connect(await network.coordinator(group_id))
            try:
                answer = await call(peer, request, version, LIMIT_S)
            finally:
                peer.close()
            if ErrorCode.UNKNOWN_SERVER_ERROR in _codes(answer):
                strange.append(f"{type(request).__name__} with an odd value was answered -1")
    return strange


def requests(group_id: str) -> Iterator[tuple[Any, int]]:
    """Each with its version."""
    for name in IMPOSSIBLE:
        yield _join(group_id, name), 7
        yield _beat(group_id, name, "work"), 1
    yield _beat(group_id, None, "\0"), 1
    yield _commit(group_id, 0, "x" * (odd.NOTE_UNITS + 1)), 9
    yield _commit(group_id, 1 << 30, "\0"), 9
    yield LeaveGroupRequest(group_id=group_id, members=[MemberIdentity(member_id="\0")]), 4
    yield LeaveGroupRequest(group_id=f"{group_id}\0", members=[MemberIdentity(member_id="")]), 4


def _join(group_id: str, name: str) -> JoinGroupRequest:
    return JoinGroupRequest(
        group_id=group_id,
        session_timeout_ms=6_000,
        rebalance_timeout_ms=6_000,
        member_id="",
        group_instance_id=name,
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
    )


def _beat(group_id: str, name: str | None, topic: str) -> ConsumerGroupHeartbeatRequest:
    return ConsumerGroupHeartbeatRequest(
        group_id=group_id,
        member_id=str(uuid4()),
        member_epoch=0,
        instance_id=name,
        rebalance_timeout_ms=6_000,
        subscribed_topic_names=[topic, topic],
        topic_partitions=[],
    )


def _commit(group_id: str, partition: int, note: str) -> OffsetCommitRequest:
    what = OffsetCommitRequestPartition(
        partition_index=partition, committed_offset=(1 << 63) - 1, committed_metadata=note
    )
    return OffsetCommitRequest(
        group_id=group_id,
        generation_id_or_member_epoch=-1,
        member_id="",
        topics=[OffsetCommitRequestTopic(name="work", partitions=[what])],
    )


def _codes(answer: Any) -> set[int]:
    """All error codes of a response."""
    codes = {getattr(answer, "error_code", 0)}
    topics = getattr(answer, "topics", ())
    codes |= {partition.error_code for topic in topics for partition in topic.partitions}
    return codes | {member.error_code for member in getattr(answer, "members", ())}
