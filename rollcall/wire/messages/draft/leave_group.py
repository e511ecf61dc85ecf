"""LeaveGroup of the 0.9 draft: a consumer leaves."""

from rollcall.wire.declare import Message, message, wire
from rollcall.wire.kinds import int16, string


@message(api_key=13, versions="0")
class LeaveGroupRequest(Message):
    """The consumer and its group."""

    group_id: str = wire(string)
    consumer_id: str = wire(string)


@message(api_key=13, versions="0")
class LeaveGroupResponse(Message):
    """Whether the group had this consumer."""

    error_code: int = wire(int16)
