"""AcknowledgeCommand (10002): a member has done what it was told."""

from protocol.call import Call
from protocol.handlers import orders
from protocol.messages.acknowledge_command import (
    AcknowledgeCommandRequest,
    AcknowledgeCommandResponse,
)


async def handle(request: AcknowledgeCommandRequest, call: Call) -> AcknowledgeCommandResponse:
    """An operator's order was obeyed."""
    return await orders.acknowledge(request, call)
