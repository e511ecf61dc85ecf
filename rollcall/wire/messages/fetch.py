"""Fetch: records of partitions, in full fetches or in sessions (KIP-227)."""

from collections.abc import Sequence
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int8, int16, int32, int64, records, string, uuid


@struct
class ReplicaState(Struct):
    """Who fetches, when it is a broker (KIP-903)."""

    replica_id: int = wire(int32, default=-1)
    replica_epoch: int = wire(int64, default=-1)


@struct
class FetchPartition(Struct):
    """A partition and the offset to read from."""

    partition: int = wire(int32)
    current_leader_epoch: int = wire(int32, since=9, default=-1)
    fetch_offset: int = wire(int64)
    last_fetched_epoch: int = wire(int32, since=12, default=-1)
    log_start_offset: int = wire(int64, since=5, default=-1)
    partition_max_bytes: int = wire(int32)
    replica_directory_id: UUID = wire(uuid, since=17, tag=0)
    high_watermark: int = wire(int64, since=18, default=0x7FFFFFFFFFFFFFFF, tag=1)


@struct
class FetchTopic(Struct):
    """The partitions of one topic."""

    topic: str = wire(string, until=12)
    topic_id: UUID = wire(uuid, since=13)
    partitions: Sequence[FetchPartition] = wire(array(FetchPartition))


@struct
class ForgottenTopic(Struct):
    """Partitions that leave the fetch session."""

    topic: str = wire(string, until=12)
    topic_id: UUID = wire(uuid, since=13)
    partitions: Sequence[int] = wire(array(int32))


@message(api_key=1, versions="4-18", flexible="12+")
class FetchRequest(Message):
    """The partitions to read, or what has changed in a fetch session."""

    cluster_id: str | None = wire(string, since=12, default=None, tag=0)
    replica_id: int = wire(int32, until=14, default=-1)
    replica_state: ReplicaState = wire(ReplicaState, since=15, tag=1)
    max_wait_ms: int = wire(int32)
    min_bytes: int = wire(int32)
    max_bytes: int = wire(int32, default=0x7FFFFFFF)
    isolation_level: int = wire(int8)
    session_id: int = wire(int32, since=7)  # KIP-227
    session_epoch: int = wire(int32, since=7, default=-1)
    topics: Sequence[FetchTopic] = wire(array(FetchTopic))
    forgotten_topics_data: Sequence[ForgottenTopic] = wire(array(ForgottenTopic), since=7)
    rack_id: str = wire(string, since=11)  # KIP-392


@struct
class EpochEndOffset(Struct):
    """The end of the last epoch that reader and leader have in common."""

    epoch: int = wire(int32, default=-1)
    end_offset: int = wire(int64, default=-1)


@struct
class LeaderIdAndEpoch(Struct):
    """The leader of a partition, for a client that asked another broker (KIP-951)."""

    leader_id: int = wire(int32, default=-1)
    leader_epoch: int = wire(int32, default=-1)


@struct
class SnapshotId(Struct):
    """A snapshot to fetch instead of records."""

    end_offset: int = wire(int64, default=-1)
    epoch: int = wire(int32, default=-1)


@struct
class AbortedTransaction(Struct):
    """A transaction whose records have to be skipped."""

    producer_id: int = wire(int64)
    first_offset: int = wire(int64)


@struct
class PartitionData(Struct):
    """The records of one partition, or why there are none."""

    partition_index: int = wire(int32)
    error_code: int = wire(int16)
    high_watermark: int = wire(int64)
    last_stable_offset: int = wire(int64, default=-1)
    log_start_offset: int = wire(int64, since=5, default=-1)
    diverging_epoch: EpochEndOffset = wire(EpochEndOffset, since=12, tag=0)
    current_leader: LeaderIdAndEpoch = wire(LeaderIdAndEpoch, since=12, tag=1)
    snapshot_id: SnapshotId = wire(SnapshotId, since=12, tag=2)
    aborted_transactions: Sequence[AbortedTransaction] | None = wire(
        array(AbortedTransaction), nullable_since=0
    )
    preferred_read_replica: int = wire(int32, since=11, default=-1)  # KIP-392
    records: bytes | None = wire(records, default=None)


@struct
class FetchableTopicResponse(Struct):
    """The partitions of one topic."""

    topic: str = wire(string, until=12)
    topic_id: UUID = wire(uuid, since=13)
    partitions: Sequence[PartitionData] = wire(array(PartitionData))


@struct
class NodeEndpoint(Struct):
    """The address of a new leader (KIP-951)."""

    node_id: int = wire(int32)
    host: str = wire(string)
    port: int = wire(int32)
    rack: str | None = wire(string, default=None)


@message(api_key=1, versions="4-18", flexible="12+")
class FetchResponse(Message):
    """The records by partition."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16, since=7)
    session_id: int = wire(int32, since=7)
    responses: Sequence[FetchableTopicResponse] = wire(array(FetchableTopicResponse))
    node_endpoints: Sequence[NodeEndpoint] = wire(array(NodeEndpoint), since=16, tag=0)
