"""LeaveGroup: a member leaves; from version 3 on, several may be removed (KIP-345)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, string


@struct
class MemberIdentity(Struct):
    """A member by its member id or its group instance id."""

    member_id: str = wire(string)
    group_instance_id: str | None = wire(string, default=None)  # KIP-345
    reason: str | None = wire(string, since=5, default=None)  # KIP-800


@message(api_key=13, versions="0-5", flexible="4+")
class LeaveGroupRequest(Message):
    """The members that leave: one before version 3, a list since."""

    group_id: str = wire(string)
    member_id: str = wire(string, until=2)
    members: Sequence[MemberIdentity] = wire(array(MemberIdentity), since=3)


@struct
class MemberResponse(Struct):
    """The result for one member."""

    member_id: str = wire(string)
    group_instance_id: str | None = wire(string, nullable_since=0)  # KIP-345
    error_code: int = wire(int16)


@message(api_key=13, versions="0-5", flexible="4+")
class LeaveGroupResponse(Message):
    """The result, from version 3 on for each member."""

    throttle_time_ms: int = wire(int32, since=1)
    error_code: int = wire(int16)
    members: Sequence[MemberResponse] = wire(array(MemberResponse), since=3)
