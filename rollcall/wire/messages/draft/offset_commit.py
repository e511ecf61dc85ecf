"""OffsetCommit of the 0.9 draft's time, v0 to v2: v0 has no consumer, v1 has timestamps."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, int64, string


@struct
class OffsetCommitRequestPartition(Struct):
    """One offset: the next record to read, and the consumer's metadata."""

    partition: int = wire(int32)
    offset: int = wire(int64)
    timestamp_ms: int = wire(int64, since=1, until=1, default=-1)  # -1: now
    metadata: str | None = wire(string, nullable_since=0)


@struct
class OffsetCommitRequestTopic(Struct):
    """The offsets of one topic."""

    name: str = wire(string)
    partitions: Sequence[OffsetCommitRequestPartition] = wire(array(OffsetCommitRequestPartition))


@message(api_key=8, versions="0-2")
class OffsetCommitRequest(Message):
    """Offsets of a group, from version 1 on guarded by generation and consumer."""

    group_id: str = wire(string)
    group_generation_id: int = wire(int32, since=1, default=-1)
    consumer_id: str = wire(string, since=1)
    retention_time_ms: int = wire(int64, since=2, default=-1)
    topics: Sequence[OffsetCommitRequestTopic] = wire(array(OffsetCommitRequestTopic))


@struct
class OffsetCommitResponsePartition(Struct):
    """Whether one offset is stored."""

    partition: int = wire(int32)
    error_code: int = wire(int16)


@struct
class OffsetCommitResponseTopic(Struct):
    """The partitions of one topic."""

    name: str = wire(string)
    partitions: Sequence[OffsetCommitResponsePartition] = wire(array(OffsetCommitResponsePartition))


@message(api_key=8, versions="0-2")
class OffsetCommitResponse(Message):
    """The result for each partition."""

    topics: Sequence[OffsetCommitResponseTopic] = wire(array(OffsetCommitResponseTopic))
