"""CreateAcls (30): create access rules (KIP-140, KIP-290). They apply on this node when the
response is sent, and on other nodes when these receive the notification."""

from collections.abc import Mapping

from groups.clients.acls import Acls
from groups.core.acls import forms
from groups.core.acls.bindings import Binding
from groups.core.errors import ErrorCode, Refuse
from protocol.handlers.support import acl_wire
from protocol.handlers.support.acl_wire import Unsure
from protocol.requests.call import Call
from protocol.requests.refusals import Refusal
from rollcall.wire.messages.create_acls import (
    AclCreation,
    AclCreationResult,
    CreateAclsRequest,
    CreateAclsResponse,
)

DONE = Refusal(ErrorCode.NONE, "")


async def handle(request: CreateAclsRequest, call: Call) -> CreateAclsResponse:
    """Create the valid rules in one transaction; a rule that exists already is no error."""
    rules = acl_wire.acls(call)
    if rules is None:
        return _response(request, dict.fromkeys(range(len(request.creations)), acl_wire.DISABLED))
    refused, bindings = dict[int, Refusal](), dict[int, Binding]()
    for at, creation in enumerate(request.creations):
        try:
            bindings[at] = _binding(creation)
        except Refuse as refusal:
            refused[at] = Refusal(refusal.code, refusal.detail or "")
    why = await _create(rules, bindings, call)
    return _response(request, {**refused, **dict.fromkeys(bindings, why)})


async def _create(rules: Acls, bindings: Mapping[int, Binding], call: Call) -> Refusal:
    if not bindings:
        return DONE
    try:
        async with acl_wire.asking():
            await rules.create(set(bindings.values()), call.author.details())
    except Refuse as refusal:
        return Refusal(refusal.code, refusal.detail or "")
    except Unsure:
        return acl_wire.UNSURE
    return DONE


def _binding(creation: AclCreation) -> Binding:
    return forms.binding(
        creation.resource_type,
        creation.resource_name,
        creation.resource_pattern_type,
        creation.principal,
        creation.host,
        creation.operation,
        creation.permission_type,
    )


def _response(request: CreateAclsRequest, refusals: Mapping[int, Refusal]) -> CreateAclsResponse:
    found = [refusals[at] for at in range(len(request.creations))]
    return CreateAclsResponse(
        results=[
            AclCreationResult(error_code=code, error_message=message or None)
            for code, message in found
        ]
    )
