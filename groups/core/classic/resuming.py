"""How a rebalance that was put off begins after all, and what is tidied up while it waits.

``resume`` comes first in every step, ``tidy`` last; neither does anything while nothing is
put off. When rebalances have to wait is told in ``guards``.
"""

from groups.core.classic import guards
from groups.core.classic.join_phase import end_sync_phase, prepare
from groups.core.classic.live import Cause
from groups.core.classic.states import EMPTY, MEMBER_JOINED, PREPARING, STABLE
from groups.core.classic.work import Work
from groups.core.errors import ErrorCode
from groups.core.journal import EntryKind

AGAIN = Cause(MEMBER_JOINED, "members joined while the group was frozen")


def resume(work: Work) -> None:
    """Begin what was put off, once nothing holds it any more."""
    cause = work.live.put_off
    if cause is not None and not guards.holds(work, cause.trigger):
        prepare(work, cause)


def tidy(work: Work) -> None:
    """A group whose last member went while it was frozen is empty; what is no longer owed is
    forgotten."""
    if work.live.put_off is None:
        return
    if work.state == STABLE and not work.members:
        _empty(work)
    if not guards.is_owed(work.row, work.live):
        work.change().put_off = None


def _empty(work: Work) -> None:
    """Empty, one generation later, without a join phase: newcomers go on waiting."""
    generation, trigger = work.row.generation, work.row.details["must_rebalance"]
    end_sync_phase(work, ErrorCode.UNKNOWN_MEMBER_ID)
    work.move_to(PREPARING)
    work.move_to(EMPTY, generation=generation + 1, protocol_name=None, leader=None)
    work.set_details(synced=None, must_rebalance=None, follow_up=None)
    live = work.change()
    live.generation, live.floor, live.put_off = generation + 1, work.now, AGAIN
    work.note(
        EntryKind.EMPTIED,
        trigger=trigger,
        reason="the last member went while the group was frozen",
        generation_before=generation,
    )
