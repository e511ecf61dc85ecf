"""What a rebalance of a commanded group waits for, noted for its journal entry (``explanation``).

Every consumer has to acknowledge stop-fetcher, and then start-fetcher. Decides nothing.
"""

from collections.abc import Sequence

from groups.core.commanded.states import COMPLETING, PREPARING
from groups.core.commanded.work import CAUSE, Work
from groups.core.explanation import REMOVED, End, Episode, Explanation, Wait
from groups.core.rebalance_cause import Cause
from groups.core.rows import MemberRow
from groups.core.waiting import Act, name_of


def queue(work: Work, cause: Cause, who: Sequence[MemberRow]) -> None:
    """A cause of the next rebalance; until all have stopped, of the current one."""
    if work.state == PREPARING:
        because(work, cause, who)
        return
    queued = Episode(work.now, work.live.queued).with_cause(cause.because(work.now, who))
    work.change().queued = queued.causes
    work.set_details(queued_causes=queued.packed())


def because(work: Work, cause: Cause, who: Sequence[MemberRow]) -> None:
    """One more cause of the current rebalance."""
    if work.state in (PREPARING, COMPLETING):
        episode = work.live.episode or _taken_over(work)
        _set(work, episode.with_cause(cause.because(work.now, who)))


def _set(work: Work, episode: Episode) -> None:
    """The causes are in the row as well: they survive the owner."""
    work.change().episode = episode
    work.set_details(causes=episode.packed())


def begin(work: Work, cause: Cause) -> None:
    """A rebalance begins, for all causes that are queued; after a takeover the row has one."""
    live = work.change()
    _set(work, Episode(work.now, live.queued or (cause.because(work.now, ()),)))
    live.phase_at = work.now
    forget_queue(work)


def forget_queue(work: Work) -> None:
    """What was queued is part of a rebalance now, or needs none."""
    work.change().queued = ()
    work.set_details(queued_causes=None)


def begin_start(work: Work) -> None:
    """All have stopped, and are told to start."""
    live = work.change()
    live.episode, live.phase_at = live.episode or _taken_over(work), work.now


def ended(work: Work, row: MemberRow, end: End) -> None:
    """The wait for a member has ended: it acknowledged, or it is about to be removed."""
    if not row.commands or work.state not in (PREPARING, COMPLETING):
        return
    live = work.change()
    episode = live.episode or _taken_over(work)
    silent_ms = max(0, work.now - live.beats[row.member_id].heard_at) if end in REMOVED else 0
    since = max(live.phase_at, episode.since)
    wait = Wait(row.member_id, Act.ACKNOWLEDGE, since, work.now, end, name_of(row), silent_ms)
    live.episode = episode.waited(wait)


def _taken_over(work: Work) -> Episode:
    """A rebalance that another owner began."""
    since, found = work.live.started_at, work.row.details.get(CAUSE)
    episode = Episode.resumed(since, work.row.details.get("causes", ()))
    if episode.causes or found is None:
        return episode
    return episode.with_cause(Cause.of(found).because(since, ()))


def at_once(work: Work, cause: Cause) -> Explanation:
    """What there is to say of a group that is empty without a rebalance."""
    return Episode(work.now, (cause.because(work.now, ()),)).explained(work.now)


def explained(work: Work) -> Explanation:
    """What there is to say of a rebalance that ends now."""
    return (work.live.episode or _taken_over(work)).explained(work.now)
