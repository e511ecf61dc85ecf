"""OffsetCommit: store a group's offsets."""

from collections.abc import Sequence
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, int64, string, uuid


@struct
class OffsetCommitRequestPartition(Struct):
    """One offset: the next record to read, and the member's metadata."""

    partition_index: int = wire(int32)
    committed_offset: int = wire(int64)
    committed_leader_epoch: int = wire(int32, since=6, default=-1)  # KIP-320
    committed_metadata: str | None = wire(string, nullable_since=0)


@struct
class OffsetCommitRequestTopic(Struct):
    """The offsets of one topic."""

    name: str = wire(string, until=9)
    topic_id: UUID = wire(uuid, since=10)
    partitions: Sequence[OffsetCommitRequestPartition] = wire(array(OffsetCommitRequestPartition))


@message(api_key=8, versions="2-10", flexible="8+")
class OffsetCommitRequest(Message):
    """Offsets of a group, guarded by the generation or member epoch."""

    group_id: str = wire(string)
    generation_id_or_member_epoch: int = wire(int32, default=-1)  # KIP-848; -1: no member
    member_id: str = wire(string)
    group_instance_id: str | None = wire(string, since=7, default=None)  # KIP-345
    retention_time_ms: int = wire(int64, until=4, default=-1)  # KIP-211 removed it
    topics: Sequence[OffsetCommitRequestTopic] = wire(array(OffsetCommitRequestTopic))


@struct
class OffsetCommitResponsePartition(Struct):
    """Whether one offset is stored."""

    partition_index: int = wire(int32)
    error_code: int = wire(int16)


@struct
class OffsetCommitResponseTopic(Struct):
    """The partitions of one topic."""

    name: str = wire(string, until=9)
    topic_id: UUID = wire(uuid, since=10)
    partitions: Sequence[OffsetCommitResponsePartition] = wire(array(OffsetCommitResponsePartition))


@message(api_key=8, versions="2-10", flexible="8+")
class OffsetCommitResponse(Message):
    """The result for each partition."""

    throttle_time_ms: int = wire(int32, since=3)
    topics: Sequence[OffsetCommitResponseTopic] = wire(array(OffsetCommitResponseTopic))
