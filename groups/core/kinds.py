"""Which rules a group follows: the table of kinds, the kind that an event creates, and the kind
that an empty group becomes. Tables only; ``groups.core.conversion.step`` reads them.

A new kind of group is a line here, and a class with the interface ``groups.core.group.Group``.
"""

from collections.abc import Callable, Mapping
from typing import Final

from groups.core.assignors.types import Racks
from groups.core.classic import foresight as classic_foresight
from groups.core.classic import work as classic
from groups.core.classic.group import ClassicGroup
from groups.core.commanded import foresight as commanded_foresight
from groups.core.commanded import work as commanded
from groups.core.commanded.group import CommandedGroup
from groups.core.consumer import foresight as consumer_foresight
from groups.core.consumer import work as consumer
from groups.core.consumer.group import ConsumerGroup
from groups.core.draft import foresight as draft_foresight
from groups.core.draft import work as draft
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
from groups.core.foresight import Scene
from groups.core.group import Group
from groups.core.rows import Durable

CLASSIC: Final = classic.KIND
CONSUMER: Final = consumer.KIND
DRAFT: Final = draft.KIND
COMMANDED: Final = commanded.KIND

KINDS: dict[str, type[Group]] = {
    CLASSIC: ClassicGroup,
    CONSUMER: ConsumerGroup,
    DRAFT: DraftGroup,
    COMMANDED: CommandedGroup,
}
"""``GroupRow.kind`` to the class with its rules."""

SCENES: Final[Mapping[str, Callable[[Durable, Mapping[str, int], Racks], Scene]]] = {
    CLASSIC: classic_foresight.scene,
    CONSUMER: consumer_foresight.scene,
    DRAFT: draft_foresight.scene,
    COMMANDED: commanded_foresight.scene,
}
"""By kind: the rows as what can be asked about (``groups.core.foresight``). Partition counts are by
topic name, racks by topic id."""

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
"""Events that may create a group; all others get the error for a group that does not exist. Of the
consumer protocol's heartbeats only one that joins creates a group."""

CHANGES: Final[Mapping[tuple[type[Group], type[Event]], str]] = {
    (ClassicGroup, DraftJoin): DRAFT,
    (ConsumerGroup, DraftJoin): DRAFT,
    (DraftGroup, JoinGroup): CLASSIC,
    (DraftGroup, ConsumerHeartbeat): CLASSIC,
    (ClassicGroup, RegisterConsumer): COMMANDED,
    (ConsumerGroup, RegisterConsumer): COMMANDED,
    (DraftGroup, RegisterConsumer): COMMANDED,
    (CommandedGroup, JoinGroup): CLASSIC,
    (CommandedGroup, ConsumerHeartbeat): CLASSIC,
    (CommandedGroup, DraftJoin): DRAFT,
}
"""By the class of an empty group and the event that joins it: the kind that it becomes.

Where the two old designs are involved (the 0.9 draft, groups that the coordinator commands), an
empty group takes the protocol of the member that joins it. So offsets that were set or left behind
serve the first consumer of such a design, and offsets of its groups the clients that replace it. A
group with members stays what it is. A member of the consumer protocol makes the group classic,
which then continues as any empty classic group does.
"""
