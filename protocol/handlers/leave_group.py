"""LeaveGroup (13): members leave; from version 3 several at once, each with its own code."""

from collections.abc import Sequence
from functools import partial

from groups.core.errors import ErrorCode, Refuse
from groups.core.events import LeaveGroup, Leaver
from groups.core.replies import Left
from protocol.handlers.support import validation
from protocol.requests.call import Call
from rollcall.wire.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberResponse

BATCH_SINCE = 3  # KIP-345


async def handle(request: LeaveGroupRequest, call: Call) -> LeaveGroupResponse:
    """Validate the request, submit the event, and return the group's decision."""
    try:
        validation.group_id(request.group_id, call.node.settings)
    except Refuse as refusal:
        return LeaveGroupResponse(error_code=refusal.code)
    leavers = await call.aside(partial(_leavers, request, call.version))
    event = LeaveGroup(ticket=call.ticket, members=leavers, author=call.author)
    reply = await call.decide(request.group_id, event)
    left = reply if isinstance(reply, Left) else Left(reply.error)
    if call.version < BATCH_SINCE:
        return LeaveGroupResponse(error_code=_lifted(left))
    return await call.aside(partial(_response, leavers, left))


def _response(leavers: Sequence[Leaver], left: Left) -> LeaveGroupResponse:
    return LeaveGroupResponse(
        error_code=left.error,
        members=[
            MemberResponse(
                member_id=leaver.member_id, group_instance_id=leaver.instance_id, error_code=code
            )
            for leaver, code in zip(leavers, left.members, strict=False)
        ],
    )


def _leavers(request: LeaveGroupRequest, version: int) -> tuple[Leaver, ...]:
    if version < BATCH_SINCE:
        return (Leaver(request.member_id, None),)
    return tuple(
        Leaver(m.member_id, m.group_instance_id, validation.sentence(m.reason))
        for m in request.members
    )


def _lifted(left: Left) -> ErrorCode:
    """Before version 3 there is one member, and its code is at the top."""
    if left.error is not ErrorCode.NONE or not left.members:
        return left.error
    return left.members[0]
