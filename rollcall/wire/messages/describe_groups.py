"""DescribeGroups: classic groups with their members."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, blob, boolean, int16, int32, string


@message(api_key=15, versions="0-6", flexible="5+")
class DescribeGroupsRequest(Message):
    """The groups to describe."""

    groups: Sequence[str] = wire(array(string))
    include_authorized_operations: bool = wire(boolean, since=3)


@struct
class DescribedGroupMember(Struct):
    """A member with its subscription and its assignment, both opaque."""

    member_id: str = wire(string)
    group_instance_id: str | None = wire(string, since=4, default=None)  # KIP-345
    client_id: str = wire(string)
    client_host: str = wire(string)
    member_metadata: bytes = wire(blob)
    member_assignment: bytes = wire(blob)


@struct
class DescribedGroup(Struct):
    """A group; one that does not exist has the state Dead."""

    error_code: int = wire(int16)
    error_message: str | None = wire(string, since=6, default=None)  # KIP-1043
    group_id: str = wire(string)
    group_state: str = wire(string)
    protocol_type: str = wire(string)
    protocol_data: str = wire(string)
    members: Sequence[DescribedGroupMember] = wire(array(DescribedGroupMember))
    authorized_operations: int = wire(int32, since=3, default=-0x80000000)  # KIP-430


@message(api_key=15, versions="0-6", flexible="5+")
class DescribeGroupsResponse(Message):
    """One description for each requested group."""

    throttle_time_ms: int = wire(int32, since=1)
    groups: Sequence[DescribedGroup] = wire(array(DescribedGroup))
