"""ConsumerGroupPrepareAssignment: the state of a group, for a member that has to assign (KIP-848).

A private API: Kafka describes it and has never shipped it, so its key is one of ours. The fields
are the design's, and the racks of partitions.
"""

from collections.abc import Sequence
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, blob, int8, int16, int32, string, uuid
from rollcall.wire.messages.consumer_group_heartbeat import TopicPartitions


@message(api_key=10010, versions="0", flexible="0+")
class ConsumerGroupPrepareAssignmentRequest(Message):
    """A member that was told to assign requests the group's state."""

    group_id: str = wire(string)
    member_id: str = wire(string)
    member_epoch: int = wire(int32)


@struct
class PreparedAssignor(Struct):
    """A member's data for the assignor."""

    reason: int = wire(int8)
    metadata_version: int = wire(int16)
    metadata_bytes: bytes = wire(blob)


@struct
class PreparedMember(Struct):
    """A member; ``topic_partitions`` is its last target. A member without the assignor has no data
    for it."""

    member_id: str = wire(string)
    member_epoch: int = wire(int32)
    instance_id: str | None = wire(string, default=None)
    rack_id: str | None = wire(string, default=None)
    subscribed_topic_ids: Sequence[UUID] = wire(array(uuid))
    assignor: PreparedAssignor | None = wire(PreparedAssignor, default=None)
    topic_partitions: Sequence[TopicPartitions] = wire(array(TopicPartitions))


@struct
class PreparedRacks(Struct):
    """The racks near to one partition."""

    racks: Sequence[str] = wire(array(string))


@struct
class PreparedTopic(Struct):
    """A subscribed topic. ``partition_racks`` may be shorter than the topic."""

    topic_id: UUID = wire(uuid)
    topic_name: str = wire(string)
    num_partitions: int = wire(int32)
    partition_racks: Sequence[PreparedRacks] = wire(array(PreparedRacks))


@message(api_key=10010, versions="0", flexible="0+")
class ConsumerGroupPrepareAssignmentResponse(Message):
    """The group at this group epoch."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, default=None)
    group_epoch: int = wire(int32)
    assignor_name: str = wire(string)
    members: Sequence[PreparedMember] = wire(array(PreparedMember))
    topics: Sequence[PreparedTopic] = wire(array(PreparedTopic))
