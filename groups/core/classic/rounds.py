"""A classic group's rebalance as a fact (``groups.core.rounds``): a join phase and a sync phase.

``ownership`` notes for how long members had stopped. Decides nothing.
"""

from groups.core.classic.states import COMPLETING
from groups.core.classic.work import Work
from groups.core.explanation import Explanation
from groups.core.rounds import Outcome


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
