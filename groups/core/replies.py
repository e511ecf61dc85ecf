"""What a group answers, as values; handlers turn them into messages of a version.

Every reply has ``error``; the other fields hold what Kafka sends beside that
code. ``Refused`` answers any event whose reply is a code alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from groups.core.assignors.client_side import ClientAssignor
from groups.core.assignors.types import NOWHERE, Racks, Subscriber
from groups.core.errors import ErrorCode
from groups.core.quick import quick


@dataclass(frozen=True, slots=True)
class Refused:
    """A code and no more; ``detail`` is for answers that carry a message."""

    error: ErrorCode
    detail: str | None = None


class JoinedMember(NamedTuple):
    """What the leader is told of each member: its metadata for the chosen protocol."""

    member_id: str
    instance_id: str | None
    metadata: bytes


@dataclass(frozen=True, slots=True)
class Joined:
    """The answer to JoinGroup. On errors the generation is -1 and the rest empty."""

    error: ErrorCode = ErrorCode.NONE
    member_id: str = ""
    generation_id: int = -1
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader: str = ""
    members: tuple[JoinedMember, ...] = ()
    skip_assignment: bool = False


@dataclass(frozen=True, slots=True)
class Synced:
    """The answer to SyncGroup; type and name are None on errors."""

    error: ErrorCode = ErrorCode.NONE
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


@dataclass(frozen=True, slots=True)
class Left:
    """The answer to LeaveGroup: one code per member, in the request's order."""

    error: ErrorCode
    members: tuple[ErrorCode, ...] = ()


@dataclass(frozen=True, slots=True)
class Committed:
    """The answer to OffsetCommit: one code for all partitions of the event."""

    error: ErrorCode = ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class OffsetsDeleted:
    """The answer to OffsetDelete: a code for all, or one per partition of the event."""

    error: ErrorCode = ErrorCode.NONE
    partitions: Mapping[tuple[str, int], ErrorCode] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deleted:
    """The answer to DeleteGroup."""

    error: ErrorCode = ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class Operated:
    """How an operator's verb ended; written to its ``operation`` row, not to a ticket.

    ``ended`` False: it has begun, and a later decision says how it ended. ``changed`` False: it
    was granted and there was nothing to do.
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
    """The answer to ConsumerGroupHeartbeat; ``assignment`` None means "unchanged".

    ``should_assign``: the member is asked to work the group's target out.
    """

    error: ErrorCode = ErrorCode.NONE
    detail: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    assignment: Mapping[str, tuple[int, ...]] | None = None
    should_assign: bool = False


class PreparedMember(NamedTuple):
    """A member as the one that assigns sees it. ``said``: what it has to say to the assignor;
    None: it does not know the assignor."""

    subscriber: Subscriber
    member_epoch: int
    said: ClientAssignor | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """The answer to ConsumerGroupPrepareAssignment. ``topics``: name to (topic id, partitions)."""

    error: ErrorCode = ErrorCode.NONE
    detail: str | None = None
    group_epoch: int = -1
    assignor: str = ""
    members: tuple[PreparedMember, ...] = ()
    topics: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    racks: Racks = field(default_factory=lambda: NOWHERE)


@dataclass(frozen=True, slots=True)
class Installed:
    """The answer to ConsumerGroupInstallAssignment."""

    error: ErrorCode = ErrorCode.NONE
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class DraftJoined:
    """The answer to a draft's JoinGroup. On errors the generation is 0 and nothing is owned."""

    error: ErrorCode = ErrorCode.NONE
    generation_id: int = 0
    consumer_id: str = ""
    partitions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DraftBeaten:
    """The answer to a draft's Heartbeat: a code, ILLEGAL_GENERATION for "join again"."""

    error: ErrorCode = ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class Registered:
    """The answer to RegisterConsumer; on errors the generation is -1."""

    error: ErrorCode = ErrorCode.NONE
    detail: str | None = None
    consumer_id: str = ""
    generation_id: int = -1
    last_command_id: int = 0


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The answer to AcknowledgeCommand."""

    error: ErrorCode = ErrorCode.NONE
    detail: str | None = None


Reply = (
    Refused
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
