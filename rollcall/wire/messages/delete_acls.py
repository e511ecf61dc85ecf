"""DeleteAcls: delete the access rules that match filters (KIP-140, KIP-290)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int8, int16, int32, string


@struct
class DeleteAclsFilter(Struct):
    """A filter: null, or the number of ANY, matches every value."""

    resource_type_filter: int = wire(int8)
    resource_name_filter: str | None = wire(string, nullable_since=0)
    pattern_type_filter: int = wire(int8, since=1, default=3)
    principal_filter: str | None = wire(string, nullable_since=0)
    host_filter: str | None = wire(string, nullable_since=0)
    operation: int = wire(int8)
    permission_type: int = wire(int8)


@message(api_key=31, versions="1-3", flexible="2+")
class DeleteAclsRequest(Message):
    """Filters of the rules to delete."""

    filters: Sequence[DeleteAclsFilter] = wire(array(DeleteAclsFilter))


@struct
class DeleteAclsMatchingAcl(Struct):
    """A deleted rule."""

    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)
    resource_type: int = wire(int8)
    resource_name: str = wire(string)
    pattern_type: int = wire(int8, since=1, default=3)
    principal: str = wire(string)
    host: str = wire(string)
    operation: int = wire(int8)
    permission_type: int = wire(int8)


@struct
class DeleteAclsFilterResult(Struct):
    """The rules that matched one filter."""

    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)
    matching_acls: Sequence[DeleteAclsMatchingAcl] = wire(array(DeleteAclsMatchingAcl))


@message(api_key=31, versions="1-3", flexible="2+")
class DeleteAclsResponse(Message):
    """The deleted rules by filter, in the request's order."""

    throttle_time_ms: int = wire(int32)
    filter_results: Sequence[DeleteAclsFilterResult] = wire(array(DeleteAclsFilterResult))
