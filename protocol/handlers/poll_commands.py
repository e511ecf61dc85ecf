"""PollCommands (10001): what a member is told to do."""

from protocol.call import Call
from protocol.handlers import orders
from protocol.messages.poll_commands import PollCommandsRequest, PollCommandsResponse


async def handle(request: PollCommandsRequest, call: Call) -> PollCommandsResponse:
    """An operator's orders."""
    return await orders.poll(request, call)
