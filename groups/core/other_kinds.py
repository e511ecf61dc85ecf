"""What groups answer to requests that only another kind of group can serve: consumers of the two
old designs (the 0.9 draft, and groups that the coordinator commands), and members that assign.

They know none of that kind's members. Nothing is changed here.
"""

from typing import Any

from groups.core.errors import ErrorCode, Refuse
from groups.core.events import (
    AcknowledgeCommand,
    DraftHeartbeat,
    DraftJoin,
    IdsAbandoned,
    InstallAssignment,
    MembersRefused,
    PrepareAssignment,
    RegisterConsumer,
    TargetComputed,
    TopicsChanged,
    TopicsMatched,
)


def draft_join(work: Any, event: DraftJoin) -> None:
    """The group has another protocol, and members of it, or is about to have."""
    raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def draft_heartbeat(work: Any, event: DraftHeartbeat) -> None:
    """No consumer of the draft can be one of its members."""
    raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)


def topics_changed(work: Any, event: TopicsChanged) -> None:
    """It stopped to be of such a kind while the news was on its way."""


def members_refused(work: Any, event: MembersRefused) -> None:
    """Nobody waits here to become a member: each row is written with the request that made it,
    which is refused itself."""


def ids_abandoned(work: Any, event: IdsAbandoned) -> None:
    """It stopped to be a classic group since it handed them out."""


def register_consumer(work: Any, event: RegisterConsumer) -> None:
    """The group has another protocol, and members of it, or is about to have."""
    raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def acknowledge_command(work: Any, event: AcknowledgeCommand) -> None:
    """Nobody was told anything."""
    raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)


def not_asked_any_more(work: Any, event: TargetComputed) -> None:
    """The answer to a question of the consumer group that had this id before."""


def no_patterns(work: Any, event: TopicsMatched) -> None:
    """The group was a consumer group when somebody went to look."""


def assigns_nothing(work: Any, event: PrepareAssignment | InstallAssignment) -> None:
    """Only members of a consumer group are ever asked to assign."""
    raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "The group is not a consumer group.")
