"""Produce: records for partitions."""

from collections.abc import Sequence
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, int64, records, string, uuid


@struct
class PartitionProduceData(Struct):
    """The records of one partition."""

    index: int = wire(int32)
    records: bytes | None = wire(records, default=None)


@struct
class TopicProduceData(Struct):
    """The partitions of one topic."""

    name: str = wire(string, until=12)
    topic_id: UUID = wire(uuid, since=13)
    partition_data: Sequence[PartitionProduceData] = wire(array(PartitionProduceData))


@message(api_key=0, versions="3-13", flexible="9+")
class ProduceRequest(Message):
    """The records, and how many replicas must have them before the response."""

    transactional_id: str | None = wire(string, default=None)
    acks: int = wire(int16)
    timeout_ms: int = wire(int32)
    topic_data: Sequence[TopicProduceData] = wire(array(TopicProduceData))


@struct
class BatchIndexAndErrorMessage(Struct):
    """A record that was refused, by its index in the batch (KIP-467)."""

    batch_index: int = wire(int32)
    batch_index_error_message: str | None = wire(string, default=None)


@struct
class LeaderIdAndEpoch(Struct):
    """The leader of a partition, for a client that asked another broker (KIP-951)."""

    leader_id: int = wire(int32, default=-1)
    leader_epoch: int = wire(int32, default=-1)


@struct
class PartitionProduceResponse(Struct):
    """Where the records of one partition begin, or why they were refused."""

    index: int = wire(int32)
    error_code: int = wire(int16)
    base_offset: int = wire(int64)
    log_append_time_ms: int = wire(int64, default=-1)
    log_start_offset: int = wire(int64, since=5, default=-1)
    record_errors: Sequence[BatchIndexAndErrorMessage] = wire(
        array(BatchIndexAndErrorMessage), since=8
    )
    error_message: str | None = wire(string, since=8, default=None)
    current_leader: LeaderIdAndEpoch = wire(LeaderIdAndEpoch, since=10, tag=0)


@struct
class TopicProduceResponse(Struct):
    """The partitions of one topic."""

    name: str = wire(string, until=12)
    topic_id: UUID = wire(uuid, since=13)
    partition_responses: Sequence[PartitionProduceResponse] = wire(array(PartitionProduceResponse))


@struct
class NodeEndpoint(Struct):
    """The address of a new leader (KIP-951)."""

    node_id: int = wire(int32)
    host: str = wire(string)
    port: int = wire(int32)
    rack: str | None = wire(string, default=None)


@message(api_key=0, versions="3-13", flexible="9+")
class ProduceResponse(Message):
    """The result for each partition."""

    responses: Sequence[TopicProduceResponse] = wire(array(TopicProduceResponse))
    throttle_time_ms: int = wire(int32)
    node_endpoints: Sequence[NodeEndpoint] = wire(array(NodeEndpoint), since=10, tag=0)
