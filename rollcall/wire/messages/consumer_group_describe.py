"""ConsumerGroupDescribe: consumer-protocol groups with their members (KIP-848)."""

from collections.abc import Sequence
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, int8, int16, int32, string, uuid


@message(api_key=69, versions="0-1", flexible="0+")
class ConsumerGroupDescribeRequest(Message):
    """The groups to describe."""

    group_ids: Sequence[str] = wire(array(string))
    include_authorized_operations: bool = wire(boolean)


@struct
class TopicPartitions(Struct):
    """Partitions of one topic."""

    topic_id: UUID = wire(uuid)
    topic_name: str = wire(string)
    partitions: Sequence[int] = wire(array(int32))


@struct
class Assignment(Struct):
    """A member's current or target assignment."""

    topic_partitions: Sequence[TopicPartitions] = wire(array(TopicPartitions))


@struct
class Member(Struct):
    """A member with its subscription, its assignment and its target."""

    member_id: str = wire(string)
    instance_id: str | None = wire(string, default=None)
    rack_id: str | None = wire(string, default=None)
    member_epoch: int = wire(int32)
    client_id: str = wire(string)
    client_host: str = wire(string)
    subscribed_topic_names: Sequence[str] = wire(array(string))
    subscribed_topic_regex: str | None = wire(string, default=None)
    assignment: Assignment = wire(Assignment)
    target_assignment: Assignment = wire(Assignment)
    member_type: int = wire(int8, since=1, default=-1)  # KIP-1099; 0: classic, 1: consumer


@struct
class DescribedGroup(Struct):
    """A group, or why it cannot be described."""

    error_code: int = wire(int16)
    error_message: str | None = wire(string, default=None)
    group_id: str = wire(string)
    group_state: str = wire(string)
    group_epoch: int = wire(int32)
    assignment_epoch: int = wire(int32)
    assignor_name: str = wire(string)
    members: Sequence[Member] = wire(array(Member))
    authorized_operations: int = wire(int32, default=-0x80000000)  # KIP-430


@message(api_key=69, versions="0-1", flexible="0+")
class ConsumerGroupDescribeResponse(Message):
    """One description for each requested group."""

    throttle_time_ms: int = wire(int32)
    groups: Sequence[DescribedGroup] = wire(array(DescribedGroup))
