"""What the handlers of the 0.9 draft's listener share.

They never wait: while the coordinator loads, they return an error at once (14), and the client
tries again; stock clients of the Kafka port wait.
"""

from groups.core.errors import ErrorCode
from groups.core.events import Event
from groups.core.replies import ErrorReply, Reply
from groups.core.rows import slot_of
from protocol.handlers.support import validation
from protocol.requests.call import Call
from protocol.requests.draft_errors import number_of

__all__ = ["available", "check_names", "decide", "number_of"]


async def available(call: Call, group_id: str) -> ErrorCode:
    """NONE if this node coordinates the group now; COORDINATOR_LOAD_IN_PROGRESS while it loads."""
    node, slot = call.node, slot_of(group_id)
    if slot in node.keeper.loader.loading:
        return ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    return await node.availability.of_slot(slot, 0)


async def decide(call: Call, group_id: str, event: Event) -> Reply:
    """Submit the event, which must carry the call's ticket, and wait for the reply."""
    code = await available(call, group_id)
    if code is ErrorCode.NONE:
        return await call.decide(group_id, event)
    call.heard(group_id, event)
    return ErrorReply(code)


def check_names(call: Call, group_id: str, *names: str) -> None:
    """Refuse names that cannot be stored. The draft has no number for that; see ``number_of``."""
    validation.group_id(group_id, call.node.settings)
    validation.metadata(call.node.settings, names)
