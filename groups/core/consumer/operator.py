"""Operators' requests of a consumer group: force a new target, evict a member, drain one."""

from dataclasses import replace
from typing import Final

from groups.core import drains
from groups.core.assignors.task import AssignorFailed
from groups.core.consumer import draining, rebalance, target_schedule, votes
from groups.core.consumer.leave import remove
from groups.core.consumer.member import Member
from groups.core.consumer.work import Work
from groups.core.drains import DrainMember, UndrainMember
from groups.core.errors import ErrorCode
from groups.core.events import EvictMember, ForceRebalance
from groups.core.journal import Trigger
from groups.core.step import Handlers


def force_rebalance(work: Work, event: ForceRebalance) -> None:
    """Raise the epoch and compute the target again, even if it is the same."""
    if not work.members:
        work.refused(event.operation_id, "the group has no members")
        return
    expected, generation = event.expected_generation, work.row.generation
    if expected is not None and expected != generation:
        work.refused(event.operation_id, f"the group epoch is {generation}, not {expected}")
        return
    if work.rules.guards.frozen:
        work.refused(event.operation_id, "the group is frozen (rollcall.freeze)")
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
        work.refused(event.operation_id, "the group has no such member")
        return
    remove(work, [member], Trigger.OPERATOR, f"{event.actor} evicted a member: {event.reason}")
    work.operated(event.operation_id, ErrorCode.NONE, "the member was removed")


def drain(work: Work, event: DrainMember) -> None:
    """Keep the member, and compute a target without it. That may have to wait, as any other; the
    member gets nothing more until then."""
    member = work.members.get(event.member_id) or work.holder(event.member_id)
    row, now = (None, None) if member is None else (member.row, member.drain)
    begun = drains.begun(work, event, row, now)
    if member is not None and begun is not None:
        after = replace(member, drain=begun, target=member.target & member.assigned)
        _rebalance(work, after, drains.drain_reason(event, member.row))


def undrain(work: Work, event: UndrainMember) -> None:
    """Compute a target with it again."""
    name = event.member_id
    member = work.members.get(name) or work.holder(name)
    if member is not None:
        if drains.undone(work, event, member.row, member.drain):
            after = replace(member, drain=None)
            _rebalance(work, after, drains.undo_reason(event, member.row))
        return
    if drains.undone(work, event, None, draining.away(work).get(name)):
        draining.forget(work, name)


def _rebalance(work: Work, after: Member, reason: str) -> None:
    work.put(after)
    rebalance.bump(work, Trigger.OPERATOR, reason, after)
    try:
        rebalance.assign(work)
    except AssignorFailed as error:  # it is tried again, as after any request that did not need it
        target_schedule.failed(work, votes.vote(work), str(error))


HANDLERS: Final[Handlers[Work]] = {
    ForceRebalance: force_rebalance,
    EvictMember: evict_member,
    DrainMember: drain,
    UndrainMember: undrain,
}
"""The rules of operators' requests; ``offset_rules`` has those on offsets."""
