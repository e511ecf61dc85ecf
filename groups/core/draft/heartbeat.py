"""Heartbeats of the draft during a rebalance: the design's Slow consumers.

``timers`` decides which consumers count as dead. Steady groups answer heartbeats from their view;
heartbeats arrive here during a rebalance, or if they are invalid.
"""

from groups.core.draft import join_phase
from groups.core.draft.states import PREPARING
from groups.core.draft.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DraftHeartbeat
from groups.core.replies import DraftBeaten


def heartbeat(work: Work, event: DraftHeartbeat) -> None:
    """Refuse in the order of the 2015 code; during a rebalance answer IllegalGeneration (seed)."""
    consumer_id = event.consumer_id
    if consumer_id not in work.members:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    if event.generation_id != work.row.generation:
        raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    if work.state == PREPARING:
        _come_back(work, consumer_id)
    if work.state == PREPARING:
        # No refusal: it is recorded that a consumer was told, and the session is not extended.
        if not work.join_phase.is_announced:
            work.set_join_phase(is_announced=True)
        work.answer(event.ticket, DraftBeaten(ErrorCode.ILLEGAL_GENERATION))
        return
    work.hear(consumer_id)
    work.answer(event.ticket, DraftBeaten())


def _come_back(work: Work, consumer_id: str) -> None:
    """A suspect sent a heartbeat. If no consumer was told of the rebalance yet, it counts as alive
    again, and the last suspect cancels the rebalance; otherwise it is told as well (Slow consumers,
    3 and 4)."""
    if consumer_id not in work.live.suspects or work.join_phase.is_announced:
        return
    work.change().suspects.pop(consumer_id)
    work.hear(consumer_id)
    if work.join_phase.is_doubtful and not work.live.suspects:
        join_phase.call_off(work, consumer_id)
