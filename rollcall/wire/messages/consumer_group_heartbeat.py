"""ConsumerGroupHeartbeat: join, stay in and leave a consumer-protocol group (KIP-848).

One request for all of these; a null field means "unchanged".

Client-side assignors are in KIP-848, but Kafka has never shipped them: their fields are tagged
fields of our own (KIP-482), which other implementations skip
(docs/decisions/0019-client-side-assignors.md).
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, blob, boolean, int8, int16, int32, string, uuid

OURS: Final = 10_000
"""Tags from here on are Rollcall's own: Kafka counts its tags from 0 in each message."""


@struct
class ClientAssignor(Struct):
    """An assignor that the member can run, and its data for it."""

    name: str = wire(string)
    reason: int = wire(int8)
    minimum_version: int = wire(int16)
    maximum_version: int = wire(int16)
    version: int = wire(int16)
    metadata: bytes = wire(blob)


@struct
class TopicPartitions(Struct):
    """Partitions of one topic."""

    topic_id: UUID = wire(uuid)
    partitions: Sequence[int] = wire(array(int32))


@message(api_key=68, versions="0-1", flexible="0+")
class ConsumerGroupHeartbeatRequest(Message):
    """A member is alive; an epoch of 0 joins, -1 leaves, -2 leaves for a while."""

    group_id: str = wire(string)
    member_id: str = wire(string)
    member_epoch: int = wire(int32)
    instance_id: str | None = wire(string, default=None)
    rack_id: str | None = wire(string, default=None)
    rebalance_timeout_ms: int = wire(int32, default=-1)  # -1: as before
    subscribed_topic_names: Sequence[str] | None = wire(array(string), default=None)
    subscribed_topic_regex: str | None = wire(string, since=1, default=None)
    server_assignor: str | None = wire(string, default=None)
    topic_partitions: Sequence[TopicPartitions] | None = wire(array(TopicPartitions), default=None)
    client_assignors: Sequence[ClientAssignor] | None = wire(
        array(ClientAssignor), default=None, tag=OURS
    )


@struct
class Assignment(Struct):
    """A member's assignment."""

    topic_partitions: Sequence[TopicPartitions] = wire(array(TopicPartitions))


@message(api_key=68, versions="0-1", flexible="0+")
class ConsumerGroupHeartbeatResponse(Message):
    """The member's epoch and, when it has changed, its assignment."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, default=None)
    member_id: str | None = wire(string, default=None)
    member_epoch: int = wire(int32)
    heartbeat_interval_ms: int = wire(int32)
    assignment: Assignment | None = wire(Assignment, default=None)
    should_compute_assignment: bool = wire(boolean, default=False, tag=OURS)
