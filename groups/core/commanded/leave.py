"""Consumers that go: by LeaveGroup, by silence, for not acknowledging, by an operator's hand.

Who says that it has stopped, or was silent for a session, is gone at once: it works on nothing any
more (a consumer reckons its own end: docs/commanded.md). Anybody else is *expelled*: nothing is
sent to it, its polls are refused, and its partitions are given to nobody before its session is
over, or it says that it knows. Until then the others go on without them.
"""

from collections.abc import Iterable
from dataclasses import replace

from groups.core.commanded import rebalance, thread_offers
from groups.core.commanded.states import (
    EMPTY,
    MEMBER_LEFT,
    NOT_ACKNOWLEDGED,
    OPERATOR,
    SESSION_EXPIRED,
    STABLE,
)
from groups.core.commanded.work import Work
from groups.core.errors import ErrorCode
from groups.core.events import EvictMember, ForceRebalance, LeaveGroup
from groups.core.journal import EntryKind
from groups.core.rebalance_cause import Cause, await_generation, may_force
from groups.core.replies import Left
from groups.core.rows import MemberRow
from groups.core.step import NAMED_MAX


def leave_group(work: Work, event: LeaveGroup) -> None:
    """Each leaver by its consumer id; it has stopped its fetchers before."""
    codes: list[ErrorCode] = []
    left: list[tuple[MemberRow, str]] = []
    for leaver in event.members:
        row = work.members.get(leaver.member_id)
        codes.append(ErrorCode.UNKNOWN_MEMBER_ID if row is None else ErrorCode.NONE)
        if row is not None:
            left.append((row, leaver.reason or ""))
            remove(work, row.member_id)
    work.answer(event.ticket, Left(ErrorCode.NONE, tuple(codes)))
    if left:
        first, said = left[0]
        what = "a consumer left the group"
        gone(work, Cause(MEMBER_LEFT, what, first.member_id, first.client_id, said))


def remove(work: Work, member_id: str) -> None:
    """Its row and its commands go at once."""
    work.drop(member_id)
    live = work.change()
    live.left = (*live.left, member_id)


def gone(work: Work, cause: Cause) -> None:
    """Members went: the others rebalance. Where nobody is left, that was why."""
    if work.members:
        rebalance.queue(work, cause)
    else:
        work.emptied_by = cause


def expel(work: Work, row: MemberRow, cause: Cause) -> None:
    """Out, but not to be replaced yet; who owns nothing has nothing to stop, and goes at once."""
    if not thread_offers.parts_in(row):
        remove(work, row.member_id)
        gone(work, cause)
        return
    details = {**row.details, thread_offers.EXPELLED: cause._asdict()}
    work.put(replace(row, commands=(), details=details))


def expire(work: Work) -> None:
    """Whoever was not heard of for its session is gone (the design: its ephemeral node), and so is
    by then whoever was expelled."""
    rows = [row for row in work.members.values() if work.now >= work.live.deadline(row)]
    for row in rows:
        remove(work, row.member_id)
    silent = [row for row in rows if not thread_offers.is_expelled(row)]
    for row in rows:
        if thread_offers.is_expelled(row):
            gone(work, Cause.of(row.details[thread_offers.EXPELLED]))
    if silent:
        who = "a consumer was" if len(silent) == 1 else f"{len(silent)} consumers were"
        first = silent[0]
        reason = f"{who} not heard of in time"
        gone(work, Cause(SESSION_EXPIRED, reason, first.member_id, first.client_id))


def give_up(work: Work, late: Iterable[MemberRow]) -> None:
    """The last retry is over: ConsumerRebalanceFailed. Who does not acknowledge is expelled; the
    others go on, without what it may still work on."""
    late = list(late)
    option, first = late[0].commands[0].option, late[0]
    retries = work.rules.rebalance_max_retries
    who = "a consumer" if len(late) == 1 else f"{len(late)} consumers"
    reason = f"{who} did not acknowledge {option} after {retries} retries"
    ids = [row.member_id for row in late]
    work.note(
        EntryKind.CONSUMER_REBALANCE_FAILED,
        trigger=NOT_ACKNOWLEDGED,
        reason=reason,
        member_id=first.member_id,
        client_id=first.client_id,
        duration_ms=work.now - work.live.started_at,
        left=tuple(ids[:NAMED_MAX]),
        details={"option": option, "retries": retries, "left": len(late)},
    )
    for row in late:
        expel(work, row, Cause(NOT_ACKNOWLEDGED, reason, row.member_id, row.client_id))


def force_rebalance(work: Work, event: ForceRebalance) -> None:
    """An operator has every fetcher stopped and started, necessary or not."""
    is_empty, rebalances = work.state == EMPTY, work.state != STABLE
    if may_force(work, event, is_empty=is_empty, rebalances=rebalances):
        await_generation(work, event, "consumers", "stop and start")
        reason = f"{event.actor} forced it: {event.reason}"
        rebalance.queue(work, Cause(OPERATOR, reason), forced=True)


def evict_member(work: Work, event: EvictMember) -> None:
    """An operator removes a consumer; the others rebalance once it must have stopped."""
    row = work.members.get(event.member_id)
    if row is None or thread_offers.is_expelled(row):
        detail = "the group has no such member"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    reason = f"{event.actor} evicted a member: {event.reason}"
    cause = Cause(OPERATOR, reason, row.member_id, row.client_id)
    work.note(EntryKind.MEMBER_EXPELLED, **cause._asdict())
    expel(work, row, cause)
    detail = "the member was removed"
    if row.member_id in work.members:
        detail += "; others get its partitions once it knows, or its session is over"
    work.operated(event.operation_id, ErrorCode.NONE, detail)
