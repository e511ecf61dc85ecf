"""JoinGroup of the 0.9 draft: today's message with this key and version has another body."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, string


@message(api_key=11, versions="0")
class JoinGroupRequest(Message):
    """A consumer requests partitions of its topics, assigned by the strategy that it names."""

    group_id: str = wire(string)
    session_timeout_ms: int = wire(int32)
    topics: Sequence[str] = wire(array(string))
    consumer_id: str = wire(string)
    partition_assignment_strategy: str = wire(string)


@struct
class JoinGroupResponseTopic(Struct):
    """The partitions of one topic that the consumer owns."""

    name: str = wire(string)
    partitions: Sequence[int] = wire(array(int32))


@message(api_key=11, versions="0")
class JoinGroupResponse(Message):
    """The generation, the consumer's id, and its partitions."""

    error_code: int = wire(int16)
    group_generation_id: int = wire(int32)
    consumer_id: str = wire(string)
    partitions_to_own: Sequence[JoinGroupResponseTopic] = wire(array(JoinGroupResponseTopic))
