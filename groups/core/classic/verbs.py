"""Operators' verbs on a classic group: force a rebalance, evict a member.

A forced rebalance ends when the next generation is decided. Its id waits in
the row's details until then, so that it survives a change of owner.
"""

from groups.core.classic.leave import remove
from groups.core.classic.rounds import Cause, prepare, rebalance_or_go_on
from groups.core.classic.states import EMPTY, OPERATOR, PREPARING
from groups.core.classic.work import Work
from groups.core.errors import ErrorCode
from groups.core.events import EvictMember, ForceRebalance
from groups.core.replies import Operated


def force_rebalance(work: Work, event: ForceRebalance) -> None:
    """Let every member rejoin. A rebalance that goes on already is left alone."""
    expected, generation = event.expected_generation, work.row.generation
    if work.state == EMPTY:
        _refuse(work, event, "the group has no members")
    elif expected is not None and expected != generation:
        _refuse(work, event, f"the group is in generation {generation}, not {expected}")
    elif work.rules.guards.frozen:
        _refuse(work, event, "the group is frozen (rollcall.freeze)")
    elif work.state == PREPARING:
        _end(work, event, "the group was already rebalancing")
    else:
        work.set_details(
            must_rebalance=OPERATOR,
            operations=[*work.row.details.get("operations", ()), event.operation_id],
        )
        detail = f"waiting for the members of generation {generation} to rejoin"
        work.operations.append(Operated(event.operation_id, ErrorCode.NONE, detail, ended=False))
        prepare(work, Cause(OPERATOR, f"{event.actor} forced it: {event.reason}"))


def evict_member(work: Work, event: EvictMember) -> None:
    """Remove a member; the others rebalance."""
    member_id = event.member_id
    if not work.has(member_id):
        _refuse(work, event, "the group has no such member")
        return
    row = remove(work, member_id, OPERATOR)
    _end(work, event, "the member was removed")
    reason = f"{event.actor} evicted a member: {event.reason}"
    rebalance_or_go_on(work, Cause(OPERATOR, reason, member_id, row.client_id, (member_id,)))


def _refuse(work: Work, event: ForceRebalance | EvictMember, detail: str) -> None:
    work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)


def _end(work: Work, event: ForceRebalance | EvictMember, detail: str) -> None:
    work.operated(event.operation_id, ErrorCode.NONE, detail)
