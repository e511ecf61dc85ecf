"""The join phase: from the start of a rebalance to the generation that ends it.

Only this file raises the generation, elects a leader and selects a protocol.
``join`` decides which members may join, ``leave`` and ``timers`` which are removed.
``resume`` is called first in every step, ``tidy`` last; both do nothing unless a rebalance is put
off (``guards``).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from groups.core.classic import awaited, guards, ownership
from groups.core.classic.live import Cause, Join, JoinPhase, SyncPhase, Window
from groups.core.classic.states import COMPLETING, EMPTY, PREPARING, REBALANCES, STABLE, UNASSIGNED
from groups.core.classic.work import Work
from groups.core.errors import ErrorCode
from groups.core.explanation import Episode, Explanation
from groups.core.facts import DEPARTURES
from groups.core.group import Millis
from groups.core.journal import NAMED_MAX, EntryKind, Trigger
from groups.core.replies import Joined, JoinedMember, Operated, Synced
from groups.core.rounds import Outcome
from groups.core.rows import MemberRow
from groups.core.subscription import metadata_of
from groups.core.values import SharedDict, replaced

EXTENSION_MS_MIN = 1_000
"""A join phase that waits on for static members waits at least this long: a member may name a
rebalance timeout of 0, and the timer must not spin."""


def rebalance_or_go_on(work: Work, cause: Cause) -> None:
    """Start a rebalance, unless it must wait; or, if one is in progress, check whether it can
    end."""
    if work.state == PREPARING:
        awaited.because(work, cause)
        maybe_complete(work)
    elif guards.holds(work, cause.trigger):
        guards.put_off(work, cause)
    else:
        prepare(work, cause)


def prepare(work: Work, cause: Cause) -> None:
    """Enter PreparingRebalance: the reply to its next heartbeat tells each member."""
    assert work.state in REBALANCES[cause.trigger].states, f"{cause.trigger} in {work.state}"
    ownership.interrupted(work)
    awaited.begin(work, cause)
    end_sync_phase(work, ErrorCode.REBALANCE_IN_PROGRESS)
    if work.state == COMPLETING:
        work.set_details(**{UNASSIGNED: True})
    live = work.change()
    live.join_phase, live.put_off = _round(work, cause), None
    work.note(
        EntryKind.REBALANCE_STARTED,
        **cause.entry(),
        details={"members": work.size, "from": work.state},
    )
    has_no_window = work.state == EMPTY and live.join_phase.window is None
    work.move_to(PREPARING)
    if has_no_window:
        complete(work)  # a window of no length: it ends at once, whoever else may be on the way
    else:
        maybe_complete(work)


def _round(work: Work, cause: Cause) -> JoinPhase:
    """The new join phase with its timer. The first one of an empty group is a window, since
    otherwise each of several members that start together would begin a rebalance."""
    timeout = rebalance_timeout_ms(work)
    delay = work.rules.group_initial_rebalance_delay_ms
    window = None
    if work.state == EMPTY and delay > 0:
        window = Window(max(timeout - delay, 0), grew=False, last_join=work.now)
        timeout = delay
    return JoinPhase(
        cause,
        started_at=work.now,
        armed_at=work.now,
        timeout_ms=timeout,
        window=window,
        left=cause.gone[:NAMED_MAX],
        left_count=len(cause.gone),
    )


def rebalance_timeout_ms(work: Work) -> int:
    """The group's rebalance timeout: the greatest of its members, including those with parked
    joins."""
    rows = (work.row_of(member_id) for member_id in work.members)
    fresh = (join.row for join in work.live.joins.values() if join.is_new)
    return max((row.rebalance_timeout_ms for group in (rows, fresh) for row in group), default=0)


def end_sync_phase(work: Work, code: ErrorCode) -> None:
    """Answer held syncs with a code, and stop waiting for syncs. Who was answered has a session
    from there, as in Kafka: it sent nothing while it waited."""
    if work.live.sync is None and not work.live.syncs:
        return
    live = work.change()
    for member_id, held in live.syncs.items():
        work.answer(held.ticket, Synced(error=code))
        work.hear(member_id)
    live.syncs.clear()
    live.unsynced.clear()
    live.sync = None


def maybe_complete(work: Work) -> None:
    """End the join phase if every member has joined and no returned member id is awaited.

    A group without members does not wait for returned member ids either. This does not shorten the
    first window of an empty group, in which more members are expected.
    """
    live = work.live
    if work.state != PREPARING or len(live.joins) < work.size or (live.awaited and work.size):
        return
    if live.join_phase is not None and live.join_phase.window is not None:
        return
    complete(work)


def on_deadline(work: Work) -> None:
    """The join timer has expired: extend the window, or continue with the members that have
    joined."""
    current = work.live.join_phase
    assert current is not None
    window = current.window
    end = current.armed_at + current.timeout_ms
    if window is not None and window.grew and window.remaining_ms > 0 and work.now >= end:
        if not _is_quiet(work, window):
            _extend(work, current, window, end)
            return
    complete(work)


def _is_quiet(work: Work, window: Window) -> bool:
    quiet_ms = work.rules.group_quiet_window_ms
    return quiet_ms > 0 and not work.live.awaited and work.now >= window.last_join + quiet_ms


def _extend(work: Work, current: JoinPhase, window: Window, end: Millis) -> None:
    delay = min(work.rules.group_initial_rebalance_delay_ms, window.remaining_ms)
    left = max(window.remaining_ms - current.timeout_ms, 0)
    work.set_join_phase(
        armed_at=end, timeout_ms=delay, window=replace(window, remaining_ms=left, grew=False)
    )


def complete(work: Work) -> None:
    """Decide the next generation with the members that have joined (static members stay in any
    case)."""
    drop_laggards(work)
    if work.members and not work.live.joins:
        _wait_on(work)
        return
    finished = work.live.join_phase
    assert finished is not None
    before = work.row.generation
    rejoined = work.change().joins
    if rejoined:
        _begin_generation(work)
    else:
        work.move_to(EMPTY, generation=before + 1, protocol_name=None, leader=None)
        ended = dict.fromkeys(("synced", "must_rebalance", "causes", "follow_up", UNASSIGNED))
        work.set_details(**ended)
    why = _journal_end(work, finished, before, rejoined)
    _report_operations(work)
    live = work.change()
    live.joins, live.fresh, live.join_phase = SharedDict(), 0, None
    live.episode = None
    if rejoined:
        awaited.begin_sync(work, why)
        live.why = why
    else:
        work.round_ended(Outcome.EMPTIED, why)
    live.generation = work.row.generation
    live.floor = work.now


def _wait_on(work: Work) -> None:
    """Only silent static members are left: wait for them again, in the same generation, since no
    member can form the next one."""
    timeout = max(rebalance_timeout_ms(work), EXTENSION_MS_MIN)
    work.set_join_phase(armed_at=work.now, timeout_ms=timeout, window=None)


def drop_laggards(work: Work) -> None:
    """Remove dynamic members that did not rejoin; a static one keeps its place (KIP-345)."""
    joins = work.live.joins
    late = [
        row for row in work.members.values() if row.member_id not in joins and not row.instance_id
    ]
    for row in late:
        awaited.removed(work, row.member_id, Trigger.JOIN_TIMED_OUT)
        work.remove_row(row.member_id, DEPARTURES[Trigger.JOIN_TIMED_OUT])
        note_departure(work, row.member_id, Trigger.JOIN_TIMED_OUT)
    if late:
        awaited.because(work, awaited.timed_out(late))


def note_departure(work: Work, member_id: str, trigger: str) -> None:
    """A member of the generation has left: only a new generation can follow (failover)."""
    details = work.row.details
    if details.get("must_rebalance") is None:
        work.set_details(must_rebalance=trigger)
    if work.row.leader == member_id:
        work.set_row(leader=None)
    if work.live.join_phase is not None:
        count_departure(work, member_id)


def count_departure(work: Work, member_id: str) -> None:
    """Record for the journal which members left during the join phase."""
    current = work.live.join_phase
    if current is None:
        return
    named = current.left if len(current.left) >= NAMED_MAX else (*current.left, member_id)
    work.set_join_phase(left=named, left_count=current.left_count + 1)


def _begin_generation(work: Work) -> None:
    live = work.change()
    joins = live.joins
    rows = {
        member_id: _settled(row, joins.get(member_id)) for member_id, row in work.members.items()
    }
    fresh = (join.row for join in joins.values() if join.is_new)
    rows.update((row.member_id, row) for row in sorted(fresh, key=lambda row: row.position))
    leader = _elect(work.row.leader, rows, joins)
    work.move_to(
        COMPLETING,
        generation=work.row.generation + 1,
        protocol_name=select_protocol(live.preferences),
        leader=leader,
    )
    work.set_details(synced=False, must_rebalance=None, causes=None, follow_up=None)
    if any(row is not work.members.get(member_id) for member_id, row in rows.items()):
        work.set_members(rows)
    live.unsynced = SharedDict(dict.fromkeys(rows))
    work.facts += [ownership.began(work, join) for join in joins.values() if join.is_new]
    ownership.joined_again(work, joins)
    _arm_sync(work)
    _answer_joins(work, joins)


def _settled(row: MemberRow, join: Join | None) -> MemberRow:
    """The member's row in the new generation; the same object if nothing changed."""
    if join is None:
        return row
    wished = replaced(join.row, assignment=row.assignment, details=row.details)
    return row if wished == row else wished


