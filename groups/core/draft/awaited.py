"""What a rebalance of a draft group waits for, noted for its journal entry (``explanation``).

Every member's JoinGroup is awaited, until it counts as dead. Decides nothing.
"""

from collections.abc import Sequence

from groups.core.draft.work import Work
from groups.core.explanation import REMOVALS, End, Explanation, Phase, Wait
from groups.core.journal import Trigger
from groups.core.rebalance_cause import Cause
from groups.core.rows import MemberRow
from groups.core.waiting import Act, name_of


def because(work: Work, cause: Cause, who: Sequence[MemberRow]) -> None:
    """One more cause of the current rebalance. (In it every join is awaited, whatever topics it
    has.)"""
    if cause.trigger != Trigger.METADATA_CHANGED:
        episode = work.join_phase.episode.with_cause(cause.because(work.now, who))
        work.set_join_phase(episode=episode)


def removed(work: Work, consumer_id: str, trigger: str) -> None:
    """A member is about to be removed: note how long it was waited for."""
    if work.live.join_phase is None:
        return
    wait = _wait(work, work.members[consumer_id], REMOVALS[trigger])
    work.set_join_phase(episode=work.join_phase.episode.waited(wait))


def _wait(work: Work, row: MemberRow, end: End) -> Wait:
    """The wait for a member that ends now, or has ended when it joined or counted as dead."""
    live, since = work.live, work.join_phase.episode.since
    member_id = row.member_id
    if member_id in live.joins:
        first = live.joins[member_id].first
        return Wait(member_id, Act.REJOIN, since, first, End.REJOINED, name_of(row))
    if member_id in live.suspects:
        # Heartbeats in a rebalance extend no session: whether it was silent is not known.
        return Wait(member_id, Act.REJOIN, since, live.suspects[member_id], End.LATE, name_of(row))
    return Wait(member_id, Act.REJOIN, since, work.now, end, name_of(row))


def explained(work: Work) -> Explanation:
    """What there is to say of a rebalance that ends now."""
    live, episode = work.live, work.join_phase.episode
    since = episode.since
    for consumer_id in live.suspects:
        episode = episode.waited(_wait(work, work.members[consumer_id], End.LATE))
    joined = [(join.first, m) for m, join in live.joins.items() if join.first > since]
    return episode.phased(Phase(Act.REJOIN, End.REJOINED, since, joined)).explained(work.now)
