"""LeaveGroup of the 0.9 draft: a consumer goes, and says so."""

from rollcall.wire.declare import Message, message, wire
from rollcall.wire.kinds import int16, string


@message(api_key=13, versions="0")
class LeaveGroupRequest(Message):
    """Who leaves which group."""

    group_id: str = wire(string)
    consumer_id: str = wire(string)


@message(api_key=13, versions="0")
class LeaveGroupResponse(Message):
    """Whether the group knew it."""

    error_code: int = wire(int16)
