"""The durable part of a group: values that mirror rows.

Every kind of group uses these three types, so that one store writes them all
(docs/architecture.md, *Durable and Live*). A kind that needs more than these columns puts it into
``details`` (JSON values only). Values are immutable: a change is a new value, and an unchanged
member remains the same object, by which the store finds what to write.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Self
from zlib import crc32

from groups.core.values import quick

Details = Mapping[str, Any]
NOTHING: Details = MappingProxyType({})

SLOTS = 64
"""Hash buckets of group ids (docs/architecture.md, *Slots*). Fixed for the life of a database: a
group's slot is stored beside it."""


def slot_of(group_id: str) -> int:
    """The slot of a group id: CRC-32 of its UTF-8 bytes, modulo ``SLOTS``."""
    return crc32(group_id.encode()) % SLOTS


@quick
@dataclass(frozen=True, slots=True)
class GroupRow:
    """The row of a group.

    ``kind`` names the rules ("classic", "consumer", ...); ``generation`` is the
    generation id, or the group epoch of a consumer group; ``state`` has Kafka's
    name ("Empty", "PreparingRebalance", ...), as operators see it.
    """

    group_id: str
    kind: str
    state: str
    generation: int = 0
    protocol_type: str = ""
    protocol_name: str | None = None
    leader: str | None = None
    details: Details = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class CommandRow:
    """One command that a member has not acknowledged (``groups.core.commands``).

    ``generation`` -1: none. ``ownership``: topic to partition to consumer thread; None: the command
    is about everything. ``series``: the id of the first of several equal commands, 0 for the first
    itself.
    """

    command_id: int
    option: str
    generation: int = -1
    ownership: Mapping[str, Mapping[int, str]] | None = None
    reason: str = ""
    series: int = 0

    @property
    def first_id(self) -> int:
        """The id that repetitions of a command have in common."""
        return self.series or self.command_id


@quick
@dataclass(frozen=True, slots=True)
class MemberRow:
    """One member's row, and the rows of its commands. ``position`` orders members by arrival.

    ``subscription`` and ``assignment`` are bytes in the kind's own format; the store does not
    decode them.
    """

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    position: int
    subscription: bytes = b""
    assignment: bytes = b""
    details: Details = field(default_factory=lambda: NOTHING)
    commands: tuple[CommandRow, ...] = ()


@quick
@dataclass(frozen=True, slots=True)
class Durable:
    """The content of the rows of one group. Revision 0: there is no row yet."""

    group: GroupRow
    members: Mapping[str, MemberRow]
    revision: int = 0

    @property
    def exists(self) -> bool:
        """Whether the group has a row."""
        return self.revision > 0

    def in_order(self) -> Self:
        """The same rows with the members in order of arrival."""
        rows = list(self.members.values())
        if all(a.position <= b.position for a, b in pairwise(rows)):
            return self
        rows.sort(key=lambda row: (row.position, row.member_id))
        return replace(self, members={row.member_id: row for row in rows})
