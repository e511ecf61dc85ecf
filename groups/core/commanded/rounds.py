"""How long a commanded group's partitions stood still in a rebalance (``groups.core.rounds``).

A consumer works on nothing from its acknowledgement that it has stopped to the one that it has
started. Decides nothing.
"""

from groups.core.assignment import count_of
from groups.core.commanded.states import COMPLETING, PREPARING
from groups.core.commanded.work import Work
from groups.core.rows import MemberRow
from groups.core.values import SharedDict


def acknowledged(work: Work, row: MemberRow) -> None:
    """A consumer has stopped, or has started."""
    live = work.change()
    if work.state == PREPARING:
        live.stopped[row.member_id] = work.now
    elif work.state == COMPLETING:
        live.idle = live.idle.stopped((work.now - live.phase_since) * count_of(row.assignment))


def all_stopped(work: Work) -> None:
    """Every consumer has stopped, and none has its new partitions yet."""
    live, now = work.change(), work.now
    stopped = ((at, work.members.get(consumer)) for consumer, at in live.stopped.items())
    still = sum((now - at) * count_of(row.assignment) for at, row in stopped if row is not None)
    live.idle, live.stopped = live.idle.stopped(still), SharedDict()
