"""ListOffsets: a partition's first, last or timed offset."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int8, int16, int32, int64, string


@struct
class ListOffsetsPartition(Struct):
    """A partition; a timestamp of -1 requests the latest offset, -2 the earliest."""

    partition_index: int = wire(int32)
    current_leader_epoch: int = wire(int32, since=4, default=-1)
    timestamp: int = wire(int64)


@struct
class ListOffsetsTopic(Struct):
    """The partitions of one topic."""

    name: str = wire(string)
    partitions: Sequence[ListOffsetsPartition] = wire(array(ListOffsetsPartition))


@message(api_key=2, versions="1-11", flexible="6+")
class ListOffsetsRequest(Message):
    """The partitions whose offsets are requested."""

    replica_id: int = wire(int32)  # -1: a consumer
    isolation_level: int = wire(int8, since=2)
    topics: Sequence[ListOffsetsTopic] = wire(array(ListOffsetsTopic))
    timeout_ms: int = wire(int32, since=10)  # KIP-1075


@struct
class ListOffsetsPartitionResponse(Struct):
    """The offset that was found, -1 if none was."""

    partition_index: int = wire(int32)
    error_code: int = wire(int16)
    timestamp: int = wire(int64, default=-1)
    offset: int = wire(int64, default=-1)
    leader_epoch: int = wire(int32, since=4, default=-1)


@struct
class ListOffsetsTopicResponse(Struct):
    """The partitions of one topic."""

    name: str = wire(string)
    partitions: Sequence[ListOffsetsPartitionResponse] = wire(array(ListOffsetsPartitionResponse))


@message(api_key=2, versions="1-11", flexible="6+")
class ListOffsetsResponse(Message):
    """The offsets."""

    throttle_time_ms: int = wire(int32, since=2)
    topics: Sequence[ListOffsetsTopicResponse] = wire(array(ListOffsetsTopicResponse))
