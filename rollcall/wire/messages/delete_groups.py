"""DeleteGroups: remove groups that have no members (KIP-229)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, string


@message(api_key=42, versions="0-3", flexible="2+")
class DeleteGroupsRequest(Message):
    """The groups to remove."""

    groups_names: Sequence[str] = wire(array(string))


@struct
class DeletableGroupResult(Struct):
    """The result for one group."""

    group_id: str = wire(string)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, since=3, default=None)


@message(api_key=42, versions="0-3", flexible="2+")
class DeleteGroupsResponse(Message):
    """The result for each group."""

    throttle_time_ms: int = wire(int32)
    results: Sequence[DeletableGroupResult] = wire(array(DeletableGroupResult))
