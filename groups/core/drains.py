"""Drained members: they stay members and get no partition until an operator undoes it, or
they leave (docs/draining.md).

A drain belongs to a membership: it is a detail of the member's row (of the group's row while a
static member is away whose session has expired), so every owner knows it. Each kind's own rule is
that the next target is computed without the member. Its operation ends when the member has no
partition any more.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from groups.core.authors import user
from groups.core.errors import ErrorCode
from groups.core.events import Verb
from groups.core.facts import Departure
from groups.core.group import JournalEntry
from groups.core.journal import EntryKind, Trigger
from groups.core.replies import Operated
from groups.core.rows import MemberRow
from groups.core.waiting import name_of

if TYPE_CHECKING:
    from groups.core.step import WorkingCopy

    Work = WorkingCopy[Any, Any]

DRAINED: Final = "drained"
"""Key of a member's details: its drain. Of a group's: drains by instance id, of static members
whose session has expired."""

AWAY_MAX: Final = 1_000
"""Drains of static members that are away which a group keeps, the newest ones: each is in the
group's row, which every rebalance writes."""


class Drain(NamedTuple):
    """Why a member gets no partitions: the operation, and who asked for it with which reason.
    ``is_over``: the operation has ended, since the member has no partition any more."""

    operation_id: int
    actor: str
    reason: str
    is_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainMember(Verb):
    """An operator drains a member."""

    member_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UndrainMember(Verb):
    """An operator lets it have partitions again. ``member_id`` may be the instance id of a static
    member that is away."""

    member_id: str


NO_MEMBER: Final = "the group has no such member"
NO_PARTITIONS: Final = "the member has no partitions"
WAITS: Final = "waiting for the member to give up its partitions"


def of(row: MemberRow) -> Drain | None:
    """The drain of a member, as its row has it."""
    return read(row.details)


def read(details: Mapping[str, Any]) -> Drain | None:
    """The drain in a member's details."""
    packed = details.get(DRAINED)
    return None if packed is None else Drain(*packed)


def put(row: MemberRow, drain: Drain | None) -> MemberRow:
    """The row with this drain, or with none."""
    details = {key: value for key, value in row.details.items() if key != DRAINED}
    if drain is not None:
        details[DRAINED] = list(drain)
    return replace(row, details=details)


def carried(row: MemberRow | None) -> dict[str, Any]:
    """The details of a member's new row that are its drain."""
    has = row is not None and DRAINED in row.details
    return {DRAINED: row.details[DRAINED]} if row is not None and has else {}


def begun(
    work: "Work", event: DrainMember, row: MemberRow | None, now: Drain | None
) -> Drain | None:
    """The drain that begins; None: nothing changes, and the operation has ended. ``now``: the
    member's present one."""
    if row is None:
        work.refused(event.operation_id, NO_MEMBER)
        return None
    if now is not None:
        detail = f"it was drained already, by {now.actor}: {now.reason}"
        work.operated(event.operation_id, ErrorCode.NONE, detail, changed=False)
        return None
    details = {"author": user(event.actor)}
    _note(work, EntryKind.MEMBER_DRAINED, row, drain_reason(event, row), details)
    work.operations.append(Operated(event.operation_id, ErrorCode.NONE, WAITS, ended=False))
    return Drain(event.operation_id, event.actor, event.reason)


def undone(work: "Work", event: UndrainMember, row: MemberRow | None, now: Drain | None) -> bool:
    """Whether a member's drain is undone; if not, the operation has ended with the reason."""
    if row is None and now is None:
        work.refused(event.operation_id, NO_MEMBER)
        return False
    if now is None:
        work.operated(event.operation_id, ErrorCode.NONE, "it was not drained", changed=False)
        return False
    stop(work, now, f"undone by {event.actor}: {event.reason}")
    details = {"author": user(event.actor)}
    _note(work, EntryKind.MEMBER_UNDRAINED, row, undo_reason(event, row), details)
    work.operated(event.operation_id, ErrorCode.NONE, "the member may have partitions again")
    return True


def _note(
    work: "Work", kind: EntryKind, row: MemberRow | None, reason: str, details: Mapping[str, Any]
) -> None:
    generation = work.row.generation
    work.journal.append(
        JournalEntry(
            kind,
            trigger=Trigger.OPERATOR,
            reason=reason,
            member_id=None if row is None else row.member_id,
            client_id=None if row is None else row.client_id,
            generation_before=generation,
            generation_after=generation,
            details=details,
        )
    )


def drain_reason(event: DrainMember, row: MemberRow) -> str:
    """The cause of the rebalance."""
    return f"{event.actor} drained {name_of(row)}: {event.reason}"


def undo_reason(event: UndrainMember, row: MemberRow | None) -> str:
    """The cause of the rebalance after it."""
    name = event.member_id if row is None else name_of(row)
    return f"{event.actor} ended the drain of {name}: {event.reason}"


def stop(work: "Work", drain: Drain, detail: str) -> None:
    """A drain ended before the member had given up its partitions: its operation has failed."""
    if not drain.is_over:
        work.refused(drain.operation_id, detail)


def over(work: "Work", drain: Drain) -> Drain:
    """The member has no partition any more: the operation has ended."""
    work.operated(drain.operation_id, ErrorCode.NONE, NO_PARTITIONS)
    return drain._replace(is_over=True)


def looked(work: "Work", row: MemberRow) -> MemberRow:
    """The row of a member that has no partitions: the operation of its drain has ended."""
    drain = of(row)
    return row if drain is None or drain.is_over else put(row, over(work, drain))


def gone(work: "Work", drain: Drain | None, departure: Departure) -> None:
    """A member's life ended, and it has no partition any more; one that is replaced keeps its
    drain."""
    if drain is not None and not drain.is_over and departure is not Departure.REPLACED:
        work.operated(drain.operation_id, ErrorCode.NONE, f"the member is gone ({departure})")
