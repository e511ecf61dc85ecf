"""ConsumerProtocolSubscription: a classic consumer's own data in JoinGroup.

It is in ``JoinGroupRequestProtocol.metadata``, after an int16 with its version, without a header.
The coordinator does not decode it; assignors do.
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
class ConsumerProtocolSubscription(Message):
    """The topics that a consumer subscribes to, and its current partitions."""

    topics: Sequence[str] = wire(array(string))
    user_data: bytes | None = wire(blob, default=None)
    owned_partitions: Sequence[TopicPartition] = wire(array(TopicPartition), since=1)  # KIP-429
    generation_id: int = wire(int32, since=2, default=-1)  # KIP-792
    rack_id: str | None = wire(string, since=3, default=None)  # KIP-881
