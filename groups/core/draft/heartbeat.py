"""Heartbeats of the draft, time, and what silence means: the design's Slow consumers.

Only this file says who counts as dead. Steady groups answer heartbeats from their face; what
comes here does so because a rebalance goes on, or because the heartbeat is wrong.
"""

from groups.core.draft import guards, join_phase, leave
from groups.core.draft.states import PREPARING, SESSION_EXPIRED, STABLE
from groups.core.draft.work import OWED, Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DraftHeartbeat, Tick
from groups.core.rebalance_cause import Cause
from groups.core.replies import DraftBeaten


def heartbeat(work: Work, event: DraftHeartbeat) -> None:
    """Refuse in the order of the 2015 code; during a rebalance say IllegalGeneration (seed)."""
    consumer_id = event.consumer_id
    if consumer_id not in work.members:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    if event.generation_id != work.row.generation:
        raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    if work.state == PREPARING:
        _come_back(work, consumer_id)
    if work.state == PREPARING:
        # No refusal: that somebody was told is remembered, and the session is not prolonged.
        if not work.round.has_told:
            work.set_round(has_told=True)
        work.answer(event.ticket, DraftBeaten(ErrorCode.ILLEGAL_GENERATION))
        return
    work.hear(consumer_id)
    work.answer(event.ticket, DraftBeaten())


def _come_back(work: Work, consumer_id: str) -> None:
    """A suspect is heard of. Before anybody was told it counts as alive again, and the last of
    them calls the round off; afterwards it is told as well (Slow consumers, 3 and 4)."""
    if consumer_id not in work.live.suspects or work.round.has_told:
        return
    work.change().suspects.discard(consumer_id)
    work.hear(consumer_id)
    if work.round.is_doubtful and not work.live.suspects:
        join_phase.call_off(work, consumer_id)


def tick(work: Work, event: Tick) -> None:
    """Whoever was not heard of for a session counts as dead; its connection is to be closed."""
    _begin_what_was_put_off(work)
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
        leave.remove_all(work, ids)  # nobody could call off what does not begin
    else:
        work.change().suspects.update(ids)
    first = late[0]
    who = "a consumer was" if len(late) == 1 else f"{len(late)} consumers were"
    reason = f"{who} not heard of in time"
    join_phase.start(work, Cause(SESSION_EXPIRED, reason, first.member_id, first.client_id))


def _begin_what_was_put_off(work: Work) -> None:
    owed = work.row.details.get(OWED)
    if work.state == STABLE and owed is not None and not guards.holds(work):
        join_phase.start(work, Cause(owed, "it had been put off"))
