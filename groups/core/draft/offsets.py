"""Who may commit offsets to a draft group."""

from typing import Final

from groups.core import offset_rules, row_packing
from groups.core.draft.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DraftCommit, OffsetCommit, TxnOffsetCommit
from groups.core.step import Handlers


def commit(work: Work, event: OffsetCommit) -> None:
    """Accept a commit or refuse it as a whole. Commits are accepted during a rebalance: until it
    ends the generation is the old one, and it is the last chance (Offset commits during rebalance,
    1-3). A commit is no sign of life: only heartbeats and joins are."""
    if work.members:
        _check(work, event)
    elif event.generation_id >= 0:
        raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    offset_rules.commit(work, event)


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
    offset_rules.commit_pending(work, event)


HANDLERS: Final[Handlers[Work]] = {
    **offset_rules.HANDLERS,
    OffsetCommit: commit,
    DraftCommit: commit,
    TxnOffsetCommit: commit_in_transaction,
}
