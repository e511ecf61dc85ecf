"""SyncGroup: the leader sends the generation's assignments, every member receives its own."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, blob, int16, int32, string


@struct
class SyncGroupRequestAssignment(Struct):
    """One member's assignment."""

    member_id: str = wire(string)
    assignment: bytes = wire(blob)


@message(api_key=14, versions="0-5", flexible="4+")
class SyncGroupRequest(Message):
    """A member waits for its assignment; the leader sends those of all members."""

    group_id: str = wire(string)
    generation_id: int = wire(int32)
    member_id: str = wire(string)
    group_instance_id: str | None = wire(string, since=3, default=None)  # KIP-345
    protocol_type: str | None = wire(string, since=5, default=None)  # KIP-559
    protocol_name: str | None = wire(string, since=5, default=None)
    assignments: Sequence[SyncGroupRequestAssignment] = wire(array(SyncGroupRequestAssignment))


@message(api_key=14, versions="0-5", flexible="4+")
class SyncGroupResponse(Message):
    """The member's assignment."""

    throttle_time_ms: int = wire(int32, since=1)
    error_code: int = wire(int16)
    protocol_type: str | None = wire(string, since=5, default=None)  # KIP-559
    protocol_name: str | None = wire(string, since=5, default=None)
    assignment: bytes = wire(blob)
