"""Time in a draft group: which consumers count as dead, and rebalances that were put off.

Only this file decides which consumers count as dead (the design's Slow consumers). ``due`` finds
the next time at which a tick decides something, ``tick`` decides it. Neither reads a clock.
"""

from groups.core.draft import guards, join_phase, leave
from groups.core.draft.live import Live
from groups.core.draft.work import Work
from groups.core.events import Tick
from groups.core.group import Millis, Rules
from groups.core.journal import Trigger
from groups.core.rebalance_cause import Cause
from groups.core.rows import Durable


def due(durable: Durable, live: Live, rules: Rules, earliest: Millis | None) -> Millis | None:
    """The next time at which ``tick`` would decide something; ``earliest``: the earliest deadline
    of single members."""
    if live.recovering:
        return live.floor
    ends = (earliest, guards.due(durable, live, rules))
    return min((end for end in ends if end is not None), default=None)


def tick(work: Work, event: Tick) -> None:
    """Members that were silent for a session become suspects; their connections are to be
    closed."""
    join_phase.begin_what_was_put_off(work)
    live = work.live
    late = [
        row
        for consumer_id, row in work.members.items()
        if live.is_awaited(consumer_id) and work.now >= live.deadline(row)
    ]
    if not late:
        return
    ids = [row.member_id for row in late]
    work.hung_up += ids
    if guards.holds(work):
        leave.remove_all(work, ids)  # without a rebalance no heartbeat could cancel it
    else:
        work.change().suspects.update(dict.fromkeys(ids, work.now))
    first = late[0]
    who = "a consumer was" if len(late) == 1 else f"{len(late)} consumers were"
    reason = f"{who} not heard of in time"
    cause = Cause(Trigger.SESSION_EXPIRED, reason, first.member_id, first.client_id)
    join_phase.start(work, cause, who=late)
