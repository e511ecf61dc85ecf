"""The reply to each event that a rule refuses. A table only; ``decide`` of
``groups.core.step`` reads it."""

from collections.abc import Callable, Mapping
from typing import Any, Final

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
"""The reply to each event if a rule refuses it."""
