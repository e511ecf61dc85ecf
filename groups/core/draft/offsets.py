"""Offsets of draft groups: who may commit, and which may be deleted. Offsets are rows."""

from groups.core import offset_rules, row_packing, transactional_offsets
from groups.core.draft.states import EMPTY, PREPARING
from groups.core.draft.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import (
    DeleteGroup,
    ExpireOffsets,
    OffsetCommit,
    OffsetDelete,
    RemoveGroup,
    ResetOffsets,
    RestoreOffsets,
    TxnOffsetCommit,
)
from groups.core.replies import Committed, Deleted


def commit(work: Work, event: OffsetCommit) -> None:
    """Accept a commit or refuse it as a whole. Commits are accepted during a rebalance: until it
    ends the generation is the old one, and it is the last chance (Offset commits during rebalance,
    1-3). A commit is no sign of life: only heartbeats and joins are."""
    if work.members:
        _check(work, event)
    elif event.generation_id >= 0:
        raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    if not work.exists and event.offsets:
        work.set_row(state=EMPTY)
    offset_rules.commit(work, event)
    work.answer(event.ticket, Committed())


def _check(work: Work, event: OffsetCommit | TxnOffsetCommit) -> None:
    """A wrong generation: an older one is fenced, a higher one is a defect of the consumer."""
    row = work.members.get(event.member_id)
    if row is None:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    if event.generation_id != work.row.generation:
        raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    owned = row_packing.parts_in(row.assignment)
    if any((write.topic, write.partition) not in owned for write in event.offsets):
        raise Refuse(ErrorCode.COMMITTING_PARTITIONS_NOT_ASSIGNED)


def commit_in_transaction(work: Work, event: TxnOffsetCommit) -> None:
    """Store offsets until the transaction ends. The draft had no transactions; a request without a
    member is accepted, as in every kind of group."""
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
    transactional_offsets.add(work.pending, event)
    work.answer(event.ticket, Committed())


def subscribed(work: Work) -> frozenset[str]:
    """Every topic that a member subscribes to."""
    rows = work.members.values()
    return frozenset().union(*(row_packing.topics_in(row.subscription) for row in rows))


def delete_offsets(work: Work, event: OffsetDelete) -> None:
    """Delete offsets of topics that no member subscribes to (KIP-496)."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    offset_rules.delete(work, event, subscribed(work))


def delete_group(work: Work, event: DeleteGroup) -> None:
    """Delete an empty group with its offsets (KIP-229)."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    if work.state != EMPTY:
        raise Refuse(ErrorCode.NON_EMPTY_GROUP)
    offset_rules.delete_group(work, event.trigger, event.reason, event.author)
    work.answer(event.ticket, Deleted())


def remove_group(work: Work, event: RemoveGroup) -> None:
    """The same as an operation, which gets the result."""
    offset_rules.remove_group(work, event, delete_group)


def expire(work: Work, event: ExpireOffsets) -> None:
    """Delete expired offsets, and an empty group that has none left (KIP-211).

    For a group that had members the time runs from the departure of the last one, as in a classic
    group.
    """
    rebalances = work.state == PREPARING
    if offset_rules.is_at_rest(work, event, exists=work.exists, rebalances=rebalances):
        is_empty = work.state == EMPTY
        since_empty = is_empty and bool(work.row.protocol_type)
        gone = offset_rules.overdue(work, event, subscribed(work), since_empty=since_empty)
        offset_rules.expire(work, event, gone, offset_rules.delete_group if is_empty else None)


def restore(work: Work, event: RestoreOffsets | ResetOffsets) -> None:
    """An operation: restore or reset offsets, if no member can commit over them."""
    offset_rules.restore(work, event, exists=work.exists, has_members=work.state != EMPTY)
