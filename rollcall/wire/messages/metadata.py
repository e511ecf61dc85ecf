"""Metadata: the brokers, and the topics with their partitions and leaders."""

from collections.abc import Sequence
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, int16, int32, string, uuid


@struct
class MetadataRequestTopic(Struct):
    """A topic by its name or, from version 10 on, by its id."""

    topic_id: UUID = wire(uuid, since=10)  # KIP-516
    name: str | None = wire(string, nullable_since=10)


@message(api_key=3, versions="0-13", flexible="9+")
class MetadataRequest(Message):
    """Topics to describe: null is all of them; before version 1 an empty list is."""

    topics: Sequence[MetadataRequestTopic] | None = wire(
        array(MetadataRequestTopic), nullable_since=1
    )
    allow_auto_topic_creation: bool = wire(boolean, since=4, default=True)
    include_cluster_authorized_operations: bool = wire(boolean, since=8, until=10)
    include_topic_authorized_operations: bool = wire(boolean, since=8)


@struct
class MetadataResponseBroker(Struct):
    """A broker and its address."""

    node_id: int = wire(int32)
    host: str = wire(string)
    port: int = wire(int32)
    rack: str | None = wire(string, since=1, default=None)


@struct
class MetadataResponsePartition(Struct):
    """A partition: its leader and its replicas."""

    error_code: int = wire(int16)
    partition_index: int = wire(int32)
    leader_id: int = wire(int32)
    leader_epoch: int = wire(int32, since=7, default=-1)  # KIP-320
    replica_nodes: Sequence[int] = wire(array(int32))
    isr_nodes: Sequence[int] = wire(array(int32))
    offline_replicas: Sequence[int] = wire(array(int32), since=5)  # KIP-112


@struct
class MetadataResponseTopic(Struct):
    """A topic, or why it cannot be described."""

    error_code: int = wire(int16)
    name: str | None = wire(string, nullable_since=12)
    topic_id: UUID = wire(uuid, since=10)  # KIP-516
    is_internal: bool = wire(boolean, since=1)
    partitions: Sequence[MetadataResponsePartition] = wire(
        array(MetadataResponsePartition, kept=True)
    )
    topic_authorized_operations: int = wire(int32, since=8, default=-0x80000000)  # KIP-430


@message(api_key=3, versions="0-13", flexible="9+")
class MetadataResponse(Message):
    """The cluster's metadata for a client."""

    throttle_time_ms: int = wire(int32, since=3)
    brokers: Sequence[MetadataResponseBroker] = wire(array(MetadataResponseBroker))
    cluster_id: str | None = wire(string, since=2, default=None)
    controller_id: int = wire(int32, since=1, default=-1)
    topics: Sequence[MetadataResponseTopic] = wire(array(MetadataResponseTopic))
    # KIP-430
    cluster_authorized_operations: int = wire(int32, since=8, until=10, default=-0x80000000)
    error_code: int = wire(int16, since=13)
