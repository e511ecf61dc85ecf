"""Who may commit offsets to a commanded group."""

from typing import Final

from groups.core import commands, offset_rules
from groups.core.commanded.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DraftCommit, OffsetCommit, TxnOffsetCommit
from groups.core.step import Handlers


def commit(work: Work, event: OffsetCommit) -> None:
    """Accept a commit or refuse it as a whole. Until a consumer acknowledges stop-fetcher it
    commits in its old generation; the next one begins only then."""
    _check(work, event)
    offset_rules.commit(work, event)


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
    offset_rules.commit_pending(work, event)


HANDLERS: Final[Handlers[Work]] = {
    **offset_rules.HANDLERS,
    OffsetCommit: commit,
    DraftCommit: commit,
    TxnOffsetCommit: commit_in_transaction,
}
