"""Heartbeat: a member is alive; the response says whether its generation is still valid."""

from rollcall.wire.declare import Message, message, wire
from rollcall.wire.kinds import int16, int32, string


@message(api_key=12, versions="0-4", flexible="4+")
class HeartbeatRequest(Message):
    """A member of a generation is alive."""

    group_id: str = wire(string)
    generation_id: int = wire(int32)
    member_id: str = wire(string)
    group_instance_id: str | None = wire(string, since=3, default=None)  # KIP-345


@message(api_key=12, versions="0-4", flexible="4+")
class HeartbeatResponse(Message):
    """An error code says whether to rejoin."""

    throttle_time_ms: int = wire(int32, since=1)
    error_code: int = wire(int16)
