"""Offsets in one step, the same for every kind of group: written, deleted, expired, restored.

What happens once a kind has agreed. Who may commit, which topics are in use and when a group is at
rest is each kind's own (its ``offsets.py``) and never asked here. Offsets themselves are rows: a
step only says what to write and what to delete.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Final, Protocol, TypeVar

from groups.core import pending
from groups.core.errors import ErrorCode
from groups.core.events import ExpireOffsets, OffsetDelete, OffsetWrite, RestoreOffsets, Ticket
from groups.core.expiry import MS_PER_MINUTE, expired
from groups.core.group import JournalEntry, Rules
from groups.core.replies import OffsetsDeleted, Reply
from groups.core.rows import GroupRow

OPERATOR: Final = "operator"
RETENTION: Final = "retention"

Partition = tuple[str, int]


class Keeps(Protocol):
    """What a kind's working copy has of offsets, and of those who ask about them."""

    rules: Rules
    row: GroupRow
    journal: list[JournalEntry]
    offsets: dict[Partition, OffsetWrite]
    offset_deletes: dict[Partition, None]
    pending: pending.Pending

    def answer(self, ticket: Ticket | None, reply: Reply) -> None:
        """Send a reply once the batch has committed."""
        ...

    def operated(self, operation_id: int, error: ErrorCode, detail: str) -> None:
        """How an operator's verb, or a sweep's, ended."""
        ...


class Forgets(Keeps, Protocol):
    """A working copy of a kind whose groups are forgotten as they stand."""

    def forget_group(self) -> None:
        """Start over as the group that has no row."""
        ...


W = TypeVar("W", bound=Keeps)


def commit(work: Keeps, writes: Sequence[OffsetWrite]) -> None:
    """These stand from now on, over what was deleted or waits for the end of a transaction."""
    for write in writes:
        at = (write.topic, write.partition)
        work.offsets[at] = write
        work.offset_deletes.pop(at, None)
    if work.pending:
        pending.supersede(work.pending, writes)


def delete(work: Keeps, event: OffsetDelete, in_use: Collection[str] | None) -> None:
    """Forget offsets of partitions whose topic is not in use (KIP-496); None: any may be."""
    codes: dict[Partition, ErrorCode] = {}
    for at in event.partitions:
        if in_use is None or at[0] in in_use:
            codes[at] = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
        else:
            codes[at] = ErrorCode.NONE
            work.offset_deletes[at] = None
            work.offsets.pop(at, None)
            pending.forget(work.pending, at)
    work.answer(event.ticket, OffsetsDeleted(partitions=codes))


def overdue(
    work: Keeps, event: ExpireOffsets, in_use: Collection[str], *, since_empty: bool
) -> list[Partition]:
    """Whose time is over. ``since_empty``: it began when the group's last member went, and not
    with each commit."""
    retention_ms = work.rules.offsets_retention_minutes * MS_PER_MINUTE
    empty_ms = event.state_age_ms if since_empty else None
    return expired(event.ages, retention_ms, empty_ms, in_use)


def expire(
    work: W,
    event: ExpireOffsets,
    gone: Collection[Partition],
    forget: Callable[[W, str, str], None] | None,
) -> None:
    """Forget the offsets, and with its last one a group without members (KIP-211).

    ``forget`` takes the trigger and the reason; None: the group stays whatever is left.
    """
    detail = f"{len(gone)} of {len(event.ages)} offsets expired"
    if forget is not None and len(gone) == len(event.ages):
        forget(work, RETENTION, "it has no members, and no offsets any more")
        detail = "the group was deleted"
    elif gone:
        work.offset_deletes.update(dict.fromkeys(gone))
        _note(work, "offsets-expired", RETENTION, "", offsets=len(gone))
    work.operated(event.operation_id, ErrorCode.NONE, detail)


def is_at_rest(work: Keeps, event: ExpireOffsets, *, exists: bool, rebalances: bool) -> bool:
    """Whether offsets may expire now: a rebalance is never disturbed, the next sweep comes soon
    enough. The sweep hears it if not."""
    if exists and not rebalances:
        return True
    detail = "the group is rebalancing" if exists else "the group is gone"
    work.operated(event.operation_id, ErrorCode.NONE, detail)
    return False


def restore(work: Keeps, event: RestoreOffsets, *, exists: bool, has_members: bool) -> None:
    """An operator's verb: offsets as they were. Members would go on from where they are, and
    commit over it, so there must be none."""
    if has_members or not exists:
        detail = "the group has members; stop them first" if exists else "the group is gone"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    for write in event.offsets:
        work.offsets[write.topic, write.partition] = write
    reason = f"{event.actor} took them back to {event.to}: {event.reason}"
    _note(work, "offsets-restored", OPERATOR, reason, offsets=len(event.offsets))
    detail = f"{len(event.offsets)} offsets are as they were at {event.to}"
    work.operated(event.operation_id, ErrorCode.NONE, detail)


def delete_group(work: Forgets, trigger: str = "", reason: str = "") -> None:
    """The group goes, and its offsets with it."""
    _note(work, "group-deleted", trigger, reason, protocol_type=work.row.protocol_type)
    work.forget_group()


def _note(work: Keeps, kind: str, trigger: str, reason: str, **details: object) -> None:
    now = work.row.generation
    work.journal.append(
        JournalEntry(
            kind, trigger, reason, generation_before=now, generation_after=now, details=details
        )
    )
