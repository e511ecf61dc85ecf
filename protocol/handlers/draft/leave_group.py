"""LeaveGroup (13) of the draft: one consumer leaves."""

from groups.core.errors import ErrorCode, Refuse
from groups.core.events import LeaveGroup, Leaver
from groups.core.replies import Left
from protocol.handlers.draft import check_names, decide, number_of
from protocol.requests.call import Call
from rollcall.wire.messages.draft.leave_group import LeaveGroupRequest, LeaveGroupResponse


async def handle(request: LeaveGroupRequest, call: Call) -> LeaveGroupResponse:
    """Validate the request, submit the event, and return the group's decision."""
    try:
        check_names(call, request.group_id, request.consumer_id)
    except Refuse as refusal:
        return LeaveGroupResponse(error_code=number_of(refusal.code))
    event = LeaveGroup(ticket=call.ticket, members=(Leaver(request.consumer_id, None),))
    reply = await decide(call, request.group_id, event)
    code = reply.error
    if isinstance(reply, Left) and reply.members and code is ErrorCode.NONE:
        code = reply.members[0]
    return LeaveGroupResponse(error_code=number_of(code))
