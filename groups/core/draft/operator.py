"""Operators' verbs on a draft group: force a rebalance, evict a consumer."""

from groups.core.draft import join_phase
from groups.core.draft.leave import rebalance, remove
from groups.core.draft.states import EMPTY, OPERATOR, PREPARING
from groups.core.draft.work import Work
from groups.core.errors import ErrorCode
from groups.core.events import EvictMember, ForceRebalance
from groups.core.facts import Departure
from groups.core.rebalance_cause import Cause, await_generation, may_force


def force_rebalance(work: Work, event: ForceRebalance) -> None:
    """Let every consumer join again; a rebalance in progress continues."""
    is_empty, rebalances = work.state == EMPTY, work.state == PREPARING
    if may_force(work, event, is_empty=is_empty, rebalances=rebalances):
        await_generation(work, event, "consumers", "join again")
        reason = f"{event.actor} forced it: {event.reason}"
        join_phase.start(work, Cause(OPERATOR, reason), owed=True)


def evict_member(work: Work, event: EvictMember) -> None:
    """Remove the consumer; the others rebalance."""
    row = work.members.get(event.member_id)
    if row is None:
        detail = "the group has no such member"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    remove(work, row.member_id, OPERATOR, Departure.EVICTED)
    work.hung_up.append(row.member_id)
    work.operated(event.operation_id, ErrorCode.NONE, "the member was removed")
    reason = f"{event.actor} evicted a member: {event.reason}"
    rebalance(work, Cause(OPERATOR, reason, row.member_id, row.client_id), [row])
