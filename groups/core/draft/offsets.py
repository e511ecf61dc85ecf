"""Offsets of draft groups: who may commit, and what may be deleted. Offsets themselves are rows."""

from groups.core import pending
from groups.core.draft import packing
from groups.core.draft.states import EMPTY, OPERATOR, PREPARING, RETENTION
from groups.core.draft.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import (
    DeleteGroup,
    ExpireOffsets,
    OffsetCommit,
    OffsetDelete,
    RestoreOffsets,
    TxnOffsetCommit,
)
from groups.core.expiry import MS_PER_MINUTE, expired
from groups.core.replies import Committed, Deleted, OffsetsDeleted


def commit(work: Work, event: OffsetCommit) -> None:
    """Accept a commit or refuse it as a whole. A rebalance is no hindrance: until it ends the
    generation is the old one, and it is the last chance (Offset commits during rebalance, 1-3).
    It is no sign of life either: only heartbeats and joins are."""
    if work.members:
        _check(work, event)
    elif event.generation_id >= 0:
        raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    if not work.exists and event.offsets:
        work.set_row(state=EMPTY)
    for write in event.offsets:
        at = (write.topic, write.partition)
        work.offsets[at] = write
        work.offset_deletes.pop(at, None)
    pending.supersede(work.pending, event.offsets)
    work.answer(event.ticket, Committed())


def _check(work: Work, event: OffsetCommit | TxnOffsetCommit) -> None:
    """Both ways the generation is wrong: older is fenced, higher is a bug of the consumer's."""
    row = work.members.get(event.member_id)
    if row is None:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    if event.generation_id != work.row.generation:
        raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    owned = packing.parts_in(row.assignment)
    if any((write.topic, write.partition) not in owned for write in event.offsets):
        raise Refuse(ErrorCode.COMMITTING_PARTITIONS_NOT_ASSIGNED)


def commit_in_transaction(work: Work, event: TxnOffsetCommit) -> None:
    """Let offsets wait for the end of a transaction. The draft had none; producers that name no
    member are believed, as in every kind of group."""
    if not work.members:
        if event.generation_id >= 0:
            raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    elif event.generation_id >= 0 or event.member_id:
        if event.member_id not in work.members:
            raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
        if event.generation_id != work.row.generation:
            raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    if not work.exists and event.offsets:
        work.set_row(state=EMPTY)
    pending.add(work.pending, event)
    work.answer(event.ticket, Committed())


def subscribed(work: Work) -> frozenset[str]:
    """Every topic that a member subscribes to."""
    rows = work.members.values()
    return frozenset().union(*(packing.topics_in(row.subscription) for row in rows))


def delete_offsets(work: Work, event: OffsetDelete) -> None:
    """Forget offsets of topics that no member subscribes to (KIP-496)."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    topics = subscribed(work)
    codes: dict[tuple[str, int], ErrorCode] = {}
    for at in event.partitions:
        if at[0] in topics:
            codes[at] = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
        else:
            codes[at] = ErrorCode.NONE
            work.offset_deletes[at] = None
            work.offsets.pop(at, None)
            pending.forget(work.pending, at)
    work.answer(event.ticket, OffsetsDeleted(partitions=codes))


def delete_group(work: Work, event: DeleteGroup) -> None:
    """Delete an empty group with its offsets (KIP-229)."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    if work.state != EMPTY:
        raise Refuse(ErrorCode.NON_EMPTY_GROUP)
    _delete(work)
    work.answer(event.ticket, Deleted())


def _delete(work: Work, **why: str) -> None:
    work.note("group-deleted", details={"protocol_type": work.row.protocol_type}, **why)
    work.forget_group()


def expire(work: Work, event: ExpireOffsets) -> None:
    """Forget offsets whose time is over, and an empty group that has none left (KIP-211).

    A group that had members counts from the moment its last one went, as a classic one does.
    """
    if not work.exists or work.state == PREPARING:
        detail = "the group is rebalancing" if work.exists else "the group is gone"
        work.operated(event.operation_id, ErrorCode.NONE, detail)
        return
    gone = _expired(work, event)
    detail = f"{len(gone)} of {len(event.ages)} offsets expired"
    if work.state == EMPTY and len(gone) == len(event.ages):
        _delete(work, trigger=RETENTION, reason="it has no members, and no offsets any more")
        detail = "the group was deleted"
    elif gone:
        work.offset_deletes.update(dict.fromkeys(gone))
        work.note("offsets-expired", trigger=RETENTION, details={"offsets": len(gone)})
    work.operated(event.operation_id, ErrorCode.NONE, detail)


def _expired(work: Work, event: ExpireOffsets) -> list[tuple[str, int]]:
    had_members = work.state == EMPTY and work.row.protocol_type
    empty_ms = event.state_age_ms if had_members else None
    retention_ms = work.rules.offsets_retention_minutes * MS_PER_MINUTE
    return expired(event.ages, retention_ms, empty_ms, subscribed(work))


def restore(work: Work, event: RestoreOffsets) -> None:
    """An operator's verb: offsets as they were, where no member would commit over them."""
    if not work.exists or work.state != EMPTY:
        detail = "the group has members; stop them first" if work.exists else "the group is gone"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    for write in event.offsets:
        work.offsets[write.topic, write.partition] = write
    work.note(
        "offsets-restored",
        trigger=OPERATOR,
        reason=f"{event.actor} took them back to {event.to}: {event.reason}",
        details={"offsets": len(event.offsets)},
    )
    detail = f"{len(event.offsets)} offsets are as they were at {event.to}"
    work.operated(event.operation_id, ErrorCode.NONE, detail)
