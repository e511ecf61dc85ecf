"""What a classic group's rebalance waits for, noted for its journal entries (``explanation``).

A join phase awaits its members' JoinGroup, and handed-out ids; a sync phase the SyncGroup. Members
that do what is awaited are found at the end of the phase, in their parked requests; removals are
noted when they happen. Decides nothing.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import pairwise

from groups.core.classic.live import Cause, Join, JoinPhase, SyncPhase
from groups.core.classic.states import COMPLETING
from groups.core.classic.work import Work
from groups.core.explanation import (
    CAUSE_NAMED_MAX,
    REMOVALS,
    Because,
    End,
    Episode,
    Explanation,
    Phase,
    Wait,
)
from groups.core.group import Millis
from groups.core.journal import Trigger
from groups.core.rows import MemberRow
from groups.core.waiting import Act, name_of


def begin(work: Work, cause: Cause) -> None:
    """A rebalance begins. What an interrupted sync phase waited for belongs to it."""
    live = work.change()
    episode = left_off(work) or Episode(work.now)
    live.episode = cause.add_to(episode, work.now, live.next_position)
    _keep(work, cause)


def go_on(work: Work, episode: Episode, cause: Cause) -> None:
    """A rebalance that began under the other protocol goes on in the join phase that has begun for
    its last cause."""
    work.change().episode = episode
    _keep(work, cause)


def left_off(work: Work) -> Episode | None:
    """The rebalance that is interrupted now, with what it has waited for; None: none is."""
    live, episode = work.live, work.live.episode
    if episode is None:
        return None
    if live.join_phase is not None:
        so_far = _so_far(work, live.join_phase, live.joins, End.PENDING)
        return so_far.with_arrivals(_arrivals(live.join_phase, episode, live.joins))
    if work.state == COMPLETING and live.sync is not None:
        return episode.phased(*_synced(work, live.sync))
    return None


def _keep(work: Work, cause: Cause) -> None:
    """Causes for which a new owner has to go on are in the row; it is written for them anyway."""
    episode, is_owed = work.live.episode, work.row.details.get("must_rebalance") is not None
    if episode is not None and is_owed and cause.trigger in REMOVALS:
        work.set_details(causes=episode.packed())


def because(work: Work, cause: Cause) -> None:
    """One more cause during a join phase. (Of new members their parked joins are the note.)"""
    episode = work.live.episode
    if episode is not None and cause.trigger != Trigger.MEMBER_JOINED:
        live = work.change()
        live.episode = cause.add_to(episode, work.now, live.next_position)
        _keep(work, cause)


def named(rows: Sequence[MemberRow]) -> tuple[tuple[str | None, str | None], ...]:
    """The members that a cause names."""
    return tuple((row.member_id, name_of(row)) for row in rows[:CAUSE_NAMED_MAX])


def timed_out(late: Sequence[MemberRow]) -> Cause:
    """The cause by which the end of a join phase removes members."""
    who = "a member" if len(late) == 1 else f"{len(late)} members"
    ids = tuple(row.member_id for row in late)
    reason = f"{who} did not rejoin in time"
    return Cause(Trigger.JOIN_TIMED_OUT, reason, gone=ids, named=named(late))


def removed(work: Work, member_id: str, trigger: str) -> None:
    """A member is about to be removed: note how long it was waited for, or that it had come."""
    episode, wait = work.live.episode, _of_removed(work, member_id, REMOVALS[trigger])
    join, phase = work.live.joins.get(member_id), work.live.join_phase
    if episode is None or (phase is None and wait is None):
        return
    if wait is not None:
        episode = episode.waited(wait)
    if phase is not None and join is not None and join.is_new and not _began_it(phase, member_id):
        at, mark = max(phase.started_at, join.first), join.row.position + 1
        who = named([join.row])
        came = Because(at, at, Trigger.MEMBER_JOINED, "a new member joined", "", 1, who, -mark)
        episode = episode.with_cause(came)
    work.change().episode = episode


def had_synced(work: Work, member_id: str) -> None:
    """A member that has synced is about to be replaced by another id."""
    episode, wait = work.live.episode, _of_removed(work, member_id, End.RETURNED)
    if episode is not None and wait is not None and wait.act is Act.SYNC:
        work.change().episode = episode.waited(wait)


def _began_it(phase: JoinPhase, member_id: str) -> bool:
    return phase.cause.trigger == Trigger.MEMBER_JOINED and phase.cause.member_id == member_id


def _of_removed(work: Work, member_id: str, end: End) -> Wait | None:
    live, phase, sync = work.live, work.live.join_phase, work.live.sync
    if phase is not None:
        join = live.joins.get(member_id)
        if join is not None:
            return _of_join(join, phase)
        return _not_done(work, Act.REJOIN, member_id, phase.started_at, end)
    if sync is not None and work.state == COMPLETING and member_id in work.members:
        held = live.syncs.get(member_id)
        if held is not None:
            name = name_of(work.members[member_id])
            return Wait(member_id, Act.SYNC, sync.started_at, held.at, End.SYNCED, name)
        return _not_done(work, Act.SYNC, member_id, sync.started_at, end)
    return None


def _not_done(work: Work, act: Act, member_id: str, since: Millis, end: End) -> Wait:
    name, silent_ms = name_of(work.members[member_id]), work.now - work.live.really_heard(member_id)
    return Wait(member_id, act, since, work.now, end, name, max(0, silent_ms))


def _of_join(join: Join, phase: JoinPhase) -> Wait | None:
    """The wait for a member that has joined; for a new one since it was given its id."""
    member_id, name, since = join.row.member_id, name_of(join.row), phase.started_at
    if not join.is_new:
        return Wait(member_id, Act.REJOIN, since, join.first, End.REJOINED, name)
    if join.awaited_since is None:
        return None
    since = max(since, join.awaited_since)
    return Wait(member_id, Act.JOIN, since, join.first, End.JOINED, name)


def id_ended(work: Work, member_id: str, end: End) -> None:
    """A handed-out id is about to be forgotten, or awaited no more."""
    pending = work.live.pending.get(member_id)
    phase, episode = work.live.join_phase, work.live.episode
    if pending is None or phase is None or episode is None or not work.live.awaits(member_id):
        return
    since = max(phase.started_at, pending.since)
    wait = Wait(member_id, Act.JOIN, since, work.now, end, "")
    work.change().episode = episode.waited(wait)


def explained_join(work: Work, phase: JoinPhase, joins: Mapping[str, Join]) -> Explanation:
    """What there is to say of a join phase that ends now."""
    so_far = _so_far(work, phase, joins, End.KEPT)
    return so_far.explained(work.now, _arrivals(phase, so_far, joins))


def _so_far(work: Work, phase: JoinPhase, joins: Mapping[str, Join], others: End) -> Episode:
    """With what a join phase waited for. ``others``: how it ended for those that did not join."""
    episode = work.live.episode or Episode(phase.started_at, is_partial=True)
    for wait in _with_new_ids(work, phase, joins):
        episode = episode.waited(wait)
    since, now = phase.started_at, work.now
    came = [(j.first, m) for m, j in joins.items() if not j.is_new and j.first > since]
    rest = [(now, m) for m in work.members if m not in joins] if now > since else []
    return episode.phased(
        Phase(Act.REJOIN, End.REJOINED, since, came), Phase(Act.REJOIN, others, since, rest)
    )


def _with_new_ids(work: Work, phase: JoinPhase, joins: Mapping[str, Join]) -> Iterator[Wait]:
    """The waits for clients that were given their ids, whether they have used them or not."""
    for join in joins.values():
        if join.awaited_since is not None and join.is_new:
            wait = _of_join(join, phase)
            if wait is not None:
                yield wait
    for member_id in work.live.awaited.values():
        since = max(phase.started_at, work.live.pending[member_id].since)
        yield Wait(member_id, Act.JOIN, since, work.now, End.PENDING, "")


def _arrivals(phase: JoinPhase, episode: Episode, joins: Mapping[str, Join]) -> Iterator[Because]:
    """The new members: one cause for all that came between two others."""
    new = [j for j in joins.values() if j.is_new and not _began_it(phase, j.row.member_id)]
    cuts = [0]
    if len(episode.causes) > 1:
        new.sort(key=_first)
        first = [join.first for join in new]
        cuts = [bisect_left(first, cause.at) for cause in episode.causes]
    for begin_at, end_at in pairwise(sorted({0, *cuts, len(new)})):
        some = new[begin_at:end_at]
        earliest = nsmallest(CAUSE_NAMED_MAX, some, key=_first)
        last_at = max(phase.started_at, max(map(_first, some)))
        at, who = max(phase.started_at, earliest[0].first), named([j.row for j in earliest])
        yield Because(at, last_at, Trigger.MEMBER_JOINED, "a new member joined", "", len(some), who)


def _first(join: Join) -> Millis:
    return join.first


def begin_sync(work: Work, why: Explanation) -> None:
    """The sync phase begins, for the first cause of its join phase."""
    first, now = why.causes[0], work.now
    cause = Because(now, now, *first[:5])
    live = work.change()
    live.episode = Episode(now, (cause,))
    work.set_details(causes=live.episode.packed())


def explained_sync(work: Work) -> Explanation | None:
    """What there is to say of a sync phase that ends now with an assignment."""
    sync, episode = work.live.sync, work.live.episode
    if sync is None or episode is None:
        return None
    return episode.phased(*_synced(work, sync)).explained(work.now)


def _synced(work: Work, sync: SyncPhase) -> tuple[Phase, Phase]:
    since, now, rows = sync.started_at, work.now, work.members
    done = [(held.at, m) for m, held in work.live.syncs.items() if held.at > since]
    late = [(now, m) for m in work.live.unsynced if m in rows] if now > since else []
    return Phase(Act.SYNC, End.SYNCED, since, done), Phase(Act.SYNC, End.PENDING, since, late)
