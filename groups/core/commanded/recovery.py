"""Restores a commanded group's live state after rows were loaded (the design's B).

The rows contain the queue, the phase, the commands and the owners, and a new owner continues from
there. Sessions and the current attempt go on where earlier owners left them.
"""

from dataclasses import replace

from groups.core.commanded import rebalance
from groups.core.commanded.live import Live
from groups.core.commanded.work import ATTEMPT, Work
from groups.core.earlier import Earlier, beats_of
from groups.core.explanation import unpacked
from groups.core.group import Beat, Millis, Rules, forgiven, forgiven_beats
from groups.core.journal import Trigger
from groups.core.rebalance_cause import Cause
from groups.core.rows import Durable


def fresh(durable: Durable, now: Millis, rules: Rules, earlier: Earlier | None = None) -> Live:
    """The live state for a new owner."""
    attempt_at = now
    if earlier is not None:
        attempt_at = earlier.wait(_attempt(durable), rules.rebalance_backoff_ms, now)
    return Live(
        beats=dict(beats_of(durable.members, now, earlier)),
        started_at=now,
        attempt_at=attempt_at,
        settled_at=now,
        recovering=bool(durable.members),
        queued=unpacked(now, durable.group.details.get("queued_causes", ())),
    )


def _attempt(durable: Durable) -> str:
    """The name of the current attempt (``Group.waits``)."""
    return f"attempt/{durable.group.generation}/{durable.group.details.get(ATTEMPT, 0)}"


def waits(durable: Durable, live: Live) -> dict[str, Millis]:
    """Since when the current attempt waits for acknowledgements."""
    waiting = rebalance.is_waiting(durable.group.state)
    return {_attempt(durable): live.attempt_at} if waiting else {}


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
        rebalance.queue(work, Cause(Trigger.OWNER_CHANGED, "another node took over the group"))
