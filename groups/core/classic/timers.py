"""What time ends in a classic group: sessions, handed-out ids, the join and the sync phase.

``Live.due`` finds the next time at which ``tick`` decides something. Neither reads a clock.
"""

from collections.abc import Iterator

from groups.core.classic import awaited
from groups.core.classic.join_phase import maybe_complete, on_deadline, rebalance_or_go_on
from groups.core.classic.leave import remove
from groups.core.classic.live import Cause
from groups.core.classic.states import COMPLETING, PREPARING, STABLE
from groups.core.classic.work import Work
from groups.core.events import Tick
from groups.core.explanation import End
from groups.core.journal import Trigger
from groups.core.rows import MemberRow


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
        remove(work, row.member_id, Trigger.SESSION_EXPIRED)
    if late:
        rebalance_or_go_on(work, _cause(Trigger.SESSION_EXPIRED, "was not heard of in time", late))


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
    late = [join.row for join in joins if work.now >= live.join_deadline(join)]
    members = [row for row in late if row.member_id in work.members]
    for row in late:
        remove(work, row.member_id, Trigger.SESSION_EXPIRED)
    if members:
        what = "waited too long for a rebalance that was put off"
        rebalance_or_go_on(work, _cause(Trigger.SESSION_EXPIRED, what, members))


def _expire_syncs(work: Work) -> None:
    """Remove members that joined but sent no SyncGroup, in Stable too: the leader may have synced
    before others disappeared."""
    live = work.live
    if live.sync is None or not live.unsynced or work.now < live.sync.deadline:
        return
    assert work.state in (COMPLETING, STABLE)
    late = [row for row in work.members.values() if row.member_id in live.unsynced]
    for row in late:
        remove(work, row.member_id, Trigger.SYNC_EXPIRED)
    rebalance_or_go_on(work, _cause(Trigger.SYNC_EXPIRED, "sent no SyncGroup in time", late))


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
