"""Which rules a group follows: the table of kinds, the kind that an event creates, and the kind
that an empty group becomes.

A new kind of group is a line here, and a class of the shape of ``groups.core.group.Group``. Where
the two old designs (the 0.9 draft, groups that the coordinator commands) are concerned, a group
without members takes the protocol of who joins it: so offsets that were set or left behind serve
the first consumer of such a design, and those of its groups the clients that replace it. A group
that has anybody stays what it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from groups.core.classic.group import ClassicGroup
from groups.core.commanded.group import CommandedGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.draft.group import DraftGroup
from groups.core.errors import ErrorCode
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
from groups.core.group import Group, Millis
from groups.core.rows import Durable

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


EMPTY = "Empty"


def taken(group: Group, event: Event, now: Millis) -> Group:
    """The group as whoever joins it by this event finds it: of another kind, if it is empty."""
    change = CHANGES.get((type(group), type(event)))
    durable = group.durable
    if change is None or durable.members or durable.group.state != EMPTY:
        return group
    return group if group.let_go(ErrorCode.NOT_COORDINATOR) else change(group, now)


def may_take(group: Group, event: Event) -> bool:
    """Whether the event may change what kind the group is of."""
    return (type(group), type(event)) in CHANGES


def _as_draft(group: Group, now: Millis) -> Group:
    if not group.durable.exists:
        return DraftGroup.absent(group.durable.group.group_id, group.rules, now)
    return DraftGroup.merge(_emptied(group.durable, "draft"), None, group.rules, now)


def _as_commanded(group: Group, now: Millis) -> Group:
    if not group.durable.exists:
        return CommandedGroup.absent(group.durable.group.group_id, group.rules, now)
    return CommandedGroup.merge(_emptied(group.durable, "commanded"), None, group.rules, now)


def _as_classic(group: Group, now: Millis) -> Group:
    """For members of the consumer protocol, too: it goes on from there as any empty group does."""
    if not group.durable.exists:
        return ClassicGroup.absent(group.durable.group.group_id, group.rules, now)
    return ClassicGroup.merge(_emptied(group.durable, "classic"), None, group.rules, now)


def _emptied(durable: Durable, kind: str) -> Durable:
    row = replace(
        durable.group, kind=kind, protocol_type="", protocol_name=None, leader=None, details={}
    )
    return replace(durable, group=row)


CHANGES: Final[Mapping[tuple[type[Group], type[Event]], Callable[[Group, Millis], Group]]] = {
    (ClassicGroup, DraftJoin): _as_draft,
    (ConsumerGroup, DraftJoin): _as_draft,
    (DraftGroup, JoinGroup): _as_classic,
    (DraftGroup, ConsumerHeartbeat): _as_classic,
    (ClassicGroup, RegisterConsumer): _as_commanded,
    (ConsumerGroup, RegisterConsumer): _as_commanded,
    (DraftGroup, RegisterConsumer): _as_commanded,
    (CommandedGroup, JoinGroup): _as_classic,
    (CommandedGroup, ConsumerHeartbeat): _as_classic,
    (CommandedGroup, DraftJoin): _as_draft,
}
"""Who joins which kind of group, and what that becomes if nobody is in it."""
