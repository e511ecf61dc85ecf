"""Which rules a group follows: the table of kinds, and the kind that an event creates.

A new kind of group is a line here (and a class of the shape of
``groups.core.group.Group``); nothing else names the kinds.
"""

from collections.abc import Callable
from dataclasses import replace

from groups.core.classic.group import ClassicGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.draft.group import DraftGroup
from groups.core.errors import ErrorCode
from groups.core.events import ConsumerHeartbeat, DraftCommit, DraftJoin, Event, JoinGroup
from groups.core.group import Group, Millis
from groups.core.rows import Durable

CLASSIC = "classic"
CONSUMER = "consumer"
DRAFT = "draft"

KINDS: dict[str, type[Group]] = {
    CLASSIC: ClassicGroup,
    CONSUMER: ConsumerGroup,
    DRAFT: DraftGroup,
}
"""``GroupRow.kind`` to the class with its rules."""

CREATED_BY: dict[type[Event], str] = {
    ConsumerHeartbeat: CONSUMER,
    DraftJoin: DRAFT,
    DraftCommit: DRAFT,
}
"""Events that create a group of another kind than classic."""


def kind_for(event: Event) -> str:
    """The kind of group that an event to an absent group is decided by."""
    kind = CREATED_BY.get(type(event), CLASSIC)
    return kind if kind in KINDS else CLASSIC


def deciding(group: Group, event: Event, now: Millis) -> Group:
    """The group that decides an event: one without members takes the protocol of who joins it.

    So offsets that were set or left behind serve the first consumer of the 0.9 draft, and those of
    a draft group the classic clients that replace it. A group that has anybody stays what it is.
    """
    change = _TAKEN_BY.get((type(group), type(event)))
    if change is None or group.durable.members or group.durable.group.state != "Empty":
        return group
    return group if group.let_go(ErrorCode.NOT_COORDINATOR) else change(group, now)


def _as_draft(group: Group, now: Millis) -> Group:
    if not group.durable.exists:
        return DraftGroup.absent(group.durable.group.group_id, group.rules, now)
    return DraftGroup.merge(_emptied(group.durable, DRAFT), None, group.rules, now)


def _as_classic(group: Group, now: Millis) -> Group:
    if not group.durable.exists:
        return ClassicGroup.absent(group.durable.group.group_id, group.rules, now)
    return ClassicGroup.merge(_emptied(group.durable, CLASSIC), None, group.rules, now)


def _emptied(durable: Durable, kind: str) -> Durable:
    row = replace(
        durable.group, kind=kind, protocol_type="", protocol_name=None, leader=None, details={}
    )
    return replace(durable, group=row)


_TAKEN_BY: dict[tuple[type[Group], type[Event]], Callable[[Group, Millis], Group]] = {
    (ClassicGroup, DraftJoin): _as_draft,
    (ConsumerGroup, DraftJoin): _as_draft,
    (DraftGroup, JoinGroup): _as_classic,
}
