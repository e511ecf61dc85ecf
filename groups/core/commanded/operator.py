"""Operators' verbs on a commanded group: force a rebalance, evict a consumer."""

from groups.core.commanded import rebalance, thread_offers
from groups.core.commanded.leave import expel
from groups.core.commanded.states import EMPTY, OPERATOR, STABLE
from groups.core.commanded.work import Work
from groups.core.errors import ErrorCode
from groups.core.events import EvictMember, ForceRebalance
from groups.core.journal import EntryKind
from groups.core.rebalance_cause import Cause, await_generation, may_force


def force_rebalance(work: Work, event: ForceRebalance) -> None:
    """Stop and start every fetcher, whether necessary or not."""
    is_empty, rebalances = work.state == EMPTY, work.state != STABLE
    if may_force(work, event, is_empty=is_empty, rebalances=rebalances):
        await_generation(work, event, "consumers", "stop and start")
        reason = f"{event.actor} forced it: {event.reason}"
        rebalance.queue(work, Cause(OPERATOR, reason), forced=True)


def evict_member(work: Work, event: EvictMember) -> None:
    """Remove a consumer; the others rebalance once it must have stopped."""
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
