"""DescribeAcls (29): the access rules that match a filter (KIP-140, KIP-290)."""

from collections.abc import Iterable
from itertools import groupby

from groups.core.acls.bindings import Binding, PatternType, ResourceType
from groups.core.errors import Refuse
from protocol.handlers.support import acl_wire
from protocol.requests.call import Call
from rollcall.wire.messages.describe_acls import (
    AclDescription,
    DescribeAclsRequest,
    DescribeAclsResource,
    DescribeAclsResponse,
)


async def handle(request: DescribeAclsRequest, call: Call) -> DescribeAclsResponse:
    """The rules that this node has in memory, by resource."""
    rules = acl_wire.acls(call)
    if rules is None:
        code, message = acl_wire.DISABLED
        return DescribeAclsResponse(error_code=code, error_message=message)
    try:
        acl_filter = acl_wire.filter_of(request)
    except Refuse as refusal:
        return DescribeAclsResponse(error_code=refusal.code, error_message=refusal.detail)
    bindings = rules.index.bindings
    return await call.beside(lambda: _response(b for b in bindings if acl_filter.matches(b)))


def _response(bindings: Iterable[Binding]) -> DescribeAclsResponse:
    by_resource = groupby(sorted(bindings), key=_resource)
    return DescribeAclsResponse(
        error_message=None,
        resources=[
            DescribeAclsResource(
                resource_type=kind,
                resource_name=name,
                pattern_type=pattern,
                acls=[
                    AclDescription(
                        principal=b.principal,
                        host=b.host,
                        operation=b.operation,
                        permission_type=b.permission,
                    )
                    for b in found
                ],
            )
            for (kind, name, pattern), found in by_resource
        ],
    )


def _resource(binding: Binding) -> tuple[ResourceType, str, PatternType]:
    return binding[:3]
