"""ConsumerProtocolAssignment: what the leader gives a classic consumer in SyncGroup.

It travels in ``SyncGroupRequestAssignment.assignment``, behind an int16 with its version,
without a header. The coordinator treats it as opaque.
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
    """The partitions that a consumer shall read."""

    assigned_partitions: Sequence[TopicPartition] = wire(array(TopicPartition))
    user_data: bytes | None = wire(blob, default=None)
