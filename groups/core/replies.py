"""A group's replies, as values; handlers convert them to messages of a version.

Every reply has ``error``; the other fields hold what Kafka sends beside that
code. ``ErrorReply`` answers any event whose reply is a code alone. ``decide`` of
``groups.core.step`` answers an event that a rule refuses by ``REFUSALS``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from groups.core.assignors.client_side import ClientAssignor
from groups.core.assignors.types import NOWHERE, Racks, Subscriber
from groups.core.errors import ErrorCode, Refuse
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
from groups.core.values import quick


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error code only; ``detail`` is for responses with an error message."""

    error: ErrorCode
    detail: str | None = None


class JoinedMember(NamedTuple):
    """What the leader receives about each member: its metadata for the selected protocol."""

    member_id: str
    instance_id: str | None
    metadata: bytes


@quick
@dataclass(frozen=True, slots=True)
class Joined:
    """The reply to JoinGroup. On errors the generation is -1 and the rest is empty."""

    error: ErrorCode = ErrorCode.NONE
    member_id: str = ""
    generation_id: int = -1
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader: str = ""
    members: tuple[JoinedMember, ...] = ()
    skip_assignment: bool = False


@quick
@dataclass(frozen=True, slots=True)
class Synced:
    """The reply to SyncGroup; type and name are None on errors."""

    error: ErrorCode = ErrorCode.NONE
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


@dataclass(frozen=True, slots=True)
class Left:
    """The reply to LeaveGroup: one code per member, in the request's order."""

    error: ErrorCode
    members: tuple[ErrorCode, ...] = ()


@dataclass(frozen=True, slots=True)
class Committed:
    """The reply to OffsetCommit: one code for all partitions of the event."""

    error: ErrorCode = ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class OffsetsDeleted:
    """The reply to OffsetDelete: a code for all, or one per partition of the event."""

    error: ErrorCode = ErrorCode.NONE
    partitions: Mapping[tuple[str, int], ErrorCode] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deleted:
    """The reply to DeleteGroup."""

    error: ErrorCode = ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class Operated:
    """The result of an operation; written to its ``operation`` row, not to a ticket.

    ``ended`` False: it has begun, and a later decision ends it. ``changed`` False: it was accepted,
    but there was nothing to do.
    """

    operation_id: int
    error: ErrorCode
    detail: str
    generation: int | None = None
    ended: bool = True
    changed: bool = True


@quick
@dataclass(frozen=True, slots=True)
class ConsumerBeaten:
    """The reply to ConsumerGroupHeartbeat; ``assignment`` None means "unchanged".

    ``should_assign``: the member is asked to compute the group's target.
    """

    error: ErrorCode = ErrorCode.NONE
    detail: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    assignment: Mapping[str, tuple[int, ...]] | None = None
    should_assign: bool = False


class PreparedMember(NamedTuple):
    """A member as the assigning one sees it. ``client_assignor``: its data for the assignor;
    None: it does not have the assignor."""

    subscriber: Subscriber
    member_epoch: int
    client_assignor: ClientAssignor | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """The reply to ConsumerGroupPrepareAssignment. ``topics``: name to (topic id, partitions)."""

    error: ErrorCode = ErrorCode.NONE
    detail: str | None = None
    group_epoch: int = -1
    assignor: str = ""
    members: tuple[PreparedMember, ...] = ()
    topics: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    racks: Racks = field(default_factory=lambda: NOWHERE)


@dataclass(frozen=True, slots=True)
class Installed:
    """The reply to ConsumerGroupInstallAssignment."""

    error: ErrorCode = ErrorCode.NONE
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class DraftJoined:
    """The reply to a draft's JoinGroup. On errors the generation is 0 and there are no
    partitions."""

    error: ErrorCode = ErrorCode.NONE
    generation_id: int = 0
    consumer_id: str = ""
    partitions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DraftBeaten:
    """The reply to a draft's Heartbeat: a code, ILLEGAL_GENERATION for "join again"."""

    error: ErrorCode = ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class Registered:
    """The reply to RegisterConsumer; on errors the generation is -1."""

    error: ErrorCode = ErrorCode.NONE
    detail: str | None = None
    consumer_id: str = ""
    generation_id: int = -1
    last_command_id: int = 0


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The reply to AcknowledgeCommand."""

    error: ErrorCode = ErrorCode.NONE
    detail: str | None = None


Reply = (
    ErrorReply
    | Joined
    | Synced
    | Left
    | Committed
    | OffsetsDeleted
    | Deleted
    | ConsumerBeaten
    | Prepared
    | Installed
    | DraftJoined
    | DraftBeaten
    | Registered
    | Acknowledged
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
