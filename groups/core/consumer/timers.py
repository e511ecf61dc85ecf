"""Time in a consumer group: sessions, rebalance timers, and targets that had to wait.

``due`` finds the next time at which a tick decides something, ``tick`` decides it. Neither reads a
clock.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from groups.core.assignors.task import AssignorFailed
from groups.core.consumer import (
    awaited,
    classic_heartbeats,
    client_assignment,
    client_rounds,
    guards,
    rebalance,
    target_schedule,
    votes,
)
from groups.core.consumer.index import Index
from groups.core.consumer.leave import remove
from groups.core.consumer.live import Live
from groups.core.consumer.member import Member
from groups.core.consumer.sessions import Sessions
from groups.core.consumer.work import Work
from groups.core.events import Tick
from groups.core.group import Beat, Millis, Rules
from groups.core.journal import Trigger
from groups.core.rows import Durable


def due(
    durable: Durable,
    members: Mapping[str, Member],
    index: Index,
    live: Live,
    rules: Rules,
    now: Millis,
) -> Millis | None:
    """The end of the next session or rebalance timer, or of a rebalance's wait; at once if other
    rules began or ended a wait; None: never. O(members)."""
    if awaited.is_unnoted(durable.group, index, live, rules, now):
        return now
    ends = list(_session_ends(members, index, live, rules))
    for timers in (live.timers, live.calls, live.syncs):
        ends += [timer.deadline for timer in timers.values()]
    target = guards.due(durable.group, live, rules)
    ends += [end for end in (target, client_rounds.due(live.client_round)) if end is not None]
    return min(ends, default=None)


def _session_ends(
    members: Mapping[str, Member], index: Index, live: Live, rules: Rules
) -> Iterator[Millis]:
    """Of each member of the classic protocol, and the first one of the others: their sessions have
    the same length, so the oldest beat decides."""
    sessions, beats, classic = Sessions(live, index, rules), live.beats, index.classic
    others = beats.values() if not classic else _without(beats, classic)
    first = min((beat.at for beat in others), default=None)
    if first is not None:
        yield max(first, live.floor) + sessions.usual_ms
    for member_id in classic:
        yield sessions.end(members[member_id])


def _without(beats: Mapping[str, Beat], left_out: Collection[str]) -> Iterable[Beat]:
    return (beat for member_id, beat in beats.items() if member_id not in left_out)


def tick(work: Work, _event: Tick) -> None:
    """Remove members whose sessions or rebalance timers have ended."""
    for timers, what in (
        ("timers", "did not give partitions up in time"),
        ("calls", "did not join again in time"),
        ("syncs", "sent no SyncGroup in time"),
    ):
        late = [
            work.members[m] for m in classic_heartbeats.over(getattr(work.live, timers), work.now)
        ]
        if late:
            remove(work, late, Trigger.REBALANCE_TIMEOUT, _reason(late, what))
    sessions = Sessions(work.live, work.index, work.rules)
    silent = [member for member in work.members.values() if work.now >= sessions.end(member)]
    if silent:
        remove(work, silent, Trigger.SESSION_EXPIRED, _reason(silent, "sent no heartbeat in time"))
    awaited.look_at_owed(work)
    client_assignment.tick(work)
    if guards.is_put_off(work.row) or work.live.schedule.is_wanted:
        try:
            rebalance.assign(work)
        except AssignorFailed as error:  # no request waits for an error
            target_schedule.failed(work, votes.vote(work), str(error))


def _reason(members: Sequence[Member], what: str) -> str:
    return f"a member {what}" if len(members) == 1 else f"{len(members)} members {what}"
