"""AcknowledgeCommand (10002): a member reports that it has carried out a command.

A private API, for members of every kind of group: docs/commanded.md.
"""

from groups.core.errors import Refuse
from groups.core.events import AcknowledgeCommand
from groups.core.pauses import ORDERS_FROM
from groups.core.replies import Acknowledged
from protocol.handlers.support import operator_orders, validation
from protocol.requests.call import Call
from rollcall.wire.messages.acknowledge_command import (
    AcknowledgeCommandRequest,
    AcknowledgeCommandResponse,
)


async def handle(request: AcknowledgeCommandRequest, call: Call) -> AcknowledgeCommandResponse:
    """Validate the request, submit it to the group, and return its decision."""
    if request.command_id >= ORDERS_FROM:
        return await operator_orders.acknowledge(request, call)
    try:
        validation.group_id(request.group_id, call.node.settings)
        validation.name("member id", request.member_id)
    except Refuse as refusal:
        return AcknowledgeCommandResponse(error_code=refusal.code, error_message=refusal.detail)
    event = AcknowledgeCommand(
        ticket=call.ticket, member_id=request.member_id, command_id=request.command_id
    )
    reply = await call.decide(request.group_id, event)
    detail = reply.detail if isinstance(reply, Acknowledged) else None
    return AcknowledgeCommandResponse(error_code=reply.error, error_message=detail)
