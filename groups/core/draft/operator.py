"""Operators' requests of a draft group: force a rebalance, evict or drain a consumer."""

from typing import Final

from groups.core import drains, row_packing
from groups.core.draft import join_phase
from groups.core.draft.leave import rebalance, remove
from groups.core.draft.states import EMPTY, PREPARING
from groups.core.draft.work import Work
from groups.core.drains import Drain, DrainMember, UndrainMember
from groups.core.errors import ErrorCode
from groups.core.events import EvictMember, ForceRebalance
from groups.core.facts import Departure
from groups.core.journal import Trigger
from groups.core.rebalance_cause import Cause, await_generation, may_force
from groups.core.rows import MemberRow
from groups.core.step import Handlers


def force_rebalance(work: Work, event: ForceRebalance) -> None:
    """Let every consumer join again; a rebalance in progress continues."""
    is_empty, rebalances = work.state == EMPTY, work.state == PREPARING
    if may_force(work, event, is_empty=is_empty, rebalances=rebalances):
        await_generation(work, event, "consumers", "join again")
        reason = f"{event.actor} forced it: {event.reason}"
        join_phase.start(work, Cause(Trigger.OPERATOR, reason), owed=True, is_forced=True)


def evict_member(work: Work, event: EvictMember) -> None:
    """Remove the consumer; the others rebalance."""
    row = work.members.get(event.member_id)
    if row is None:
        work.refused(event.operation_id, "the group has no such member")
        return
    remove(work, row.member_id, Trigger.OPERATOR, Departure.EVICTED)
    work.hung_up.append(row.member_id)
    work.operated(event.operation_id, ErrorCode.NONE, "the member was removed")
    reason = f"{event.actor} evicted a member: {event.reason}"
    rebalance(work, Cause(Trigger.OPERATOR, reason, row.member_id, row.client_id), [row])


def drain(work: Work, event: DrainMember) -> None:
    """Keep the consumer, and let all join again; the strategy assigns to the others. One without
    partitions disturbs nobody."""
    row = work.members.get(event.member_id)
    now = None if row is None else drains.of(row)
    begun = drains.begun(work, event, row, now)
    if row is None or begun is None:
        return
    if not row_packing.parts_in(row.assignment):
        _set_drain(work, row, drains.over(work, begun))
        return
    _set_drain(work, row, begun)
    _rebalance(work, row, drains.drain_reason(event, row))


def undrain(work: Work, event: UndrainMember) -> None:
    """Let all join again; the strategy assigns to it as well."""
    row = work.members.get(event.member_id)
    now = None if row is None else drains.of(row)
    if drains.undone(work, event, row, now) and row is not None:
        _set_drain(work, row, None)
        _rebalance(work, row, drains.undo_reason(event, row))


def _set_drain(work: Work, row: MemberRow, drain: Drain | None) -> None:
    work.change_members()[row.member_id] = drains.put(row, drain)


def _rebalance(work: Work, row: MemberRow, reason: str) -> None:
    cause = Cause(Trigger.OPERATOR, reason, row.member_id, row.client_id)
    join_phase.start(work, cause, owed=True, who=[row])


HANDLERS: Final[Handlers[Work]] = {
    ForceRebalance: force_rebalance,
    EvictMember: evict_member,
    DrainMember: drain,
    UndrainMember: undrain,
}
"""The rules of operators' requests; ``offset_rules`` has those on offsets."""
