"""OffsetFetch: a group's committed offsets; from version 8 on, of several groups (KIP-709)."""

from collections.abc import Sequence
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, int16, int32, int64, string, uuid


@struct
class OffsetFetchRequestTopic(Struct):
    """The partitions of one topic (one group, before version 8)."""

    name: str = wire(string)
    partition_indexes: Sequence[int] = wire(array(int32))


@struct
class OffsetFetchRequestTopics(Struct):
    """The partitions of one topic (several groups, since version 8)."""

    name: str = wire(string, until=9)
    topic_id: UUID = wire(uuid, since=10)
    partition_indexes: Sequence[int] = wire(array(int32))


@struct
class OffsetFetchRequestGroup(Struct):
    """One group; topics of null request all that it has committed."""

    group_id: str = wire(string)
    member_id: str | None = wire(string, since=9, default=None)
    member_epoch: int = wire(int32, since=9, default=-1)  # KIP-848; -1: no member
    topics: Sequence[OffsetFetchRequestTopics] | None = wire(
        array(OffsetFetchRequestTopics), nullable_since=0
    )


@message(api_key=9, versions="1-10", flexible="6+")
class OffsetFetchRequest(Message):
    """The groups and topics whose offsets are requested."""

    group_id: str = wire(string, until=7)
    topics: Sequence[OffsetFetchRequestTopic] | None = wire(
        array(OffsetFetchRequestTopic), until=7, nullable_since=2
    )
    groups: Sequence[OffsetFetchRequestGroup] = wire(array(OffsetFetchRequestGroup), since=8)
    require_stable: bool = wire(boolean, since=7)  # KIP-447


@struct
class OffsetFetchResponsePartition(Struct):
    """One offset, -1 if none is committed (one group, before version 8)."""

    partition_index: int = wire(int32)
    committed_offset: int = wire(int64)
    committed_leader_epoch: int = wire(int32, since=5, default=-1)  # KIP-320
    metadata: str | None = wire(string, nullable_since=0)
    error_code: int = wire(int16)


@struct
class OffsetFetchResponseTopic(Struct):
    """The partitions of one topic (one group, before version 8)."""

    name: str = wire(string)
    partitions: Sequence[OffsetFetchResponsePartition] = wire(array(OffsetFetchResponsePartition))


@struct
class OffsetFetchResponsePartitions(Struct):
    """One offset, -1 if none is committed (several groups, since version 8)."""

    partition_index: int = wire(int32)
    committed_offset: int = wire(int64)
    committed_leader_epoch: int = wire(int32, default=-1)
    metadata: str | None = wire(string, nullable_since=0)
    error_code: int = wire(int16)


@struct
class OffsetFetchResponseTopics(Struct):
    """The partitions of one topic (several groups, since version 8)."""

    name: str = wire(string, until=9)
    topic_id: UUID = wire(uuid, since=10)
    partitions: Sequence[OffsetFetchResponsePartitions] = wire(array(OffsetFetchResponsePartitions))


@struct
class OffsetFetchResponseGroup(Struct):
    """The offsets of one group, or the error."""

    group_id: str = wire(string)
    topics: Sequence[OffsetFetchResponseTopics] = wire(array(OffsetFetchResponseTopics))
    error_code: int = wire(int16)


@message(api_key=9, versions="1-10", flexible="6+")
class OffsetFetchResponse(Message):
    """The offsets: of one group before version 8, of several since."""

    throttle_time_ms: int = wire(int32, since=3)
    topics: Sequence[OffsetFetchResponseTopic] = wire(array(OffsetFetchResponseTopic), until=7)
    error_code: int = wire(int16, since=2, until=7)
    groups: Sequence[OffsetFetchResponseGroup] = wire(array(OffsetFetchResponseGroup), since=8)
