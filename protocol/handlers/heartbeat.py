"""Heartbeat (12): the requests that the fast path left to the queue.

The same view answers them, in the connection's order. A heartbeat is no event: it changes only the
member's beat.
"""

from groups.core.errors import ErrorCode, Refuse
from groups.core.group import NOBODY
from groups.core.instance_claims import How
from groups.core.signs_of_life import ClassicHeartbeat
from protocol.handlers.support import validation
from protocol.requests.call import Call
from rollcall.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse


async def handle(request: HeartbeatRequest, call: Call) -> HeartbeatResponse:
    """Answer from the committed view of the group."""
    try:
        validation.group_id(request.group_id, call.node.settings)
    except Refuse as refusal:
        return HeartbeatResponse(error_code=refusal.code)
    code = await call.available(request.group_id)
    if code is not ErrorCode.NONE:
        _note(request, call)
        return HeartbeatResponse(error_code=code)
    code = _from_view(request, call)
    if code is ErrorCode.FENCED_INSTANCE_ID:
        call.claimed(request.group_id, request.group_instance_id, How.FENCED)
    return HeartbeatResponse(error_code=code)


def _from_view(request: HeartbeatRequest, call: Call) -> ErrorCode:
    coordinator = call.node.coordinator
    view = coordinator.heartbeat_views.get(request.group_id)
    if view is None:
        if request.group_id in coordinator.entries:
            _note(request, call)
            return ErrorCode.COORDINATOR_NOT_AVAILABLE  # its rows are being read again
        view = NOBODY
    return view.heartbeat(
        request.member_id, request.group_instance_id, request.generation_id, coordinator.clock()
    )


def _note(request: HeartbeatRequest, call: Call) -> None:
    who = request.member_id, request.group_instance_id, request.generation_id
    call.heard(request.group_id, ClassicHeartbeat(*who))
