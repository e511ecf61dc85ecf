"""Operators' requests of a commanded group: force a rebalance, evict or drain a consumer."""

from typing import Final

from groups.core import commands, drains
from groups.core.commanded import rebalance, thread_offers
from groups.core.commanded.leave import expel
from groups.core.commanded.states import EMPTY, STABLE
from groups.core.commanded.work import Work
from groups.core.drains import Drain, DrainMember, UndrainMember
from groups.core.errors import ErrorCode
from groups.core.events import EvictMember, ForceRebalance
from groups.core.journal import EntryKind, Trigger
from groups.core.rebalance_cause import Cause, await_generation, may_force
from groups.core.rows import MemberRow
from groups.core.step import Handlers


def force_rebalance(work: Work, event: ForceRebalance) -> None:
    """Stop and start every fetcher, whether necessary or not."""
    is_empty, rebalances = work.state == EMPTY, work.state != STABLE
    if may_force(work, event, is_empty=is_empty, rebalances=rebalances):
        await_generation(work, event, "consumers", "stop and start")
        reason = f"{event.actor} forced it: {event.reason}"
        rebalance.queue(work, Cause(Trigger.OPERATOR, reason), forced=True)


def evict_member(work: Work, event: EvictMember) -> None:
    """Remove a consumer; the others rebalance once it must have stopped."""
    row = work.members.get(event.member_id)
    if row is None or commands.is_expelled(row):
        work.refused(event.operation_id, "the group has no such member")
        return
    reason = f"{event.actor} evicted a member: {event.reason}"
    cause = Cause(Trigger.OPERATOR, reason, row.member_id, row.client_id)
    work.note(EntryKind.MEMBER_EXPELLED, **cause._asdict())
    expel(work, row, cause)
    detail = "the member was removed"
    if row.member_id in work.members:
        detail += "; others get its partitions once it knows, or its session is over"
    work.operated(event.operation_id, ErrorCode.NONE, detail)


def drain(work: Work, event: DrainMember) -> None:
    """Keep the consumer, and give its partitions to the others once all have stopped."""
    row = _present(work, event.member_id)
    now = None if row is None else drains.of(row)
    begun = drains.begun(work, event, row, now)
    if row is not None and begun is not None:
        is_over = not thread_offers.parts_in(row)
        drain = drains.over(work, begun) if is_over else begun
        _set_drain(work, row, drain, drains.drain_reason(event, row))


def undrain(work: Work, event: UndrainMember) -> None:
    """Give it partitions again."""
    row = _present(work, event.member_id)
    now = None if row is None else drains.of(row)
    if drains.undone(work, event, row, now) and row is not None:
        _set_drain(work, row, None, drains.undo_reason(event, row))


def _present(work: Work, member_id: str) -> MemberRow | None:
    row = work.members.get(member_id)
    return None if row is None or commands.is_expelled(row) else row


def _set_drain(work: Work, row: MemberRow, drain: Drain | None, reason: str) -> None:
    work.put(drains.put(row, drain))
    rebalance.queue(work, Cause(Trigger.OPERATOR, reason, row.member_id, row.client_id), who=[row])


HANDLERS: Final[Handlers[Work]] = {
    ForceRebalance: force_rebalance,
    EvictMember: evict_member,
    DrainMember: drain,
    UndrainMember: undrain,
}
"""The rules of operators' requests; ``offset_rules`` has those on offsets."""
