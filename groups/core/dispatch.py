"""One event and the rule that decides it: found in the kind's table, refused in the event's shape.

Which rules a kind has is told by its own table (``HANDLERS`` of each ``group.py``); no rule is
here.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeVar

from groups.core.errors import Refuse
from groups.core.events import (
    AcknowledgeCommand,
    ConsumerHeartbeat,
    DeleteGroup,
    DraftCommit,
    DraftHeartbeat,
    DraftJoin,
    Event,
    InstallAssignment,
    JoinGroup,
    LeaveGroup,
    OffsetCommit,
    OffsetDelete,
    PrepareAssignment,
    RegisterConsumer,
    SyncGroup,
    Ticket,
    TxnOffsetCommit,
)
from groups.core.replies import (
    Acknowledged,
    Committed,
    ConsumerBeaten,
    Deleted,
    DraftBeaten,
    DraftJoined,
    Installed,
    Joined,
    Left,
    OffsetsDeleted,
    Prepared,
    Registered,
    Reply,
    Synced,
)

Refusals = Mapping[type[Event], Callable[[Any, Refuse], Reply]]

REFUSALS: Final[Refusals] = {
    JoinGroup: lambda event, no: Joined(error=no.code, member_id=event.member_id),
    SyncGroup: lambda event, no: Synced(error=no.code),
    LeaveGroup: lambda event, no: Left(no.code),
    OffsetCommit: lambda event, no: Committed(no.code),
    TxnOffsetCommit: lambda event, no: Committed(no.code),
    OffsetDelete: lambda event, no: OffsetsDeleted(no.code),
    DeleteGroup: lambda event, no: Deleted(no.code),
    ConsumerHeartbeat: lambda event, no: ConsumerBeaten(error=no.code, detail=no.detail),
    PrepareAssignment: lambda event, no: Prepared(error=no.code, detail=no.detail),
    InstallAssignment: lambda event, no: Installed(error=no.code, detail=no.detail),
    DraftJoin: lambda event, no: DraftJoined(error=no.code, consumer_id=event.consumer_id),
    DraftHeartbeat: lambda event, no: DraftBeaten(no.code),
    DraftCommit: lambda event, no: Committed(no.code),
    RegisterConsumer: lambda event, no: Registered(no.code, no.detail, event.consumer_id),
    AcknowledgeCommand: lambda event, no: Acknowledged(no.code, no.detail),
}
"""The shape of each event's answer when a rule says no."""


class Answers(Protocol):
    """A working copy, as far as a refusal needs it."""

    def answer(self, ticket: Ticket | None, reply: Reply) -> None:
        """Send a reply once the batch has committed."""
        ...


W = TypeVar("W", bound=Answers)

Handlers = Mapping[type[Event], Callable[[W, Any], None]]


def decide(work: W, event: Event, handlers: Handlers[W], refusals: Refusals = REFUSALS) -> bool:
    """Whether the event's rule said yes. A refusal is answered, and leaves everything as it was."""
    handler = handlers.get(type(event))
    assert handler is not None, f"no rule for {type(event).__name__}"
    try:
        handler(work, event)
    except Refuse as refusal:
        work.answer(event.ticket, refusals[type(event)](event, refusal))
        return False
    return True
