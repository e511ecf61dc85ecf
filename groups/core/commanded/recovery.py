"""A commanded group and a new owner: what is live again after rows were loaded (the design's B).

The rows hold the queue, the phase, the commands and who owns what; a new owner goes on from there.
Every consumer has a whole session from now, and so does every attempt that goes on.
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
    """For a new owner."""
    return Live(
        beats={member_id: Beat(now) for member_id in durable.members},
        started_at=now,
        attempt_at=now,
        settled_at=now,
        recovering=bool(durable.members),
    )


def kept(durable: Durable, live: Live, now: Millis) -> Live:
    """After a reload by the same owner: what the rows still allow."""
    beats = {m: live.beats.get(m) or Beat(now) for m in durable.members}
    return replace(live, beats=beats)


def rearmed(live: Live, now: Millis, missed: Millis) -> Live:
    """What was missed counts neither as silence nor as time that an attempt has taken."""
    after = live.copy()
    after.attempt_at = forgiven(live.attempt_at, now, missed)
    after.beats = forgiven_beats(live.beats, now, missed)
    return after


def recover(work: Work) -> None:
    """Queue the group, once (the design's 2.3: "always try to rebalance every group")."""
    if work.live.recovering:
        work.change().recovering = False
        rebalance.queue(work, Cause(OWNER_CHANGED, "another node took over the group"))
