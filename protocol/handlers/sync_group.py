"""SyncGroup (14): a member requests its assignment; the leader sends those of all members."""

from groups.core.errors import ErrorCode, Refuse
from groups.core.events import SyncGroup
from groups.core.replies import Synced
from protocol.handlers.support import validation
from protocol.requests.call import Call
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupResponse

PROTOCOL_NAMED_SINCE = 5  # KIP-559


async def handle(request: SyncGroupRequest, call: Call) -> SyncGroupResponse:
    """Validate the request, submit the event, and return the group's decision."""
    try:
        _check_names(request, call.version)
        validation.group_id(request.group_id, call.node.settings)
        _check_size(request, call.node.settings.group_metadata_max_bytes)
    except Refuse as refusal:
        return SyncGroupResponse(error_code=refusal.code)
    reply = await call.decide(request.group_id, _event(request, call))
    if not isinstance(reply, Synced):
        reply = Synced(reply.error)
    return SyncGroupResponse(
        error_code=reply.error,
        protocol_type=reply.protocol_type,
        protocol_name=reply.protocol_name,
        assignment=reply.assignment,
    )


def _check_names(request: SyncGroupRequest, version: int) -> None:
    """Kafka checks this first, before it looks up the group."""
    if version >= PROTOCOL_NAMED_SINCE and None in (request.protocol_type, request.protocol_name):
        raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def _check_size(request: SyncGroupRequest, limit: int) -> None:
    if sum(len(a.assignment) for a in request.assignments) > limit:
        raise Refuse(ErrorCode.INVALID_REQUEST, "the assignments are too large together")


def _event(request: SyncGroupRequest, call: Call) -> SyncGroup:
    return SyncGroup(
        ticket=call.ticket,
        generation_id=request.generation_id,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        assignments={a.member_id: bytes(a.assignment) for a in request.assignments},
        names_protocol=call.version >= PROTOCOL_NAMED_SINCE,
        protocol_type=request.protocol_type,
        protocol_name=request.protocol_name,
    )
