"""Consumers that go: by LeaveGroup, by an operator's hand; and the rebalance that he forces."""

from collections.abc import Iterable

from groups.core.draft import join_phase
from groups.core.draft.states import EMPTY, MEMBER_LEFT, OPERATOR, PREPARING
from groups.core.draft.work import Work
from groups.core.errors import ErrorCode
from groups.core.events import EvictMember, ForceRebalance, LeaveGroup, MembersRefused
from groups.core.rebalance_cause import Cause, await_generation, may_force
from groups.core.replies import DraftJoined, Left


def leave_group(work: Work, event: LeaveGroup) -> None:
    """Each leaver by its consumer id; the rest rebalance, once for all of them."""
    codes: list[ErrorCode] = []
    left = []
    for leaver in event.members:
        known = leaver.member_id in work.members
        codes.append(ErrorCode.NONE if known else ErrorCode.UNKNOWN_MEMBER_ID)
        if known:
            client_id = work.members[leaver.member_id].client_id
            left.append((leaver.member_id, client_id, leaver.reason or ""))
            _remove(work, leaver.member_id)
    work.answer(event.ticket, Left(ErrorCode.NONE, tuple(codes)))
    if left:
        cause = Cause(MEMBER_LEFT, "it left the group", *left[0])
        _rebalance(work, cause, [consumer_id for consumer_id, *_ in left])


def _remove(work: Work, consumer_id: str) -> None:
    """Its row goes at once; a join of it that is held has nothing to wait for any more."""
    live = work.change()
    join = live.joins.pop(consumer_id, None)
    if join is not None:
        error = ErrorCode.UNKNOWN_MEMBER_ID
        work.answer(join.ticket, DraftJoined(error=error, consumer_id=consumer_id))
    live.suspects.discard(consumer_id)
    live.beats.pop(consumer_id)
    del work.change_members()[consumer_id]


def members_refused(work: Work, event: MembersRefused) -> None:
    """A newcomer's row cannot be written. Newcomers have no ids yet by which one could be told
    from the others, so all that wait are turned away; members stay as they are."""
    if work.state != PREPARING or not set(event.member_ids) - work.members.keys():
        return
    waiting, work.change().newcomers = work.live.newcomers, []
    for join in waiting:
        work.answer(join.ticket, DraftJoined(error=ErrorCode.INVALID_REQUEST, consumer_id=""))
    if waiting:
        join_phase.maybe_complete(work)


def remove_all(work: Work, consumer_ids: Iterable[str]) -> None:
    """Several rows go at once."""
    for consumer_id in consumer_ids:
        _remove(work, consumer_id)


def _rebalance(work: Work, cause: Cause, left: list[str]) -> None:
    """The rows have lost a member: whoever owns the group next must know that this is owed."""
    join_phase.start(work, cause, owed=True, left=left)


def force_rebalance(work: Work, event: ForceRebalance) -> None:
    """An operator lets everybody join again; a rebalance that goes on already is left alone."""
    is_empty, rebalances = work.state == EMPTY, work.state == PREPARING
    if may_force(work, event, is_empty=is_empty, rebalances=rebalances):
        await_generation(work, event, "consumers", "join again")
        reason = f"{event.actor} forced it: {event.reason}"
        join_phase.start(work, Cause(OPERATOR, reason), owed=True)


def evict_member(work: Work, event: EvictMember) -> None:
    """An operator removes a consumer; the others rebalance."""
    row = work.members.get(event.member_id)
    if row is None:
        detail = "the group has no such member"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    _remove(work, row.member_id)
    work.hung_up.append(row.member_id)
    work.operated(event.operation_id, ErrorCode.NONE, "the member was removed")
    reason = f"{event.actor} evicted a member: {event.reason}"
    _rebalance(work, Cause(OPERATOR, reason, row.member_id, row.client_id), [row.member_id])
