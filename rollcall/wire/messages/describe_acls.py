"""DescribeAcls: the access rules that match a filter (KIP-140, KIP-290)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int8, int16, int32, string


@message(api_key=29, versions="1-3", flexible="2+")
class DescribeAclsRequest(Message):
    """A filter: null, or the number of ANY, matches every value."""

    resource_type_filter: int = wire(int8)
    resource_name_filter: str | None = wire(string, nullable_since=0)
    pattern_type_filter: int = wire(int8, since=1, default=3)
    principal_filter: str | None = wire(string, nullable_since=0)
    host_filter: str | None = wire(string, nullable_since=0)
    operation: int = wire(int8)
    permission_type: int = wire(int8)


@struct
class AclDescription(Struct):
    """A rule about a resource: principal, operation, permission."""

    principal: str = wire(string)
    host: str = wire(string)
    operation: int = wire(int8)
    permission_type: int = wire(int8)


@struct
class DescribeAclsResource(Struct):
    """A resource, or a prefix of names, and the rules about it."""

    resource_type: int = wire(int8)
    resource_name: str = wire(string)
    pattern_type: int = wire(int8, since=1, default=3)
    acls: Sequence[AclDescription] = wire(array(AclDescription))


@message(api_key=29, versions="1-3", flexible="2+")
class DescribeAclsResponse(Message):
    """The rules, by resource."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)
    resources: Sequence[DescribeAclsResource] = wire(array(DescribeAclsResource))
