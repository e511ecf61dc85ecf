"""JoinGroup: become a member of a group's next generation."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, blob, boolean, int16, int32, string


@struct
class JoinGroupRequestProtocol(Struct):
    """A protocol that the member supports, with its subscription in that format."""

    name: str = wire(string)
    metadata: bytes = wire(blob)


@message(api_key=11, versions="0-9", flexible="6+")
class JoinGroupRequest(Message):
    """A member joins the next generation."""

    group_id: str = wire(string)
    session_timeout_ms: int = wire(int32)
    rebalance_timeout_ms: int = wire(int32, since=1, default=-1)  # KIP-62
    member_id: str = wire(string)
    group_instance_id: str | None = wire(string, since=5, default=None)  # KIP-345
    protocol_type: str = wire(string)
    protocols: Sequence[JoinGroupRequestProtocol] = wire(array(JoinGroupRequestProtocol))
    reason: str | None = wire(string, since=8, default=None)  # KIP-800


@struct
class JoinGroupResponseMember(Struct):
    """A member of the generation, with its subscription for the selected protocol."""

    member_id: str = wire(string)
    group_instance_id: str | None = wire(string, since=5, default=None)  # KIP-345
    metadata: bytes = wire(blob)


@message(api_key=11, versions="0-9", flexible="6+")
class JoinGroupResponse(Message):
    """The generation; the leader also receives its members."""

    throttle_time_ms: int = wire(int32, since=2)
    error_code: int = wire(int16)
    generation_id: int = wire(int32, default=-1)
    protocol_type: str | None = wire(string, since=7, default=None)  # KIP-559
    protocol_name: str | None = wire(string, nullable_since=7)
    leader: str = wire(string)
    skip_assignment: bool = wire(boolean, since=9)  # KIP-814
    member_id: str = wire(string)
    members: Sequence[JoinGroupResponseMember] = wire(array(JoinGroupResponseMember))
