"""The timers of a classic group: sessions, handed-out ids, the join and the sync phase, and
rebalances that were put off.

``due`` finds the next time at which a tick decides something, ``tick`` decides it. ``resume`` is
called first in every step, ``tidy`` last; both do nothing unless a rebalance is put off
(``guards``). None reads a clock.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from groups.core.classic import awaited, guards
from groups.core.classic.join_phase import (
    end_sync_phase,
    maybe_complete,
    on_deadline,
    prepare,
    rebalance_or_go_on,
)
from groups.core.classic.leave import remove
from groups.core.classic.live import Cause, Join, Live
from groups.core.classic.states import (
    COMPLETING,
    EMPTY,
    MEMBER_JOINED,
    PREPARING,
    SESSION_EXPIRED,
    STABLE,
    SYNC_EXPIRED,
)
from groups.core.classic.work import Work
from groups.core.errors import ErrorCode
from groups.core.events import Tick
from groups.core.explanation import End
from groups.core.group import Millis, Rules
from groups.core.journal import EntryKind
from groups.core.rows import Durable, MemberRow
from groups.core.step import EXACT_MAX
from groups.core.values import SharedDict


def due(durable: Durable, live: Live, rules: Rules, earliest: Millis | None) -> Millis | None:
    """The earliest time at which ``tick`` would decide something; ``earliest``: the earliest
    deadline of single members."""
    deadlines = _of_the_group(durable, live, rules)
    return min(deadlines if earliest is None else (earliest, *deadlines), default=None)


def ids(durable: Durable, live: Live) -> Iterable[str]:
    """All ids with deadlines: members, including parked ones, and handed-out ids."""
    return chain(durable.members, live.joins, live.pending)


def earliest_of(ids: Iterable[str], durable: Durable, live: Live) -> Millis | None:
    """The earliest deadline of these ids."""
    joins, pending, syncs, rows = live.joins, live.pending, live.syncs, durable.members
    has_joins, has_pending, has_syncs = bool(joins), bool(pending), bool(syncs)
    ends: list[Millis] = []
    for member_id in ids:  # no look-up in what is empty, as most is most of the time
        if has_joins and member_id in joins:
            ends += _of_a_join(live, joins[member_id])
        elif has_pending and member_id in pending:
            ends += _of_an_id(live, member_id)
        elif not (has_syncs and member_id in syncs) and (row := rows.get(member_id)) is not None:
            ends.append(live.session_end(row))
    return min(ends, default=None)


def touched(durable: Durable, live: Live, after: Durable, changed: Live) -> Iterable[str] | None:
    """The ids whose deadlines a step may have made earlier, by its working copy ``changed`` of
    ``live``; None: all."""
    if len(changed.beats) + len(changed.pending) <= EXACT_MAX:
        return None
    if changed.floor != live.floor or (changed.join_phase is None) is not (live.join_phase is None):
        return None
    ids: set[str] = set()
    for entries in (changed.beats, changed.joins, changed.syncs, changed.pending):
        if entries.touched is None:
            return None
        ids |= entries.touched
    rows = after.members
    if rows is durable.members:
        return ids
    return ids | rows.touched if isinstance(rows, SharedDict) and rows.touched is not None else None


def _of_the_group(durable: Durable, live: Live, rules: Rules) -> Iterator[Millis]:
    if live.recovering:
        yield live.floor
    if live.sync is not None and live.unsynced:
        yield live.sync.deadline
    if live.join_phase is not None:
        yield live.join_phase.deadline(rules.group_quiet_window_ms, bool(live.awaited))
    held_until = guards.due(durable, live, rules)
    if held_until is not None:
        yield held_until


def _of_an_id(live: Live, member_id: str) -> Iterator[Millis]:
    yield live.pending_deadline(live.pending[member_id])
    if live.awaits(member_id):
        yield live.awaited_until(live.pending[member_id])


def _of_a_join(live: Live, join: Join) -> Iterator[Millis]:
    if live.join_phase is None:
        yield guards.join_deadline(live, join)
    elif join.is_new:
        yield live.guard_deadline(join)


def tick(work: Work, event: Tick) -> None:
    """Decide everything that is due."""
    _forget_pending(work)
    _expire_sessions(work)
    _expire_held_joins(work)
    _expire_syncs(work)
    _end_join_phase(work)


def _forget_pending(work: Work) -> None:
    live, now = work.live, work.now
    late = [m for m, pending in live.pending.items() if now >= live.pending_deadline(pending)]
    for member_id in late:
        awaited.id_ended(work, member_id, End.SILENT)
        work.take_back(member_id)
    no_more = [m for m in live.awaited.values() if now >= live.awaited_until(live.pending[m])]
    for member_id in no_more:
        awaited.id_ended(work, member_id, End.PENDING)
        work.await_no_more(member_id)
    if late or no_more:
        maybe_complete(work)


def _expire_sessions(work: Work) -> None:
    """Remove silent members. A member with a parked request is not silent, except a new one whose
    first join has been parked for too long."""
    late = list(_silent(work))
    for row in late:
        remove(work, row.member_id, SESSION_EXPIRED)
    if late:
        rebalance_or_go_on(work, _cause(SESSION_EXPIRED, "was not heard of in time", late))


def _silent(work: Work) -> Iterator[MemberRow]:
    live, now = work.live, work.now
    for row in work.members.values():
        if row.member_id in live.joins or row.member_id in live.syncs:
            continue
        if now >= live.session_end(row):
            yield row
    for join in live.joins.values():
        if live.join_phase is not None and join.is_new and now >= live.guard_deadline(join):
            yield join.row


def _expire_held_joins(work: Work) -> None:
    """A member that has waited long enough for a rebalance that was put off starts over.

    UNKNOWN_MEMBER_ID is what every client starts over on; REBALANCE_IN_PROGRESS ends some
    (docs/decisions/0010-guard-rails.md).
    """
    live = work.live
    if live.join_phase is not None:
        return
    joins = live.joins.values()
    late = [join.row for join in joins if work.now >= guards.join_deadline(live, join)]
    members = [row for row in late if row.member_id in work.members]
    for row in late:
        remove(work, row.member_id, SESSION_EXPIRED)
    if members:
        what = "waited too long for a rebalance that was put off"
        rebalance_or_go_on(work, _cause(SESSION_EXPIRED, what, members))


def _expire_syncs(work: Work) -> None:
    """Remove members that joined but sent no SyncGroup, in Stable too: the leader may have synced
    before others disappeared."""
    live = work.live
    if live.sync is None or not live.unsynced or work.now < live.sync.deadline:
        return
    assert work.state in (COMPLETING, STABLE)
    late = [row for row in work.members.values() if row.member_id in live.unsynced]
    for row in late:
        remove(work, row.member_id, SYNC_EXPIRED)
    rebalance_or_go_on(work, _cause(SYNC_EXPIRED, "sent no SyncGroup in time", late))


def _end_join_phase(work: Work) -> None:
    """End or extend the join phase; several extensions may have passed since the last tick."""
    quiet_ms = work.rules.group_quiet_window_ms
    while work.state == PREPARING:
        current = work.live.join_phase
        assert current is not None
        if work.now < current.deadline(quiet_ms, bool(work.live.awaited)):
            return
        on_deadline(work)


def _cause(trigger: str, what: str, late: list[MemberRow]) -> Cause:
    who = "a member" if len(late) == 1 else f"{len(late)} members"
    ids = tuple(row.member_id for row in late)
    first, named = late[0], awaited.named(late)
    reason = f"{who} {what}"
    return Cause(trigger, reason, first.member_id, first.client_id, ids, named=named)


AGAIN = Cause(MEMBER_JOINED, "members joined while the group was frozen")


def resume(work: Work) -> None:
    """Begin the rebalance that was put off, if no guard rail delays it any more."""
    cause = work.live.put_off
    if cause is not None and not guards.holds(work, cause.trigger):
        prepare(work, cause)


def tidy(work: Work) -> None:
    """A group that lost its last member while it was frozen becomes empty; a rebalance that is not
    necessary any more is forgotten."""
    if work.live.put_off is None:
        return
    if work.state == STABLE and not work.members:
        _empty(work)
    if not guards.is_owed(work.row, work.live):
        work.change().put_off = None


def _empty(work: Work) -> None:
    """Become empty with the next generation, without a join phase: new members continue to wait."""
    generation, trigger = work.row.generation, work.row.details["must_rebalance"]
    end_sync_phase(work, ErrorCode.UNKNOWN_MEMBER_ID)
    work.move_to(PREPARING)
    work.move_to(EMPTY, generation=generation + 1, protocol_name=None, leader=None)
    work.set_details(synced=None, must_rebalance=None, causes=None, follow_up=None)
    live = work.change()
    live.generation, live.floor, live.put_off = generation + 1, work.now, AGAIN
    work.note(
        EntryKind.EMPTIED,
        trigger=trigger,
        reason="the last member went while the group was frozen",
        generation_before=generation,
    )
