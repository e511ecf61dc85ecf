"""Which rules a group follows: the table of kinds, the kind that an event creates, and the kind
that an empty group becomes. Tables only; ``groups.core.conversion.step`` reads them.

A new kind of group is a line here, and a class with the interface ``groups.core.group.Group``.
The two old designs (the 0.9 draft, groups that the coordinator commands) are plug-ins: without its
row a kind does not exist, and its folder is not imported.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final, NamedTuple

from groups.core.classic import work as classic
from groups.core.classic.group import ClassicGroup
from groups.core.consumer import work as consumer
from groups.core.consumer.group import ConsumerGroup
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

CLASSIC: Final = classic.KIND
CONSUMER: Final = consumer.KIND
DRAFT: Final = "draft"
COMMANDED: Final = "commanded"


class PlugIn(NamedTuple):
    """The folder of a kind, and the class with its rules in the module ``group`` there; the event
    by which a member joins it, and others that create a group of it."""

    folder: str
    rules: str
    join: type[Event]
    others: tuple[type[Event], ...] = ()


PLUG_INS: Final[Mapping[str, PlugIn]] = {
    DRAFT: PlugIn("groups.core.draft", "DraftGroup", DraftJoin, (DraftCommit,)),
    COMMANDED: PlugIn("groups.core.commanded", "CommandedGroup", RegisterConsumer),
}
"""By the kind."""


def _rules(plug_in: PlugIn) -> type[Group]:
    rules: type[Group] = getattr(import_module(f"{plug_in.folder}.group"), plug_in.rules)
    return rules


KINDS: dict[str, type[Group]] = {
    CLASSIC: ClassicGroup,
    CONSUMER: ConsumerGroup,
    **{kind: _rules(plug_in) for kind, plug_in in PLUG_INS.items()},
}
"""``GroupRow.kind`` to the class with its rules."""

CREATED_BY: dict[type[Event], str] = {
    ConsumerHeartbeat: CONSUMER,
    **{
        event: kind
        for kind, plug_in in PLUG_INS.items()
        for event in (plug_in.join, *plug_in.others)
    },
}
"""Events that create a group of another kind than classic."""

CREATE = (
    JoinGroup,
    OffsetCommit,  # DraftCommit as well
    TxnOffsetCommit,
    ConsumerHeartbeat,
    *(plug_in.join for plug_in in PLUG_INS.values()),
)
"""Events that may create a group; all others get the error for a group that does not exist. Of the
consumer protocol's heartbeats only one that joins creates a group."""


def _changes() -> Iterator[tuple[tuple[type[Group], type[Event]], str]]:
    for kind, plug_in in PLUG_INS.items():
        for other in KINDS.keys() - {kind}:
            yield (KINDS[other], plug_in.join), kind
        for event in (JoinGroup, ConsumerHeartbeat):
            yield (KINDS[kind], event), CLASSIC


CHANGES: Final[Mapping[tuple[type[Group], type[Event]], str]] = dict(_changes())
"""By the class of an empty group and the event that joins it: the kind that it becomes.

Where a plug-in is involved, an empty group takes the protocol of the member that joins it. So
offsets that were set or left behind serve the first consumer of such a design, and offsets of its
groups the clients that replace it. A group with members stays what it is. A member of the consumer
protocol makes the group classic, which then continues as any empty classic group does.
"""
