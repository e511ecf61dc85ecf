"""Heartbeat (12) of the draft: answered from the committed view while the group is steady.

The rules give every other answer: it may be the first in which a consumer learns of a rebalance, or
the one that cancels it.
"""

from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DraftHeartbeat
from protocol.handlers.draft import available, check_names, decide, number_of
from protocol.requests.call import Call
from rollcall.wire.messages.draft.heartbeat import HeartbeatRequest, HeartbeatResponse

KNOWN = (ErrorCode.NONE, ErrorCode.ILLEGAL_GENERATION)
"""Only consumers that are in the group receive these."""


async def handle(request: HeartbeatRequest, call: Call) -> HeartbeatResponse:
    """NONE, or an error."""
    try:
        check_names(call, request.group_id, request.consumer_id)
    except Refuse as refusal:
        return HeartbeatResponse(error_code=number_of(refusal.code))
    code = await _answer(request, call)
    if code in KNOWN:
        call.sit(request.group_id, request.consumer_id)
    return HeartbeatResponse(error_code=number_of(code))


async def _answer(request: HeartbeatRequest, call: Call) -> ErrorCode:
    if await available(call, request.group_id) is ErrorCode.NONE and _is_steady(request, call):
        return ErrorCode.NONE
    event = DraftHeartbeat(
        ticket=call.ticket,
        consumer_id=request.consumer_id,
        generation_id=request.group_generation_id,
    )
    return (await decide(call, request.group_id, event)).error


def _is_steady(request: HeartbeatRequest, call: Call) -> bool:
    """Whether memory is enough to answer NONE; if so, the heartbeat counts for the session."""
    coordinator = call.node.coordinator
    view = coordinator.heartbeat_views.get(request.group_id)
    if view is None:
        return False
    code = view.heartbeat(
        request.consumer_id, None, request.group_generation_id, coordinator.clock()
    )
    return code is ErrorCode.NONE
