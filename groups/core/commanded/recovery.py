"""Restores a commanded group's live state after rows were loaded (the design's B).

The rows contain the queue, the phase, the commands and the owners, and a new owner continues from
there. Every consumer gets a full session from now, and so does the current attempt.
"""

from dataclasses import replace

from groups.core.commanded import rebalance
from groups.core.commanded.live import Live
from groups.core.commanded.states import OWNER_CHANGED
from groups.core.commanded.work import Work
from groups.core.group import Beat, Millis, forgiven, forgiven_beats
from groups.core.rebalance_cause import Cause
from groups.core.rows import Durable


def fresh(durable: Durable, now: Millis) -> Live:
    """The live state for a new owner."""
    return Live(
        beats={member_id: Beat(now) for member_id in durable.members},
        started_at=now,
        attempt_at=now,
        settled_at=now,
        recovering=bool(durable.members),
    )


def kept(durable: Durable, live: Live, now: Millis) -> Live:
    """The live state after a reload by the same owner: the part that the rows still allow."""
    beats = {m: live.beats.get(m) or Beat(now) for m in durable.members}
    return replace(live, beats=beats, offered=None)


def rearmed(live: Live, now: Millis, missed: Millis) -> Live:
    """Exclude the missed time from silences and from the attempt."""
    after = live.copy()
    after.attempt_at = forgiven(live.attempt_at, now, missed)
    after.beats = forgiven_beats(live.beats, now, missed)
    return after


def recover(work: Work) -> None:
    """Queue the group, once (the design's 2.3: "always try to rebalance every group")."""
    if work.live.recovering:
        work.change().recovering = False
        rebalance.queue(work, Cause(OWNER_CHANGED, "another node took over the group"))
