"""TxnOffsetCommit: offsets that count once the transaction is committed (KIP-98, KIP-447)."""

from collections.abc import Sequence
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, int64, string, uuid


@struct
class TxnOffsetCommitRequestPartition(Struct):
    """One offset: the next record to read, and the member's metadata."""

    partition_index: int = wire(int32)
    committed_offset: int = wire(int64)
    committed_leader_epoch: int = wire(int32, since=2, default=-1)  # KIP-320
    committed_metadata: str | None = wire(string, nullable_since=0)


@struct
class TxnOffsetCommitRequestTopic(Struct):
    """The offsets of one topic."""

    name: str = wire(string, until=5)
    topic_id: UUID = wire(uuid, since=6)  # KIP-1319
    partitions: Sequence[TxnOffsetCommitRequestPartition] = wire(
        array(TxnOffsetCommitRequestPartition)
    )


@message(api_key=28, versions="0-6", flexible="3+")
class TxnOffsetCommitRequest(Message):
    """Offsets of a group, guarded by the producer's epoch and, if given, by the member."""

    transactional_id: str = wire(string)
    group_id: str = wire(string)
    producer_id: int = wire(int64)
    producer_epoch: int = wire(int16)
    generation_id: int = wire(int32, since=3, default=-1)  # KIP-447
    member_id: str = wire(string, since=3)
    group_instance_id: str | None = wire(string, since=3, nullable_since=3, default=None)
    topics: Sequence[TxnOffsetCommitRequestTopic] = wire(array(TxnOffsetCommitRequestTopic))


@struct
class TxnOffsetCommitResponsePartition(Struct):
    """Whether one offset is pending until the end of the transaction."""

    partition_index: int = wire(int32)
    error_code: int = wire(int16)


@struct
class TxnOffsetCommitResponseTopic(Struct):
    """The partitions of one topic."""

    name: str = wire(string, until=5)
    topic_id: UUID = wire(uuid, since=6)  # KIP-1319
    partitions: Sequence[TxnOffsetCommitResponsePartition] = wire(
        array(TxnOffsetCommitResponsePartition)
    )


@message(api_key=28, versions="0-6", flexible="3+")
class TxnOffsetCommitResponse(Message):
    """The result for each partition."""

    throttle_time_ms: int = wire(int32)
    topics: Sequence[TxnOffsetCommitResponseTopic] = wire(array(TxnOffsetCommitResponseTopic))
