"""JoinGroup of the draft: which consumers are in the next generation, and which get a reply at
once.

Only this file adds consumers. ``join_phase`` decides when the generation begins.
"""

from collections.abc import Sequence

from groups.core import row_packing
from groups.core.draft import guards, join_phase, strategies
from groups.core.draft.live import Join
from groups.core.draft.states import EMPTY, STABLE
from groups.core.draft.work import EXCLUDED, Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DraftJoin, Ticket
from groups.core.journal import Trigger
from groups.core.rebalance_cause import Cause
from groups.core.replies import DraftJoined
from groups.core.rows import MemberRow

PROTOCOL_TYPE = "consumer"

FEW_BYTES = 4_096
"""Maximum length of a list of topics that is always accepted: those of all consumers that a group
may have are 40 MB."""

TOPICS_MAX = 200_000
"""Different topics that the consumers of a group name: each generation reads their counts."""

WANTS = "it wants other topics"

SUPERSEDED = ErrorCode.ILLEGAL_GENERATION
"""The reply to the older of two joins of one consumer: join again, as it did."""


def join_group(work: Work, event: DraftJoin) -> None:
    """Hold the join until all have joined; reply at once if nothing changes."""
    _check_request(work, event)
    _check_group(work, event)
    row = work.members.get(event.consumer_id)
    if row is not None and work.state == STABLE and _has_same_topics(row, event):
        work.hear(event.consumer_id)
        work.answer(event.ticket, join_phase.joined(work, event.consumer_id))
        return
    if guards.holds(work):
        subscription = row_packing.pack_topics(event.strategy, event.topics)
        guards.admit(work, event, row, subscription)
        _count_topics(work, event)
        who = (event.consumer_id, event.client_id)
        join_phase.start(work, Cause(Trigger.METADATA_CHANGED, WANTS, *who))
        work.hear(event.consumer_id)
        work.answer(event.ticket, join_phase.joined(work, event.consumer_id))
        return
    if work.state == EMPTY:
        work.set_row(protocol_type=PROTOCOL_TYPE, protocol_name=event.strategy)
    _count_topics(work, event)
    cause = _hold_newcomer(work, event) if row is None else _hold_member(work, event, row)
    join_phase.start(work, cause)


def _count_topics(work: Work, event: DraftJoin) -> None:
    work.change().count({name: event.counts.get(name, 0) for name in event.topics})


def _check_request(work: Work, event: DraftJoin) -> None:
    rules = work.rules
    if strategies.find(event.strategy, rules.strategies) is None:
        raise Refuse(ErrorCode.UNKNOWN_PARTITION_ASSIGNMENT_STRATEGY)
    least, most = rules.consumer_min_session_timeout_ms, rules.consumer_max_session_timeout_ms
    if not least <= event.session_timeout_ms <= most:
        raise Refuse(ErrorCode.INVALID_SESSION_TIMEOUT)


def _check_group(work: Work, event: DraftJoin) -> None:
    """Refuse in the order of the 2015 code: a missing group, the strategy, the id."""
    known = (
        not event.consumer_id
        or event.consumer_id in work.members
        or event.consumer_id in work.row.details.get(EXCLUDED, ())
    )
    if work.state != EMPTY and event.strategy != work.row.protocol_name:
        raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    if not known:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    size = len(work.members) + len(work.live.newcomers)
    if event.consumer_id not in work.members and size >= work.rules.group_max_size:
        raise Refuse(ErrorCode.GROUP_MAX_SIZE_REACHED)
    _check_room(work, event)


def _check_room(work: Work, event: DraftJoin) -> None:
    """Refuse topics if the group's consumers name too many. The bytes of short lists are limited by
    the number of consumers."""
    size, live = _bytes_of(event.topics), work.live
    more = sum(topic not in live.counts for topic in event.topics)
    if more and len(live.counts) + more > TOPICS_MAX:
        raise Refuse(ErrorCode.GROUP_MAX_SIZE_REACHED)
    if size <= FEW_BYTES:
        return
    rows = {row.member_id: row for row in work.members.values()}
    rows.update({join.row.member_id: join.row for join in live.joins.values()})
    rows.pop(event.consumer_id, None)
    size += sum(len(row.subscription) for row in rows.values())
    size += sum(len(join.row.subscription) for join in live.newcomers)
    if size > work.rules.group_consumer_metadata_max_bytes:
        raise Refuse(ErrorCode.GROUP_MAX_SIZE_REACHED)


def _bytes_of(topics: Sequence[str]) -> int:
    return sum(map(len, topics)) + 2 * len(topics)


def _has_same_topics(row: MemberRow, event: DraftJoin) -> bool:
    return row_packing.topics_in(row.subscription) == frozenset(event.topics)


def _row(event: DraftJoin, position: int, assignment: bytes = b"") -> MemberRow:
    return MemberRow(
        member_id=event.consumer_id,
        instance_id=None,
        client_id=event.client_id,
        client_host=event.client_host,
        session_timeout_ms=event.session_timeout_ms,
        rebalance_timeout_ms=event.session_timeout_ms,
        position=position,
        subscription=row_packing.pack_topics(event.strategy, event.topics),
        assignment=assignment,
    )


def _hold_member(work: Work, event: DraftJoin, member: MemberRow) -> Cause:
    """Hold a member's join; if it was a suspect it is alive again (Slow consumers, 5)."""
    live, consumer_id = work.change(), event.consumer_id
    first = live.suspects.pop(consumer_id, work.now)
    before = live.joins.get(consumer_id)
    if before is not None:
        _supersede(work, before.ticket, consumer_id)
        first = before.first
    row = _row(event, member.position, member.assignment)
    live.joins[consumer_id] = Join(row, event.ticket, work.now, event.client, first)
    return Cause(Trigger.METADATA_CHANGED, WANTS, consumer_id, event.client_id)


def _hold_newcomer(work: Work, event: DraftJoin) -> Cause:
    """Hold the join of a consumer without a row; one that was left out keeps its id (Slow
    consumers, 6 and 7)."""
    newcomers = work.change().newcomers
    if event.consumer_id:  # few have one; without it consumers cannot be told apart
        for join in [j for j in newcomers if j.row.member_id == event.consumer_id]:
            _supersede(work, join.ticket, event.consumer_id)
            newcomers.remove(join)
    newcomers.append(Join(_row(event, 0), event.ticket, work.now, event.client))
    reason = "it was left out of the last round" if event.consumer_id else "it has no id yet"
    return Cause(Trigger.MEMBER_JOINED, reason, event.consumer_id or None, event.client_id)


def _supersede(work: Work, ticket: Ticket | None, consumer_id: str) -> None:
    work.answer(ticket, DraftJoined(error=SUPERSEDED, consumer_id=consumer_id))
