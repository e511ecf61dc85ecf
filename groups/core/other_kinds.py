"""Replies to requests that only another kind of group can serve: the table with which each kind's
own begins.

A kind replaces the rows of its own requests. Nothing here knows other kinds' members or changes a
group.
"""

from typing import Any, Final

from groups.core.errors import ErrorCode, Refuse
from groups.core.events import (
    AcknowledgeCommand,
    ConsumerHeartbeat,
    DraftHeartbeat,
    DraftJoin,
    Event,
    IdsAbandoned,
    InstallAssignment,
    JoinGroup,
    MembersRefused,
    PrepareAssignment,
    RegisterConsumer,
    SyncGroup,
    TargetComputed,
    TopicsChanged,
    TopicsMatched,
)
from groups.core.step import Handlers


def _another_protocol(_work: Any, _event: JoinGroup | DraftJoin | RegisterConsumer) -> None:
    raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def _no_such_member(_work: Any, _event: SyncGroup | DraftHeartbeat | AcknowledgeCommand) -> None:
    raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)


def _not_a_consumer_group(_work: Any, _event: ConsumerHeartbeat) -> None:
    """A possible conversion was checked before (``groups.core.conversion``)."""
    raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "the group is not a consumer group")


def _assigns_nothing(_work: Any, _event: PrepareAssignment | InstallAssignment) -> None:
    raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "The group is not a consumer group.")


def _too_late(_work: Any, _event: Event) -> None:
    """A result or notification for a group of another kind that had this id before."""


def _nobody_waits(_work: Any, _event: MembersRefused) -> None:
    """No request is parked: a row is written with its request, which is refused itself."""


HANDLERS: Final[Handlers[Any]] = {
    JoinGroup: _another_protocol,
    DraftJoin: _another_protocol,
    RegisterConsumer: _another_protocol,
    SyncGroup: _no_such_member,
    DraftHeartbeat: _no_such_member,
    AcknowledgeCommand: _no_such_member,
    ConsumerHeartbeat: _not_a_consumer_group,
    PrepareAssignment: _assigns_nothing,
    InstallAssignment: _assigns_nothing,
    IdsAbandoned: _too_late,
    TargetComputed: _too_late,
    TopicsChanged: _too_late,
    TopicsMatched: _too_late,
    MembersRefused: _nobody_waits,
}
