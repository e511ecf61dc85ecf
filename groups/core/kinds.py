"""Which rules a group follows: the table of kinds, and the kind that an event creates.

A new kind of group is a line here (and a class of the shape of
``groups.core.group.Group``); nothing else names the kinds.
"""

from groups.core.classic.group import ClassicGroup
from groups.core.commanded.group import CommandedGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.draft.group import DraftGroup
from groups.core.events import (
    ConsumerHeartbeat,
    DraftCommit,
    DraftJoin,
    Event,
    JoinGroup,
    OffsetCommit,
    RegisterConsumer,
    TxnOffsetCommit,
)
from groups.core.group import Group

CLASSIC = "classic"
CONSUMER = "consumer"
DRAFT = "draft"
COMMANDED = "commanded"

KINDS: dict[str, type[Group]] = {
    CLASSIC: ClassicGroup,
    CONSUMER: ConsumerGroup,
    DRAFT: DraftGroup,
    COMMANDED: CommandedGroup,
}
"""``GroupRow.kind`` to the class with its rules."""

CREATED_BY: dict[type[Event], str] = {
    ConsumerHeartbeat: CONSUMER,
    DraftJoin: DRAFT,
    DraftCommit: DRAFT,
    RegisterConsumer: COMMANDED,
}
"""Events that create a group of another kind than classic."""


CREATE = (
    JoinGroup,
    OffsetCommit,  # DraftCommit as well
    TxnOffsetCommit,
    ConsumerHeartbeat,
    DraftJoin,
    RegisterConsumer,
)
"""Events that may make a group of an absent one; all others are told that there is none."""


def creates_group(event: Event) -> bool:
    """Whether an absent group may exist after the event. Of heartbeats that join alone do so."""
    joins = not isinstance(event, ConsumerHeartbeat) or event.member_epoch == 0
    return isinstance(event, CREATE) and joins


def kind_for(event: Event) -> str:
    """The kind of group that an event to an absent group is decided by."""
    kind = CREATED_BY.get(type(event), CLASSIC)
    return kind if kind in KINDS else CLASSIC
