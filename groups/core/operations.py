"""The table of operations: what people may ask of a group, and the event that its owner decides.

A row has everything that is not a rule: REST's path and description, the command and its help, the
permission, the admin's button, rights and documents follow from it (CONTRIBUTING.md, *To add an
operation*). What an operation does is a rule of each kind of group (``operator`` in its folder).
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from groups.core.authors import Author, principal_of
from groups.core.configs.freeze import SetFreeze
from groups.core.drains import DrainMember, UndrainMember
from groups.core.events import (
    EvictMember,
    ExpireOffsets,
    ForceRebalance,
    OffsetWrite,
    RemoveGroup,
    ResetOffsets,
    RestoreOffsets,
    Verb,
)
from groups.core.pauses import PauseWork, ResumeWork


class Asked(NamedTuple):
    """The row of an operation, as its owner reads it (``groups.models.Operation``). Times are in
    PostgreSQL's format."""

    operation_id: int
    group_id: str
    verb: str
    member_id: str = ""
    reason: str = ""
    actor: str = ""
    expected_generation: int | None = None
    restore_to: str | None = None
    offsets: Mapping[str, Any] | None = None
    until: str | None = None

    @property
    def common(self) -> dict[str, Any]:
        """The fields that every event has."""
        return {
            "operation_id": self.operation_id,
            "actor": self.actor,
            "reason": self.reason,
        }


class Target(StrEnum):
    """What an operation is about."""

    GROUP = "group"
    MEMBER = "member"


Says = Mapping[Target, str]


class Row(NamedTuple):
    """One operation.

    ``says``: for each target at which it has a path and a command, what it does (REST's
    description); ``helps``: the command's help; ``tail``: its path below the target, "": the target
    itself, deleted; None: its name. ``permission``: its codename; "": only programs
    ask for it. ``button``: its link beside a member in the admin; "": none. ``many``: what it does
    to all groups that match a filter; "": it cannot.
    """

    label: str
    event: Callable[[Asked], Verb]
    permission: str = ""
    says: Says = {}
    helps: str = ""
    button: str = ""
    many: str = ""
    tail: str | None = None


def _of_member(event: Callable[..., Verb]) -> Callable[[Asked], Verb]:
    return lambda asked: event(**asked.common, member_id=asked.member_id)


def _freeze(asked: Asked) -> SetFreeze:
    frozen = asked.verb == Name.FREEZE
    return SetFreeze(**asked.common, frozen=frozen, until=asked.until)


def _reset(asked: Asked) -> ResetOffsets:
    offsets, author = asked.offsets or {}, Author("", asked.actor, "", principal_of(asked.actor))
    writes = [OffsetWrite(t, p, o, -1, "") for t, p, o in offsets["to"] if o is not None]
    return ResetOffsets(
        **asked.common,
        how=offsets["how"],
        offsets=tuple(write._replace(author=author) for write in writes),
        gone=tuple((t, p) for t, p, o in offsets["to"] if o is None),
        before=tuple((t, p, o) for t, p, o in offsets["before"]),
    )


class Name(StrEnum):
    """The names of operations, as rows and REST have them."""

    REBALANCE = "rebalance"
    EVICT = "evict"
    EXPIRE_OFFSETS = "expire-offsets"
    RESTORE_OFFSETS = "restore-offsets"
    RESET_OFFSETS = "reset-offsets"
    PAUSE = "pause"
    RESUME = "resume"
    FREEZE = "freeze"
    THAW = "thaw"
    DELETE = "delete"
    DRAIN = "drain"
    UNDRAIN = "undrain"

    @property
    def row(self) -> Row:
        """Its row."""
        return OPERATIONS[self]

    @property
    def label(self) -> str:
        """Its name for people."""
        return OPERATIONS[self].label

    @property
    def tail(self) -> str:
        """Its path below the target; "": the target itself."""
        own = OPERATIONS[self].tail
        return self.value if own is None else own

    @property
    def method(self) -> str:
        """Its method."""
        return "POST" if self.tail else "DELETE"


