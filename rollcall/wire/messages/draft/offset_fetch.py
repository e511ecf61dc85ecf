"""OffsetFetch of the 0.9 draft's time, v0 and v1, which have the same format."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, int64, string


@struct
class OffsetFetchRequestTopic(Struct):
    """The requested partitions of one topic."""

    name: str = wire(string)
    partitions: Sequence[int] = wire(array(int32))


@message(api_key=9, versions="0-1")
class OffsetFetchRequest(Message):
    """The group, and the requested partitions."""

    group_id: str = wire(string)
    topics: Sequence[OffsetFetchRequestTopic] = wire(array(OffsetFetchRequestTopic))


@struct
class OffsetFetchResponsePartition(Struct):
    """One offset; -1 if none is committed, which is an error in version 0."""

    partition: int = wire(int32)
    offset: int = wire(int64, default=-1)
    metadata: str = wire(string)
    error_code: int = wire(int16)


@struct
class OffsetFetchResponseTopic(Struct):
    """The partitions of one topic."""

    name: str = wire(string)
    partitions: Sequence[OffsetFetchResponsePartition] = wire(array(OffsetFetchResponsePartition))


@message(api_key=9, versions="0-1")
class OffsetFetchResponse(Message):
    """The offsets, in the request's order."""

    topics: Sequence[OffsetFetchResponseTopic] = wire(array(OffsetFetchResponseTopic))
