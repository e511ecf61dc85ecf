"""DeleteAcls (31): delete the access rules that match filters (KIP-140, KIP-290). They stop
applying on this node when the response is sent, and on other nodes when these receive the
notification."""

from collections.abc import Sequence

from groups.clients.acls import Acls
from groups.core.acls.bindings import Binding, Filter
from groups.core.errors import ErrorCode, Refuse
from protocol.handlers.support import acl_wire
from protocol.handlers.support.acl_wire import Unsure
from protocol.requests.call import Call
from protocol.requests.refusals import Refusal
from rollcall.wire.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsRequest,
    DeleteAclsResponse,
)


async def handle(request: DeleteAclsRequest, call: Call) -> DeleteAclsResponse:
    """Process the valid filters, all in one transaction."""
    rules = acl_wire.acls(call)
    if rules is None:
        return DeleteAclsResponse(
            filter_results=[_failed(acl_wire.DISABLED)] * len(request.filters)
        )
    filters = [_filter(each) for each in request.filters]
    found = await _delete(rules, [each for each in filters if isinstance(each, Filter)], call)
    answers = iter(found)
    results = [next(answers) if isinstance(each, Filter) else _failed(each) for each in filters]
    return DeleteAclsResponse(filter_results=results)


def _filter(requested: DeleteAclsFilter) -> Filter | Refusal:
    try:
        return acl_wire.filter_of(requested)
    except Refuse as refusal:
        return Refusal(refusal.code, refusal.detail or "")


async def _delete(
    rules: Acls, filters: Sequence[Filter], call: Call
) -> Sequence[DeleteAclsFilterResult]:
    if not filters:
        return []
    try:
        async with acl_wire.asking():
            found = await rules.delete(filters, call.author.details())
    except Refuse as refusal:
        return [_failed(Refusal(refusal.code, refusal.detail or ""))] * len(filters)
    except Unsure:
        return [_failed(acl_wire.UNSURE)] * len(filters)
    return [_result(gone) for gone in found]


def _failed(refusal: Refusal) -> DeleteAclsFilterResult:
    return DeleteAclsFilterResult(error_code=refusal.number, error_message=refusal.detail)


def _result(gone: Sequence[Binding]) -> DeleteAclsFilterResult:
    return DeleteAclsFilterResult(
        error_message=None,
        matching_acls=[
            DeleteAclsMatchingAcl(
                error_code=ErrorCode.NONE,
                error_message=None,
                resource_type=b.resource_type,
                resource_name=b.name,
                pattern_type=b.pattern,
                principal=b.principal,
                host=b.host,
                operation=b.operation,
                permission_type=b.permission,
            )
            for b in gone
        ],
    )
