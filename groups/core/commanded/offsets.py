"""Offsets of commanded groups: who may commit, and what may be deleted. Offsets are rows."""

from groups.core import pending
from groups.core.commanded import interests
from groups.core.commanded.states import EMPTY, OPERATOR, RETENTION
from groups.core.commanded.work import Work
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
    """Accept a commit or refuse it as a whole. Until it acknowledges stop-fetcher a consumer
    commits in the generation that it started with; the next one begins only then."""
    _check(work, event)
    if not work.exists and event.offsets:
        work.set_row(state=EMPTY)
    for write in event.offsets:
        at = (write.topic, write.partition)
        work.offsets[at] = write
        work.offset_deletes.pop(at, None)
    pending.supersede(work.pending, event.offsets)
    work.answer(event.ticket, Committed())


def _check(work: Work, event: OffsetCommit | TxnOffsetCommit) -> None:
    """An older generation is fenced; so is one who is out, whatever it says."""
    if not work.members:
        if event.generation_id >= 0:
            raise Refuse(ErrorCode.ILLEGAL_GENERATION)
        return
    row = work.members.get(event.member_id)
    if row is None or interests.is_expelled(row):
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    if event.generation_id != work.row.generation:
        raise Refuse(ErrorCode.ILLEGAL_GENERATION)


def commit_in_transaction(work: Work, event: TxnOffsetCommit) -> None:
    """Let offsets wait for the end of a transaction. Producers that name no member are believed,
    as in every kind of group."""
    if event.member_id or event.generation_id >= 0:
        _check(work, event)
    if not work.exists and event.offsets:
        work.set_row(state=EMPTY)
    pending.add(work.pending, event)
    work.answer(event.ticket, Committed())


def _worked_on(work: Work) -> frozenset[str]:
    """Every topic that a consumer works for."""
    return frozenset().union(*map(interests.topics_in, work.members.values()))


def delete_offsets(work: Work, event: OffsetDelete) -> None:
    """Forget offsets of topics that no consumer works for (KIP-496)."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    topics = _worked_on(work)
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
    if work.members:
        raise Refuse(ErrorCode.NON_EMPTY_GROUP)
    _delete(work)
    work.answer(event.ticket, Deleted())


def _delete(work: Work, **why: str) -> None:
    work.note("group-deleted", details={"protocol_type": work.row.protocol_type}, **why)
    work.forget_group()


def expire(work: Work, event: ExpireOffsets) -> None:
    """Forget offsets whose time is over, and an empty group that has none left (KIP-211)."""
    if not work.exists:
        work.operated(event.operation_id, ErrorCode.NONE, "the group is gone")
        return
    had_members = work.state == EMPTY and work.row.protocol_type
    retention_ms = work.rules.offsets_retention_minutes * MS_PER_MINUTE
    empty_ms = event.state_age_ms if had_members else None
    due = expired(event.ages, retention_ms, empty_ms, _worked_on(work))
    detail = f"{len(due)} of {len(event.ages)} offsets expired"
    if work.state == EMPTY and len(due) == len(event.ages):
        _delete(work, trigger=RETENTION, reason="it has no members, and no offsets any more")
        detail = "the group was deleted"
    elif due:
        work.offset_deletes.update(dict.fromkeys(due))
        work.note("offsets-expired", trigger=RETENTION, details={"offsets": len(due)})
    work.operated(event.operation_id, ErrorCode.NONE, detail)


def restore(work: Work, event: RestoreOffsets) -> None:
    """An operator's verb: offsets as they were, where no consumer would commit over them."""
    if not work.exists or work.members:
        detail = "the group has members; stop them first" if work.members else "the group is gone"
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
