"""ConsumerGroupPrepareAssignment: what a member that is to assign must know of the group (KIP-848).

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
    """A member that was told to assign asks what there is."""

    group_id: str = wire(string)
    member_id: str = wire(string)
    member_epoch: int = wire(int32)


@struct
class PreparedAssignor(Struct):
    """What a member has to say to the assignor."""

    reason: int = wire(int8)
    metadata_version: int = wire(int16)
    metadata_bytes: bytes = wire(blob)


@struct
class PreparedMember(Struct):
    """A member; ``topic_partitions`` is what it was last meant to have. Who does not know the
    assignor has nothing to say to it."""

    member_id: str = wire(string)
    member_epoch: int = wire(int32)
    instance_id: str | None = wire(string, default=None)
    rack_id: str | None = wire(string, default=None)
    subscribed_topic_ids: Sequence[UUID] = wire(array(uuid))
    assignor: PreparedAssignor | None = wire(PreparedAssignor, default=None)
    topic_partitions: Sequence[TopicPartitions] = wire(array(TopicPartitions))


@struct
class PreparedRacks(Struct):
    """The racks that one partition is near to."""

    racks: Sequence[str] = wire(array(string))


@struct
class PreparedTopic(Struct):
    """A topic that anybody subscribes to. ``partition_racks`` may be shorter than the topic."""

    topic_id: UUID = wire(uuid)
    topic_name: str = wire(string)
    num_partitions: int = wire(int32)
    partition_racks: Sequence[PreparedRacks] = wire(array(PreparedRacks))


@message(api_key=10010, versions="0", flexible="0+")
class ConsumerGroupPrepareAssignmentResponse(Message):
    """The group as it is at this group epoch."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, default=None)
    group_epoch: int = wire(int32)
    assignor_name: str = wire(string)
    members: Sequence[PreparedMember] = wire(array(PreparedMember))
    topics: Sequence[PreparedTopic] = wire(array(PreparedTopic))
