"""Time in a draft group: which consumers count as dead, and rebalances that were put off.

Only this file decides which consumers count as dead (the design's Slow consumers). ``due`` finds
the next time at which a tick decides something, ``tick`` decides it. Neither reads a clock.
"""

from collections.abc import Iterable

from groups.core.draft import guards, join_phase, leave
from groups.core.draft.live import Live
from groups.core.draft.states import SESSION_EXPIRED
from groups.core.draft.work import Work
from groups.core.events import Tick
from groups.core.group import Millis, Rules
from groups.core.rebalance_cause import Cause
from groups.core.rows import Durable
from groups.core.step import EXACT_MAX
from groups.core.values import SharedDict


def due(durable: Durable, live: Live, rules: Rules, earliest: Millis | None) -> Millis | None:
    """The next time at which ``tick`` would decide something; ``earliest``: the earliest deadline
    of single members."""
    if live.recovering:
        return live.floor
    ends = (earliest, guards.due(durable, live, rules))
    return min((end for end in ends if end is not None), default=None)


def earliest_of(ids: Iterable[str], durable: Durable, live: Live) -> Millis | None:
    """When the first awaited one of these would count as dead."""
    rows = durable.members
    awaited = (rows[c] for c in ids if c in rows and live.is_awaited(c))
    return min(map(live.deadline, awaited), default=None)


def touched(durable: Durable, live: Live, after: Durable, changed: Live) -> Iterable[str] | None:
    """The members whose deadlines a step may have made earlier, by its working copy ``changed`` of
    ``live``; None: all."""
    rows = after.members
    if len(rows) <= EXACT_MAX or _times(live) != _times(changed):
        return None
    ids: set[str] = set()
    for entries in (changed.beats, changed.joins, rows):
        if entries is durable.members:
            continue
        if not isinstance(entries, SharedDict) or entries.touched is None:
            return None
        ids |= entries.touched
    return ids


def _times(live: Live) -> tuple[Millis, Millis | None, dict[str, Millis]]:
    """Values on which the deadlines of all members depend."""
    return (
        live.floor,
        None if live.join_phase is None else live.join_phase.started_at,
        live.suspects,
    )


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
    cause = Cause(SESSION_EXPIRED, reason, first.member_id, first.client_id)
    join_phase.start(work, cause, who=late)
