"""Offsets of commanded groups: who may commit, and which may be deleted. Offsets are rows."""

from groups.core import commands, offset_rules, transactional_offsets
from groups.core.commanded import thread_offers
from groups.core.commanded.states import EMPTY
from groups.core.commanded.work import Work
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
    """Accept a commit or refuse it as a whole. Until a consumer acknowledges stop-fetcher it
    commits in its old generation; the next one begins only then."""
    _check(work, event)
    if not work.exists and event.offsets:
        work.set_row(state=EMPTY)
    offset_rules.commit(work, event)
    work.answer(event.ticket, Committed())


def _check(work: Work, event: OffsetCommit | TxnOffsetCommit) -> None:
    """Commits in an older generation are fenced; those of an expelled consumer are refused
    always."""
    if not work.members:
        if event.generation_id >= 0:
            raise Refuse(ErrorCode.ILLEGAL_GENERATION)
        return
    row = work.members.get(event.member_id)
    if row is None or commands.is_expelled(row):
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    if event.generation_id != work.row.generation:
        raise Refuse(ErrorCode.ILLEGAL_GENERATION)


def commit_in_transaction(work: Work, event: TxnOffsetCommit) -> None:
    """Store offsets until the transaction ends. A request without a member is accepted, as in every
    kind of group."""
    if event.member_id or event.generation_id >= 0:
        _check(work, event)
    if not work.exists and event.offsets:
        work.set_row(state=EMPTY)
    transactional_offsets.add(work.pending, event)
    work.answer(event.ticket, Committed())


def _worked_on(work: Work) -> frozenset[str]:
    """Every topic that a consumer works on."""
    return frozenset().union(*map(thread_offers.topics_in, work.members.values()))


def delete_offsets(work: Work, event: OffsetDelete) -> None:
    """Delete offsets of topics that no consumer works on (KIP-496)."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    offset_rules.delete(work, event, _worked_on(work))


def delete_group(work: Work, event: DeleteGroup) -> None:
    """Delete an empty group with its offsets (KIP-229)."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    if work.members:
        raise Refuse(ErrorCode.NON_EMPTY_GROUP)
    offset_rules.delete_group(work, event.trigger, event.reason, event.author)
    work.answer(event.ticket, Deleted())


def remove_group(work: Work, event: RemoveGroup) -> None:
    """The same as an operation, which gets the result."""
    offset_rules.remove_group(work, event, delete_group)


def expire(work: Work, event: ExpireOffsets) -> None:
    """Delete expired offsets, and an empty group that has none left (KIP-211)."""
    if offset_rules.is_at_rest(work, event, exists=work.exists, rebalances=False):
        is_empty = work.state == EMPTY
        since_empty = is_empty and bool(work.row.protocol_type)
        gone = offset_rules.overdue(work, event, _worked_on(work), since_empty=since_empty)
        offset_rules.expire(work, event, gone, offset_rules.delete_group if is_empty else None)


def restore(work: Work, event: RestoreOffsets | ResetOffsets) -> None:
    """An operation: restore or reset offsets, if no consumer can commit over them."""
    offset_rules.restore(work, event, exists=work.exists, has_members=bool(work.members))
