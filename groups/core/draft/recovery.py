"""Restores a draft group's live state after rows were loaded (seed: failover).

The rows have generation, consumers, subscriptions and assignments, from one atomic write; held
requests, suspects and silence ended with the owner. The 2015 code lost the whole group.
"""

from dataclasses import replace

from groups.core.draft import join_phase
from groups.core.draft.live import JoinPhase, Live
from groups.core.draft.states import PREPARING, STABLE
from groups.core.draft.work import OWED, TOPICS, Work
from groups.core.earlier import Earlier, beats_of, floor_of
from groups.core.explanation import Episode
from groups.core.group import Millis, forgiven, forgiven_beats
from groups.core.journal import EntryKind, Trigger
from groups.core.rebalance_cause import Cause
from groups.core.rows import Durable
from groups.core.values import SharedDict


def fresh(durable: Durable, now: Millis, earlier: Earlier | None = None) -> Live:
    """The live state for a new owner: sessions go on."""
    recovering = durable.group.state == PREPARING
    live = Live(
        floor=now,
        beats=SharedDict(beats_of(durable.members, now, earlier)),
        recovering=recovering,
        settled_at=now,
        earlier=earlier if recovering else None,
    )
    live.floor = floor_of(live.beats, now)
    live.count_only(durable.group.details.get(TOPICS, {}))
    return live


def kept(durable: Durable, live: Live, now: Millis) -> Live:
    """The live state after a reload by the same owner: the part that the rows still allow."""
    after = fresh(durable, now)
    members = durable.members
    after.floor, after.settled_at, after.idle = live.floor, live.settled_at, live.idle
    after.beats = SharedDict((c, live.beats.get(c, beat)) for c, beat in after.beats.items())
    if durable.group.state == STABLE and OWED in durable.group.details:
        after.count(live.counts)
    if durable.group.state == PREPARING and live.join_phase is not None:
        after.recovering = False
        after.join_phase = live.join_phase
        after.counts, after.partitions = live.counts, live.partitions
        after.joins = SharedDict((c, join) for c, join in live.joins.items() if c in members)
        after.newcomers = [join for join in live.newcomers if join.row.member_id not in members]
        after.suspects = {c: at for c, at in live.suspects.items() if c in members}
    return after


def rearmed(live: Live, now: Millis, missed: Millis) -> Live:
    """Exclude the missed time from silences and from the rebalance."""
    after = live.copy()
    after.floor = forgiven(live.floor, now, missed)
    after.beats = SharedDict(forgiven_beats(live.beats, now, missed))
    if after.join_phase is not None:
        started_at = forgiven(after.join_phase.started_at, now, missed)
        after.join_phase = replace(after.join_phase, started_at=started_at)
    return after


def recover(work: Work) -> None:
    """Finish or cancel what the last owner had begun: continue an owed rebalance, otherwise return
    to the state before it.

    So a suspect that returns in time causes no rebalance; clients with held joins ask again.
    """
    live = work.change()
    earlier, live.recovering, live.earlier = live.earlier, False, None
    owed = work.row.details.get(OWED)
    if owed is not None:
        started_at = work.now
        if earlier is not None:
            longest_ms = max((row.session_timeout_ms for row in work.members.values()), default=0)
            started_at = earlier.wait(join_wait(work.row.generation), longest_ms, work.now)
        cause = Cause(owed, "it had begun under another owner")
        first = [[owed, cause.reason, "", 1, []]]
        since, causes = min(started_at, work.now), work.row.details.get("causes") or first
        live.join_phase = JoinPhase(cause, started_at, Episode.resumed(since, causes))
        join_phase.maybe_complete(work)
        return
    assert work.members, "a rebalance without members was not owed"
    work.move_to(STABLE)
    work.note(
        EntryKind.REBALANCE_ABANDONED,
        trigger=Trigger.OWNER_CHANGED,
        reason="the requests that had started it ended with their owner",
    )


def join_wait(generation: int) -> str:
    """The name of the rebalance after this generation (``Group.waits``)."""
    return f"join/{generation}"


def waits(durable: Durable, live: Live) -> dict[str, Millis]:
    """Since when the current rebalance waits for joins."""
    phase = live.join_phase
    return {} if phase is None else {join_wait(durable.group.generation): phase.started_at}
