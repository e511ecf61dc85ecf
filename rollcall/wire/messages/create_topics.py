"""CreateTopics: add topics."""

from collections.abc import Sequence
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, int8, int16, int32, string, uuid


@struct
class CreatableReplicaAssignment(Struct):
    """The requested brokers of one partition."""

    partition_index: int = wire(int32)
    broker_ids: Sequence[int] = wire(array(int32))


@struct
class CreatableTopicConfig(Struct):
    """A setting of a new topic."""

    name: str = wire(string)
    value: str | None = wire(string, nullable_since=0)


@struct
class CreatableTopic(Struct):
    """A new topic: partitions and replicas of -1 mean the defaults (KIP-464)."""

    name: str = wire(string)
    num_partitions: int = wire(int32)
    replication_factor: int = wire(int16)
    assignments: Sequence[CreatableReplicaAssignment] = wire(array(CreatableReplicaAssignment))
    configs: Sequence[CreatableTopicConfig] = wire(array(CreatableTopicConfig))


@message(api_key=19, versions="2-7", flexible="5+")
class CreateTopicsRequest(Message):
    """The topics to add."""

    topics: Sequence[CreatableTopic] = wire(array(CreatableTopic))
    timeout_ms: int = wire(int32, default=60_000)
    validate_only: bool = wire(boolean)


@struct
class CreatableTopicConfigs(Struct):
    """A setting of the new topic (KIP-525)."""

    name: str = wire(string)
    value: str | None = wire(string, nullable_since=0)
    read_only: bool = wire(boolean)
    config_source: int = wire(int8, default=-1)
    is_sensitive: bool = wire(boolean)


@struct
class CreatableTopicResult(Struct):
    """The created topic, or the error."""

    name: str = wire(string)
    topic_id: UUID = wire(uuid, since=7)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)
    topic_config_error_code: int = wire(int16, since=5, tag=0)  # KIP-525
    num_partitions: int = wire(int32, since=5, default=-1)
    replication_factor: int = wire(int16, since=5, default=-1)
    configs: Sequence[CreatableTopicConfigs] | None = wire(
        array(CreatableTopicConfigs), since=5, nullable_since=5
    )


@message(api_key=19, versions="2-7", flexible="5+")
class CreateTopicsResponse(Message):
    """The result for each topic."""

    throttle_time_ms: int = wire(int32)
    topics: Sequence[CreatableTopicResult] = wire(array(CreatableTopicResult))
