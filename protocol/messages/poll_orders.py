"""PollOrders: Rollcall's own. A member says which order it obeys, and hears of the next.

A long poll, on a connection of its own (docs/pause.md). Kafka's keys end far below this one.
"""

from protocol.wire.declare import Message, message, wire
from protocol.wire.kinds import boolean, int16, int32, int64, string


@message(api_key=10005, versions="0", flexible="0+")
class PollOrdersRequest(Message):
    """``obeying``: the id of the pause that the member obeys, 0 where it works, -1 where it was
    told nothing yet: then it is answered at once."""

    group_id: str = wire(string)
    member_id: str = wire(string)
    obeying: int = wire(int64, default=-1)
    max_wait_ms: int = wire(int32)


@message(api_key=10005, versions="0", flexible="0+")
class PollOrdersResponse(Message):
    """``is_paused``: whether to stop, by the pause of that id; the id is 0 where it is to work.
    ``actor`` and ``reason`` are the operator's."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    is_paused: bool = wire(boolean)
    pause_id: int = wire(int64)
    actor: str = wire(string, default="")
    reason: str = wire(string, default="")
