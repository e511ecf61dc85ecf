"""PollCommands: returns commands to a member; also the heartbeat of a commanded consumer.

A private API, for members of any kind of group: docs/commanded.md.
"""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, int64, string


@message(api_key=10001, versions="0", flexible="0+")
class PollCommandsRequest(Message):
    """Commands after ``last_command_id`` (0: all that are not acknowledged), as soon as there are
    any; the response may wait up to the maximum time."""

    group_id: str = wire(string)
    member_id: str = wire(string)
    last_command_id: int = wire(int64)
    max_wait_ms: int = wire(int32)


@struct
class PartitionThread(Struct):
    """A partition, and the thread that has to work on it."""

    partition: int = wire(int32)
    consumer_thread: str = wire(string)


@struct
class OwnedTopic(Struct):
    """One topic's part of an ownership map."""

    name: str = wire(string)
    partitions: Sequence[PartitionThread] = wire(array(PartitionThread))


@struct
class Command(Struct):
    """One command. ``ownership`` null: for all of the member's partitions."""

    command_id: int = wire(int64)
    option: str = wire(string)
    generation_id: int = wire(int32, default=-1)
    ownership: Sequence[OwnedTopic] | None = wire(array(OwnedTopic), default=None)
    reason: str | None = wire(string, default=None)


@message(api_key=10001, versions="0", flexible="0+")
class PollCommandsResponse(Message):
    """Commands in the order of their ids, in which they must be carried out."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, default=None)
    generation_id: int = wire(int32, default=-1)
    commands: Sequence[Command] = wire(array(Command))
