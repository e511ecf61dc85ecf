"""Who may commit offsets to a classic or simple group.

The handlers have checked topics, partitions and the length of metadata.
"""

from collections.abc import Mapping
from typing import Final

from groups.core import offset_rules
from groups.core.classic.live import Live
from groups.core.classic.states import COMPLETING, EMPTY
from groups.core.classic.work import CONSUMER_PROTOCOL_TYPE, Work, stranger
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DraftCommit, OffsetCommit, OffsetDelete, TxnOffsetCommit
from groups.core.group import Millis
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.core.step import Handlers
from groups.core.transactions import GROUP_ERRORS_SINCE

NONE: Final = ErrorCode.NONE  # a look-up in an enumeration takes 0.1 us

FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND = 9


def commit(work: Work, event: OffsetCommit) -> None:
    """Accept a commit or refuse it as a whole; a commit also keeps its member alive (HB-05)."""
    if not work.exists:
        _check_missing_group(event, FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND)
    elif code := verdict(work.row, work.members, work.live, event):
        raise Refuse(code)
    work.hear(event.member_id)
    offset_rules.commit(work, event)


def _check_missing_group(event: OffsetCommit | TxnOffsetCommit, not_found_since: int) -> None:
    if event.generation_id < 0:
        return
    if event.version >= not_found_since:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    raise Refuse(ErrorCode.ILLEGAL_GENERATION)


def verdict(
    row: GroupRow, members: Mapping[str, MemberRow], live: Live, event: OffsetCommit
) -> ErrorCode:
    """Whether a group that exists takes a commit; refusals in Kafka's order. PreparingRebalance
    accepts: it is the last chance of a member to commit before its partitions are given to
    others."""
    if event.generation_id < 0:
        if row.state == EMPTY:
            return NONE
        if not event.member_id and event.instance_id is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
    if code := stranger(members, live, event.member_id, event.instance_id):
        return code
    if event.generation_id != row.generation:
        return ErrorCode.ILLEGAL_GENERATION
    return ErrorCode.REBALANCE_IN_PROGRESS if row.state == COMPLETING else NONE


def judge(durable: Durable, live: Live, event: OffsetCommit, now: Millis) -> ErrorCode | None:
    """The same without a step; None where a step would do more than answer."""
    if not durable.exists or live.recovering or live.put_off is not None:
        return None
    code = verdict(durable.group, durable.members, live, event)
    if not code and (beat := live.beats.get(event.member_id)) is not None:
        beat.at = now
    return code


def commit_in_transaction(work: Work, event: TxnOffsetCommit) -> None:
    """Store offsets until the transaction ends. A request without a member is accepted, even for a
    group with members, and during a rebalance: old producers send no member."""
    names_member = event.generation_id >= 0 or event.member_id or event.instance_id is not None
    if not work.exists:
        _check_missing_group(event, GROUP_ERRORS_SINCE)
    elif names_member and not (event.generation_id < 0 and work.state == EMPTY):
        work.member_or_refuse(event.member_id, event.instance_id)
        if event.generation_id != work.row.generation:
            raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    offset_rules.commit_pending(work, event)


def delete_offsets(work: Work, event: OffsetDelete) -> None:
    """Of members of another protocol type it is not known what they consume."""
    if work.exists and work.state != EMPTY and work.row.protocol_type != CONSUMER_PROTOCOL_TYPE:
        raise Refuse(ErrorCode.NON_EMPTY_GROUP)
    offset_rules.delete_offsets(work, event)


HANDLERS: Final[Handlers[Work]] = {
    **offset_rules.HANDLERS,
    OffsetCommit: commit,
    DraftCommit: commit,
    TxnOffsetCommit: commit_in_transaction,
    OffsetDelete: delete_offsets,
}
