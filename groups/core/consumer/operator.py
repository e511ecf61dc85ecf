"""Operators' verbs on a consumer group: force a new target, evict a member."""

from groups.core.consumer import rebalance
from groups.core.consumer.leave import remove
from groups.core.consumer.work import Work
from groups.core.errors import ErrorCode
from groups.core.events import EvictMember, ForceRebalance
from groups.core.journal import Trigger


def force_rebalance(work: Work, event: ForceRebalance) -> None:
    """Raise the epoch and compute the target again, even if it is the same."""
    if not work.members:
        detail = "the group has no members"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    expected, generation = event.expected_generation, work.row.generation
    if expected is not None and expected != generation:
        detail = f"the group epoch is {generation}, not {expected}"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    if work.rules.guards.frozen:
        detail = "the group is frozen (rollcall.freeze)"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    rebalance.bump(work, Trigger.OPERATOR, f"{event.actor} forced it: {event.reason}", waits=False)
    rebalance.work_out(work)
    how = "the target was computed anew"
    if work.target_epoch < work.row.generation:
        how = "the target is being computed anew"
    work.operated(event.operation_id, ErrorCode.NONE, how)


def evict_member(work: Work, event: EvictMember) -> None:
    """Remove the member: it is fenced."""
    member = work.members.get(event.member_id)
    if member is None:
        detail = "the group has no such member"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    remove(work, [member], Trigger.OPERATOR, f"{event.actor} evicted a member: {event.reason}")
    work.operated(event.operation_id, ErrorCode.NONE, "the member was removed")
