"""Operators' requests of a classic group: force a rebalance, evict a member."""

from typing import Final

from groups.core.classic.awaited import named
from groups.core.classic.join_phase import prepare, rebalance_or_go_on
from groups.core.classic.leave import remove
from groups.core.classic.live import Cause
from groups.core.classic.states import EMPTY, PREPARING
from groups.core.classic.work import Work
from groups.core.drains import DrainMember, UndrainMember
from groups.core.errors import ErrorCode
from groups.core.events import EvictMember, ForceRebalance
from groups.core.journal import Trigger
from groups.core.rebalance_cause import await_generation, may_force
from groups.core.step import Handlers


def force_rebalance(work: Work, event: ForceRebalance) -> None:
    """Let every member rejoin. A rebalance in progress continues."""
    is_empty, rebalances = work.state == EMPTY, work.state == PREPARING
    if may_force(work, event, is_empty=is_empty, rebalances=rebalances):
        await_generation(work, event, "members", "rejoin")
        work.set_details(must_rebalance=Trigger.OPERATOR)
        prepare(work, Cause(Trigger.OPERATOR, f"{event.actor} forced it: {event.reason}"))


def evict_member(work: Work, event: EvictMember) -> None:
    """Remove a member; the others rebalance."""
    member_id = event.member_id
    if not work.has(member_id):
        work.refused(event.operation_id, "the group has no such member")
        return
    row = remove(work, member_id, Trigger.OPERATOR)
    work.operated(event.operation_id, ErrorCode.NONE, "the member was removed")
    reason = f"{event.actor} evicted a member: {event.reason}"
    who = (member_id, row.client_id, (member_id,))
    cause = Cause(Trigger.OPERATOR, reason, *who, named=named([row]))
    rebalance_or_go_on(work, cause)


def refuse_drain(work: Work, event: DrainMember | UndrainMember) -> None:
    """A client assigns, to all members; the coordinator cannot leave one out."""
    detail = "the leader of a classic group assigns its partitions: no member can be drained"
    work.refused(event.operation_id, detail)


HANDLERS: Final[Handlers[Work]] = {
    ForceRebalance: force_rebalance,
    EvictMember: evict_member,
    DrainMember: refuse_drain,
    UndrainMember: refuse_drain,
}
"""The rules of operators' requests; ``offset_rules`` has those on offsets."""