def _elect(leader: str | None, rows: Iterable[str], joins: Mapping[str, Join]) -> str:
    """The leader stays if it rejoined; otherwise the first member that rejoined is elected."""
    if leader is not None and leader in joins:
        return leader
    return next(member_id for member_id in rows if member_id in joins)


def select_protocol(preferences: dict[tuple[str, ...], int]) -> str:
    """Each member votes for the first name in its list that all support; most votes win.

    Kafka does not define ties; here the lesser name wins, so that the same inputs give the same
    decision.
    """
    candidates = set.intersection(*(set(names) for names in preferences))
    assert candidates, "members without a common protocol were let in"
    votes = Counter[str]()
    for names, count in preferences.items():
        votes[next(name for name in names if name in candidates)] += count
    return min(votes, key=lambda name: (-votes[name], name))


def _arm_sync(work: Work) -> None:
    timeout = max(row.rebalance_timeout_ms for row in work.members.values())
    work.change().sync = SyncPhase(work.now, work.now, timeout)


def arm_sync_anew(work: Work) -> None:
    """Wait for everyone's SyncGroup again, after a change of owner."""
    work.change().unsynced = SharedDict(dict.fromkeys(work.members))
    work.change().episode = Episode.resumed(work.now, work.row.details.get("causes", ()))
    _arm_sync(work)


