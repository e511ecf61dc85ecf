"""ConsumerProtocolAssignment: a classic consumer's assignment, which the leader sends in SyncGroup.

It is in ``SyncGroupRequestAssignment.assignment``, after an int16 with its version, without a
header. The coordinator does not decode it.
"""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, blob, int32, string


@struct
class TopicPartition(Struct):
    """Partitions of one topic."""

    topic: str = wire(string)
    partitions: Sequence[int] = wire(array(int32))


@message(versions="0-3")
class ConsumerProtocolAssignment(Message):
    """The consumer's partitions."""

    assigned_partitions: Sequence[TopicPartition] = wire(array(TopicPartition))
    user_data: bytes | None = wire(blob, default=None)
