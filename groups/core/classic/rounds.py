"""A classic group's rebalance as a fact (``groups.core.rounds``): a join phase and a sync phase.

A member that joins again has stopped to work on what it gives up by that: everything, unless its
subscription names what it still owns (KIP-429). Decides nothing.
"""

from groups.core.assignment import count_of
from groups.core.classic import packing
from groups.core.classic.live import Told
from groups.core.classic.states import COMPLETING
from groups.core.classic.work import Work
from groups.core.explanation import Explanation
from groups.core.rounds import Outcome
from groups.core.rows import MemberRow
from groups.core.subscription import owned_count


def stop(work: Work) -> None:
    """The leader's assignment is about to be stored: until now, members did not work on what they
    had given up."""
    live, now, still = work.live, work.now, 0
    for member_id, at in live.rejoined.items():
        row = work.members.get(member_id)
        if row is not None and now > at and row.assignment:
            still += (now - at) * _given_up(work, row, live.told.get(member_id))
    if still:
        work.change().idle = live.idle.stopped(still)


def _given_up(work: Work, row: MemberRow, told: Told | None) -> int:
    """How many partitions the member gave up when it joined again."""
    had = count_of(row.assignment)
    if told is not None:
        had = len(told.kept) + (had if told.has_all else 0)
    owned = owned_count(packing.metadata_of(row.subscription, work.row.protocol_name))
    return max(0, had - owned)


def assigned(work: Work, why: Explanation | None, moved: int) -> None:
    """The rebalance has ended with an assignment."""
    live = work.change()
    work.round_ended(Outcome.ASSIGNED, live.why, why, moved=moved)
    live.why = None


def interrupted(work: Work) -> None:
    """A rebalance begins: one in its sync phase has ended without an assignment. What that phase
    took, and waited for, belongs to the new one."""
    live = work.live
    if work.state == COMPLETING and live.why is not None and live.sync is not None:
        work.round_ended(Outcome.INTERRUPTED, live.why, age_ms=work.now - live.sync.started_at)
        work.change().why = None