OPERATIONS: Final[Mapping[Name, Row]] = {
    Name.REBALANCE: Row(
        "Force a rebalance",
        lambda asked: ForceRebalance(**asked.common, expected_generation=asked.expected_generation),
        "rebalance_group",
        {Target.GROUP: "Force a rebalance. The operation has the generation that was reached."},
        "Force a rebalance; wait for the new generation.",
        tail="rebalances",
        many="Force a rebalance of all groups that match the filters.",
    ),
    Name.EVICT: Row(
        "Evict a member",
        _of_member(EvictMember),
        "evict_member",
        {
            Target.MEMBER: "Remove a member; the others rebalance. If its client is alive, it joins"
            " again."
        },
        "Evict a member; the others rebalance. A live client joins again.",
        "Evict",
        tail="",
    ),
    Name.EXPIRE_OFFSETS: Row(
        "Expire Offsets",
        lambda asked: ExpireOffsets(**asked.common, state_age_ms=0, ages=()),
    ),
    Name.RESTORE_OFFSETS: Row(
        "Restore Offsets",
        lambda asked: RestoreOffsets(**asked.common, to=asked.restore_to or "", offsets=()),
        "restore_offsets",
    ),
    Name.RESET_OFFSETS: Row("Reset Offsets", _reset, "restore_offsets"),
    Name.PAUSE: Row(
        "Stop the work",
        _of_member(PauseWork),
        "pause_group",
        {
            Target.GROUP: "Stop the work of all members, including those that join later. They"
            " stay members, and\nkeep their partitions. GET of the group shows which have"
            " stopped.",
            Target.MEMBER: "Stop the work of one member, named by member id or instance id; a"
            " static member stays\nstopped when it returns.",
        },
        "Stop the work of all members, new ones too, or of one. They keep their partitions.",
        many="Stop the work of all groups that match the filters.",
    ),
    Name.RESUME: Row(
        "Start the work",
        _of_member(ResumeWork),
        "pause_group",
        {
            Target.GROUP: "Start the work of a group; members that were stopped individually stay"
            " stopped.",
            Target.MEMBER: "Start the work of one member; it stays stopped while the whole group"
            " is stopped.",
        },
        "Start the work of a stopped group, or of one stopped member.",
        many="Start the work of all groups that match the filters.",
    ),
    Name.FREEZE: Row(
        "Freeze",
        _freeze,
        "freeze_group",
        {
            Target.GROUP: "Freeze a group (`rollcall.freeze`): no rebalance begins, optionally"
            " until a given time.\nIf one becomes due, it begins when the group is thawed.",
        },
        "Freeze a group: no rebalance begins; after the thaw one starts if needed.",
        many="Freeze all groups that match the filters.",
    ),
    Name.THAW: Row(
        "Thaw",
        _freeze,
        "freeze_group",
        {
            Target.GROUP: "Thaw a group: rebalances begin again. A group that does not exist any"
            " more may still be\nfrozen.",
        },
        "Thaw a group: rebalances begin again.",
        many="Thaw all groups that match the filters.",
    ),
    Name.DELETE: Row(
        "Delete",
        lambda asked: RemoveGroup(**asked.common),
        "delete_group",
        {
            Target.GROUP: "Delete a group without members, with its offsets. Its journal is kept."
            " The operation\nfails while it has members."
        },
        "Delete a group without members, with its offsets; its journal is kept.",
        tail="",
        many="Delete all groups without members that match the filters.",
    ),
    Name.DRAIN: Row(
        "Drain a member",
        _of_member(DrainMember),
        "evict_member",
        {
            Target.MEMBER: "Drain a member: it stays a member and gets no partition until that is"
            " undone, or it leaves.\nThe operation ends when it has given up its partitions; the"
            " worker can be stopped then. Refused\nfor classic groups, whose leader assigns.",
        },
        "Drain a member: it keeps its membership, and gives up its partitions.",
        "Drain",
    ),
    Name.UNDRAIN: Row(
        "End the drain of a member",
        _of_member(UndrainMember),
        "evict_member",
        {
            Target.MEMBER: "Let a drained member have partitions again. A static member that is"
            " away is named by its\ninstance id.",
        },
        "Let a drained member have partitions again.",
        "Undrain",
    ),
}
"""Every operation; the order is that of lists and buttons."""


def choices() -> list[tuple[str, str]]:
    """The names with their labels: for forms and serializers."""
    return [(name.value, row.label) for name, row in OPERATIONS.items()]
