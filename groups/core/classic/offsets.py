"""Rules of committed offsets, and of deleting a group, for classic and simple groups.

The handlers have checked topics, partitions and the length of metadata. Offsets are rows and not
in memory: a step only decides what to write and what to delete.
"""

from collections.abc import Mapping
from typing import Final

from groups.core import offset_rules, transactional_offsets
from groups.core.classic.live import Live
from groups.core.classic.states import COMPLETING, EMPTY, PREPARING
from groups.core.classic.work import Work, stranger
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
from groups.core.group import Millis
from groups.core.replies import Committed, Deleted
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.core.subscription import metadata_of, topics_of_all
from groups.core.transactions import GROUP_ERRORS_SINCE

NONE: Final = ErrorCode.NONE  # a look-up in an enumeration takes 0.1 us

CONSUMER_PROTOCOL_TYPE = "consumer"
"""The protocol type whose metadata are subscriptions that can be decoded."""

FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND = 9


def commit(work: Work, event: OffsetCommit) -> None:
    """Accept a commit or refuse it as a whole; a commit also keeps its member alive (HB-05)."""
    if not work.exists:
        _check_missing_group(event, FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND)
    elif code := verdict(work.row, work.members, work.live, event):
        raise Refuse(code)
    if not work.exists and event.offsets:
        _make_simple_group(work)
    work.hear(event.member_id)
    offset_rules.commit(work, event)
    work.answer(event.ticket, Committed())


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
    if not work.exists and event.offsets:
        _make_simple_group(work)
    transactional_offsets.add(work.pending, event)
    work.answer(event.ticket, Committed())


def _make_simple_group(work: Work) -> None:
    """Create a group that only has offsets: Empty, no protocol type, generation 0."""
    work.set_row(state=EMPTY)


def delete_offsets(work: Work, event: OffsetDelete) -> None:
    """Delete offsets of partitions whose topic no member subscribes to (KIP-496)."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    if work.state != EMPTY and work.row.protocol_type != CONSUMER_PROTOCOL_TYPE:
        raise Refuse(ErrorCode.NON_EMPTY_GROUP)
    offset_rules.delete(work, event, subscribed_topics(Durable(work.row, work.members)))


def subscribed_topics(durable: Durable) -> frozenset[str] | None:
    """The topics that the members of a classic group consume; None: possibly any topic.

    An empty group subscribes to none. A group with members of another protocol type than
    "consumer", or before its first generation, may use any topic.
    """
    group = durable.group
    if group.state == EMPTY:
        return frozenset()
    if group.protocol_type != CONSUMER_PROTOCOL_TYPE or group.protocol_name is None:
        return None
    name = group.protocol_name
    return topics_of_all(metadata_of(row.subscription, name) for row in durable.members.values())


def delete_group(work: Work, event: DeleteGroup) -> None:
    """Delete an empty group with its offsets; handed-out member ids go with it (KIP-229)."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    if work.state != EMPTY or work.live.joins:  # new members of a frozen group wait
        raise Refuse(ErrorCode.NON_EMPTY_GROUP)
    if work.has_row:
        offset_rules.delete_group(work, event.trigger, event.reason, event.author)
    else:
        live = work.change()
        live.pending.clear()
        live.awaited.clear()
    work.answer(event.ticket, Deleted())


def remove_group(work: Work, event: RemoveGroup) -> None:
    """The same as an operation, which gets the result."""
    offset_rules.remove_group(work, event, delete_group)


def expire(work: Work, event: ExpireOffsets) -> None:
    """Delete expired offsets, and an empty group that has none left (KIP-211)."""
    rebalances = work.state in (PREPARING, COMPLETING)
    if offset_rules.is_at_rest(work, event, exists=work.has_row, rebalances=rebalances):
        is_empty = work.state == EMPTY and not work.live.joins
        forget = offset_rules.delete_group if is_empty else None
        offset_rules.expire(work, event, _expired(work, event), forget)


def restore(work: Work, event: RestoreOffsets | ResetOffsets) -> None:
    """An operation: restore or reset offsets, if no member can commit to them."""
    offset_rules.restore(work, event, exists=work.has_row, has_members=work.state != EMPTY)


def _expired(work: Work, event: ExpireOffsets) -> list[tuple[str, int]]:
    """The expired offsets; none while members may use any topic. Retention starts when the last
    member leaves, or in a group that never had members with each commit."""
    topics = subscribed_topics(Durable(work.row, work.members))
    if topics is None:
        return []
    since_empty = work.state == EMPTY and bool(work.row.protocol_type)
    return offset_rules.overdue(work, event, topics, since_empty=since_empty)
