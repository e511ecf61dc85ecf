"""CreatePartitions: add partitions to topics (KIP-195)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, int16, int32, string


@struct
class CreatePartitionsAssignment(Struct):
    """The requested brokers of one new partition."""

    broker_ids: Sequence[int] = wire(array(int32))


@struct
class CreatePartitionsTopic(Struct):
    """A topic, and its new number of partitions."""

    name: str = wire(string)
    count: int = wire(int32)
    assignments: Sequence[CreatePartitionsAssignment] | None = wire(
        array(CreatePartitionsAssignment), nullable_since=0
    )


@message(api_key=37, versions="0-3", flexible="2+")
class CreatePartitionsRequest(Message):
    """The topics to grow."""

    topics: Sequence[CreatePartitionsTopic] = wire(array(CreatePartitionsTopic))
    timeout_ms: int = wire(int32)
    validate_only: bool = wire(boolean)


@struct
class CreatePartitionsTopicResult(Struct):
    """The result for one topic."""

    name: str = wire(string)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, default=None)


@message(api_key=37, versions="0-3", flexible="2+")
class CreatePartitionsResponse(Message):
    """The result for each topic."""

    throttle_time_ms: int = wire(int32)
    results: Sequence[CreatePartitionsTopicResult] = wire(array(CreatePartitionsTopicResult))
