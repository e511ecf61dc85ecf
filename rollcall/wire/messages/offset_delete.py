"""OffsetDelete: delete a group's offsets of topics that it no longer reads (KIP-496)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, string


@struct
class OffsetDeleteRequestPartition(Struct):
    """One partition."""

    partition_index: int = wire(int32)


@struct
class OffsetDeleteRequestTopic(Struct):
    """The partitions of one topic."""

    name: str = wire(string)
    partitions: Sequence[OffsetDeleteRequestPartition] = wire(array(OffsetDeleteRequestPartition))


@message(api_key=47, versions="0")
class OffsetDeleteRequest(Message):
    """The offsets of a group to delete."""

    group_id: str = wire(string)
    topics: Sequence[OffsetDeleteRequestTopic] = wire(array(OffsetDeleteRequestTopic))


@struct
class OffsetDeleteResponsePartition(Struct):
    """The result for one offset."""

    partition_index: int = wire(int32)
    error_code: int = wire(int16)


@struct
class OffsetDeleteResponseTopic(Struct):
    """The partitions of one topic."""

    name: str = wire(string)
    partitions: Sequence[OffsetDeleteResponsePartition] = wire(array(OffsetDeleteResponsePartition))


@message(api_key=47, versions="0")
class OffsetDeleteResponse(Message):
    """The result for the group and for each partition."""

    error_code: int = wire(int16)
    throttle_time_ms: int = wire(int32)
    topics: Sequence[OffsetDeleteResponseTopic] = wire(array(OffsetDeleteResponseTopic))