def _answer_joins(work: Work, joins: Mapping[str, Join]) -> None:
    for member_id in work.members:
        join = joins.get(member_id)
        if join is not None:
            work.answer(join.ticket, current_generation(work, member_id))


def current_generation(work: Work, member_id: str) -> Joined:
    """JoinGroup's reply in the current generation; only the leader receives the members."""
    row = work.row
    return Joined(
        member_id=member_id,
        generation_id=row.generation,
        protocol_type=row.protocol_type,
        protocol_name=row.protocol_name,
        leader=row.leader or "",
        members=everyone(work) if member_id == row.leader else (),
    )


def everyone(work: Work) -> tuple[JoinedMember, ...]:
    """The members with their metadata for the selected protocol, in order of arrival."""
    name = work.row.protocol_name
    return tuple(
        JoinedMember(row.member_id, row.instance_id, metadata_of(row.subscription, name))
        for row in work.members.values()
    )


def _journal_end(
    work: Work, finished: JoinPhase, before: int, joins: Mapping[str, Join]
) -> Explanation:
    why = awaited.explained_join(work, finished, joins)
    new = [member_id for member_id, join in joins.items() if join.is_new]
    work.note(
        EntryKind.REBALANCE_COMPLETED if joins else EntryKind.EMPTIED,
        **finished.cause.entry(),
        generation_before=before,
        duration_ms=why.ms,
        waited_for=why.waited_for(),
        joined=tuple(new[:NAMED_MAX]),
        left=finished.left,
        details={
            "members": len(work.members),
            "waited_for_count": why.count,
            "joined_count": len(new),
            "left_count": finished.left_count,
        },
        why=why,
    )
    return why


def _report_operations(work: Work) -> None:
    """End the operations that waited for this generation."""
    pending = work.row.details.get("operations", ())
    work.set_details(operations=None)
    generation = work.row.generation
    detail = f"the group reached generation {generation}"
    for operation_id in pending:
        work.operations.append(Operated(operation_id, ErrorCode.NONE, detail, generation))


AGAIN = Cause(Trigger.MEMBER_JOINED, "members joined while the group was frozen")


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
    if not work.live.is_owed(work.row):
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
