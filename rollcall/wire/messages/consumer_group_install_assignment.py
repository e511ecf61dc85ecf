"""ConsumerGroupInstallAssignment: an assignment that a member computed for its group (KIP-848).

A private API: Kafka describes it and has never shipped it, so its key is one of ours.
"""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, string
from rollcall.wire.messages.consumer_group_heartbeat import TopicPartitions


@struct
class InstalledMember(Struct):
    """The target of one member."""

    member_id: str = wire(string)
    topic_partitions: Sequence[TopicPartitions] = wire(array(TopicPartitions))


@message(api_key=10011, versions="0", flexible="0+")
class ConsumerGroupInstallAssignmentRequest(Message):
    """An assignment with its group epoch, or the reason why there is none (``failure``: a sentence
    for people)."""

    group_id: str = wire(string)
    member_id: str = wire(string)
    member_epoch: int = wire(int32)
    group_epoch: int = wire(int32)
    failure: str | None = wire(string, default=None)
    members: Sequence[InstalledMember] = wire(array(InstalledMember))


@message(api_key=10011, versions="0", flexible="0+")
class ConsumerGroupInstallAssignmentResponse(Message):
    """Whether the assignment was accepted."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, default=None)
