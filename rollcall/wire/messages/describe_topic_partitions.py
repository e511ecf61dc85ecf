"""DescribeTopicPartitions: topics with their partitions, a page at a time (KIP-966)."""

from collections.abc import Sequence
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, int16, int32, string, uuid


@struct
class TopicRequest(Struct):
    """A topic by its name."""

    name: str = wire(string)


@struct
class Cursor(Struct):
    """The first topic and partition of the next page."""

    topic_name: str = wire(string)
    partition_index: int = wire(int32)


@message(api_key=75, versions="0", flexible="0+")
class DescribeTopicPartitionsRequest(Message):
    """The topics, and where the last page ended."""

    topics: Sequence[TopicRequest] = wire(array(TopicRequest))
    response_partition_limit: int = wire(int32, default=2000)
    cursor: Cursor | None = wire(Cursor, default=None)


@struct
class DescribeTopicPartitionsResponsePartition(Struct):
    """A partition: its leader and its replicas."""

    error_code: int = wire(int16)
    partition_index: int = wire(int32)
    leader_id: int = wire(int32)
    leader_epoch: int = wire(int32, default=-1)
    replica_nodes: Sequence[int] = wire(array(int32))
    isr_nodes: Sequence[int] = wire(array(int32))
    eligible_leader_replicas: Sequence[int] | None = wire(array(int32), default=None)  # KIP-966
    last_known_elr: Sequence[int] | None = wire(array(int32), default=None)
    offline_replicas: Sequence[int] = wire(array(int32))


@struct
class DescribeTopicPartitionsResponseTopic(Struct):
    """A topic, or why it cannot be described."""

    error_code: int = wire(int16)
    name: str | None = wire(string, nullable_since=0)
    topic_id: UUID = wire(uuid)
    is_internal: bool = wire(boolean)
    partitions: Sequence[DescribeTopicPartitionsResponsePartition] = wire(
        array(DescribeTopicPartitionsResponsePartition)
    )
    topic_authorized_operations: int = wire(int32, default=-0x80000000)  # KIP-430


@message(api_key=75, versions="0", flexible="0+")
class DescribeTopicPartitionsResponse(Message):
    """A page of topics, and where the next one begins."""

    throttle_time_ms: int = wire(int32)
    topics: Sequence[DescribeTopicPartitionsResponseTopic] = wire(
        array(DescribeTopicPartitionsResponseTopic)
    )
    next_cursor: Cursor | None = wire(Cursor, default=None)
