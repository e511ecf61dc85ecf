"""Handlers of the 0.9 draft's listener: what they share, which is how they ask a group.

The draft waits for nothing: while the coordinator catches up, its clients are told so at once
(14) and ask again, where stock clients are kept waiting.
"""

from groups.core.draft.errors import number_of
from groups.core.errors import ErrorCode
from groups.core.events import Event
from groups.core.replies import Refused, Reply
from groups.core.rows import slot_of
from protocol.call import Call
from protocol.handlers.support import validation

__all__ = ["available", "check_names", "decide", "number_of"]


async def available(call: Call, group_id: str) -> ErrorCode:
    """NONE where this node serves the group now; while it loads, COORDINATOR_LOAD_IN_PROGRESS."""
    node, slot = call.node, slot_of(group_id)
    if slot in node.keeper.loader.loading:
        return ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    return await node.availability.of_slot(slot, 0)


async def decide(call: Call, group_id: str, event: Event) -> Reply:
    """Submit the event, which must carry the call's ticket, and wait for its answer."""
    code = await available(call, group_id)
    if code is ErrorCode.NONE:
        return await call.decide(group_id, event)
    call.heard(group_id, event)
    return Refused(code)


def check_names(call: Call, group_id: str, *names: str) -> None:
    """Refuse what cannot be stored. The draft has no number for that; see ``number_of``."""
    validation.group_id(group_id, call.node.settings)
    validation.metadata(call.node.settings, names)
