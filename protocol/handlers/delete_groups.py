"""DeleteGroups (42): delete empty groups with their offsets (KIP-229)."""

from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DeleteGroup
from protocol.handlers.support import validation
from protocol.requests.call import Call
from rollcall.wire.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)


async def handle(request: DeleteGroupsRequest, call: Call) -> DeleteGroupsResponse:
    """One decision per group; a group named twice is deleted once. Error messages are Kafka's: it
    has one only for a plug-in that fails, so for none of these errors."""
    return DeleteGroupsResponse(
        results=[
            DeletableGroupResult(group_id=group_id, error_code=await _delete(group_id, call))
            for group_id in dict.fromkeys(request.groups_names)
        ]
    )


async def _delete(group_id: str, call: Call) -> ErrorCode:
    try:
        validation.group_id(group_id, call.node.settings, may_be_empty=True)
    except Refuse as refusal:
        return refusal.code
    delete = DeleteGroup(ticket=call.ticket, author=call.author.details())
    return (await call.decide(group_id, delete)).error
