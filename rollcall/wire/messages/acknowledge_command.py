"""AcknowledgeCommand: a member has carried out a command.

A private API, for members of any kind of group: docs/commanded.md.
"""

from rollcall.wire.declare import Message, message, wire
from rollcall.wire.kinds import int16, int32, int64, string


@message(api_key=10002, versions="0", flexible="0+")
class AcknowledgeCommandRequest(Message):
    """This command is carried out, and all before it."""

    group_id: str = wire(string)
    member_id: str = wire(string)
    command_id: int = wire(int64)


@message(api_key=10002, versions="0", flexible="0+")
class AcknowledgeCommandResponse(Message):
    """Whether it was accepted."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, default=None)
