"""Metadata v0: the brokers' draft listeners, and topics; an empty list requests every topic."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, string


@message(api_key=3, versions="0")
class TopicMetadataRequest(Message):
    """Topics by name; none: all of them, for wildcard subscriptions."""

    topics: Sequence[str] = wire(array(string))


@struct
class TopicMetadataBroker(Struct):
    """A broker and its draft listener."""

    node_id: int = wire(int32)
    host: str = wire(string)
    port: int = wire(int32)


@struct
class TopicMetadataPartition(Struct):
    """A partition: its leader and its replicas."""

    error_code: int = wire(int16)
    partition: int = wire(int32)
    leader: int = wire(int32)
    replicas: Sequence[int] = wire(array(int32))
    in_sync_replicas: Sequence[int] = wire(array(int32))


@struct
class TopicMetadataTopic(Struct):
    """A topic, or why it cannot be described."""

    error_code: int = wire(int16)
    name: str = wire(string)
    partitions: Sequence[TopicMetadataPartition] = wire(array(TopicMetadataPartition))


@message(api_key=3, versions="0")
class TopicMetadataResponse(Message):
    """The cluster's metadata for a draft client."""

    brokers: Sequence[TopicMetadataBroker] = wire(array(TopicMetadataBroker))
    topics: Sequence[TopicMetadataTopic] = wire(array(TopicMetadataTopic))
