"""ListGroups: the groups that this broker coordinates."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, string


@message(api_key=16, versions="0-5", flexible="3+")
class ListGroupsRequest(Message):
    """Filters; empty ones match all groups."""

    states_filter: Sequence[str] = wire(array(string), since=4)  # KIP-518
    types_filter: Sequence[str] = wire(array(string), since=5)  # KIP-848


@struct
class ListedGroup(Struct):
    """One group in a line."""

    group_id: str = wire(string)
    protocol_type: str = wire(string)
    group_state: str = wire(string, since=4)
    group_type: str = wire(string, since=5)


@message(api_key=16, versions="0-5", flexible="3+")
class ListGroupsResponse(Message):
    """The groups that match the filters."""

    throttle_time_ms: int = wire(int32, since=1)
    error_code: int = wire(int16)
    groups: Sequence[ListedGroup] = wire(array(ListedGroup))
