"""Heartbeat of the 0.9 draft: a consumer is alive, and learns whether to join again."""

from rollcall.wire.declare import Message, message, wire
from rollcall.wire.kinds import int16, int32, string


@message(api_key=12, versions="0")
class HeartbeatRequest(Message):
    """A consumer of a generation is alive."""

    group_id: str = wire(string)
    group_generation_id: int = wire(int32)
    consumer_id: str = wire(string)


@message(api_key=12, versions="0")
class HeartbeatResponse(Message):
    """Contains only an error code."""

    error_code: int = wire(int16)
