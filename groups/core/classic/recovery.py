"""Combines rows and live state after a takeover, or after a reload by the same owner.

The rows decide. State that they do not contain gets the safest value: generations never decrease,
and a rebalance that the rows do not require is dropped with the parked requests that had started
it. Sessions and phases continue where earlier owners left them (``groups.core.earlier``); what is
not known of them starts again in full.
"""

from dataclasses import replace

from groups.core.classic import guards
from groups.core.classic.join_phase import arm_sync_anew, maybe_complete, rebalance_or_go_on
from groups.core.classic.live import Cause, Join, JoinPhase, Live
from groups.core.classic.states import COMPLETING, EMPTY, PREPARING, RECOVERIES, STABLE
from groups.core.classic.work import Work
from groups.core.earlier import Earlier, beats_of, floor_of
from groups.core.errors import ErrorCode
from groups.core.events import Ticket
from groups.core.explanation import Episode
from groups.core.group import Millis, Rules, forgiven, forgiven_beats
from groups.core.journal import EntryKind, Trigger
from groups.core.replies import Joined, Reply, Synced
from groups.core.rows import Durable
from groups.core.subscription import protocol_names
from groups.core.values import SharedDict

OVERSIZED = Cause(Trigger.GROUP_OVERSIZED, "the group has more members than group.max.size")


def fresh(durable: Durable, now: Millis, rules: Rules, earlier: Earlier | None = None) -> Live:
    """The live state of a group that a new owner has just loaded."""
    live = Live(floor=now, generation=durable.group.generation, settled_at=now, earlier=earlier)
    live.beats = SharedDict(beats_of(durable.members, now, earlier))
    live.floor = floor_of(live.beats, now)
    for row in durable.members.values():
        live.count(protocol_names(row.subscription), row, +1)
        if row.instance_id is not None:
            live.instances[row.instance_id] = row.member_id
        live.next_position = max(live.next_position, row.position + 1)
    live.recovering = durable.exists and not _is_settled(durable, rules)
    if not live.recovering:
        live.earlier = None
    return live


def _is_settled(durable: Durable, rules: Rules) -> bool:
    """Whether the old owner had begun nothing. That is so for most groups, which then need no
    step."""
    if durable.group.state == EMPTY:
        return True
    fits = len(durable.members) <= rules.group_max_size
    return durable.group.state == STABLE and "must_rebalance" not in durable.group.details and fits


def recover(work: Work) -> None:
    """The first step of a new owner: finish what the old one had begun."""
    earlier = work.live.earlier
    live = work.change()
    live.recovering, live.earlier = False, None
    if work.state == PREPARING:
        if work.live.join_phase is not None:
            maybe_complete(work)
        elif work.row.details.get("must_rebalance") is not None:
            _resume_join_phase(work, earlier)
        else:
            _abandon_join_phase(work)
    if work.state == COMPLETING:
        _resume_sync_phase(work, earlier)
    if work.state == STABLE and "must_rebalance" in work.row.details:
        trigger = work.row.details["must_rebalance"]
        work.change().put_off = Cause(trigger, "it had been put off under another owner")
    if work.state in (COMPLETING, STABLE) and work.size > work.rules.group_max_size:
        rebalance_or_go_on(work, OVERSIZED)
        if work.live.put_off is not None:
            guards.owe(work, OVERSIZED)


def _resume_join_phase(work: Work, earlier: Earlier | None) -> None:
    timeout = max((row.rebalance_timeout_ms for row in work.members.values()), default=0)
    armed_at = work.now
    if earlier is not None:
        armed_at = earlier.wait(join_wait(work.row.generation), timeout, work.now)
    trigger, reason = work.row.details["must_rebalance"], "it had begun under another owner"
    live, started_at = work.change(), min(armed_at, work.now)
    first = [[trigger, reason, "", 1, []]]
    live.episode = Episode.resumed(started_at, work.row.details.get("causes") or first)
    live.join_phase = JoinPhase(Cause(trigger, reason), started_at, armed_at, timeout)
    maybe_complete(work)


def _resume_sync_phase(work: Work, earlier: Earlier | None) -> None:
    arm_sync_anew(work)
    sync = work.live.sync
    if earlier is not None and sync is not None:
        armed_at = earlier.wait(sync_wait(work.row.generation), sync.timeout_ms, work.now)
        started_at = min(armed_at, work.now)
        work.change().sync = replace(sync, started_at=started_at, armed_at=armed_at)


def join_wait(generation: int) -> str:
    """The name of the join phase after this generation (``Group.waits``)."""
    return f"join/{generation}"


def sync_wait(generation: int) -> str:
    """The name of the sync phase of this generation."""
    return f"sync/{generation}"


def waits(durable: Durable, live: Live) -> dict[str, Millis]:
    """Since when the current phases wait, by these names. Not the window of an empty group's first
    rebalance, which no later owner resumes."""
    found = {}
    if live.join_phase is not None and live.join_phase.window is None:
        found[join_wait(durable.group.generation)] = live.join_phase.armed_at
    if live.sync is not None and durable.group.state == COMPLETING:
        found[sync_wait(durable.group.generation)] = live.sync.armed_at
    return found


def _abandon_join_phase(work: Work) -> None:
    synced = work.row.details.get("synced", False)
    state = EMPTY if not work.members else STABLE if synced else COMPLETING
    assert state in RECOVERIES[work.state]
    work.set_row(state=state)
    work.note(
        EntryKind.REBALANCE_ABANDONED,
        trigger=Trigger.OWNER_CHANGED,
        reason="the requests that had started it ended with their owner",
    )


def kept(durable: Durable, live: Live, now: Millis, rules: Rules) -> Live:
    """The live state after a reload by the same owner: the part that the rows still allow."""
    after = fresh(durable, now, rules)
    after.floor, after.settled_at = live.floor, live.settled_at
    after.next_position = max(after.next_position, live.next_position)
    after.beats = SharedDict((m, live.beats.get(m, beat)) for m, beat in after.beats.items())
    after.pending = SharedDict((m, p) for m, p in live.pending.items() if m not in durable.members)
    after.awaited = SharedDict((c, m) for c, m in live.awaited.items() if m in after.pending)
    after.told = SharedDict((m, told) for m, told in live.told.items() if m in durable.members)
    after.rejoined, after.idle = live.rejoined, live.idle
    if durable.group.state == PREPARING and live.join_phase is not None:
        _keep_joins(durable, live, after)
        if after.joins or "must_rebalance" in durable.group.details:
            after.join_phase, after.episode = live.join_phase, live.episode
    elif _same_sync_phase(durable, live):
        after.sync, after.recovering, after.episode = live.sync, False, live.episode
        after.why = live.why
        after.unsynced = SharedDict((m, None) for m in live.unsynced if m in durable.members)
        if durable.group.state != STABLE:
            after.syncs = SharedDict((m, s) for m, s in live.syncs.items() if m in durable.members)
    elif durable.group.state == STABLE and live.join_phase is None and not live.recovering:
        after.recovering = False
    _keep_held(durable, live, after)
    after.dropped = _dropped(durable, live, set(after.tickets()))
    return after


def _keep_held(durable: Durable, live: Live, after: Live) -> None:
    """A rebalance that was put off continues to wait; ``recover`` handles what only the rows
    contain."""
    if durable.group.state not in (EMPTY, STABLE) or live.join_phase is not None:
        return
    _keep_joins(durable, live, after)
    if after.is_owed(durable.group):
        after.put_off = live.put_off
        after.recovering = after.recovering or live.put_off is None


def _same_sync_phase(durable: Durable, live: Live) -> bool:
    return (
        durable.group.state in (COMPLETING, STABLE)
        and durable.group.generation == live.generation
        and live.sync is not None
    )


def _keep_joins(durable: Durable, live: Live, after: Live) -> None:
    for member_id, join in live.joins.items():
        row = durable.members.get(member_id)
        if row is None and not join.is_new:
            continue
        if row is None and _is_taken(join, after):
            continue
        _keep_join(after, replace(join, is_new=row is None), live)
        if row is not None:
            after.count(protocol_names(row.subscription), row, -1)


def _is_taken(join: Join, after: Live) -> bool:
    """Whether in the rows another member has the new member's instance id."""
    instance_id = join.row.instance_id
    return instance_id is not None and instance_id in after.instances


def _keep_join(after: Live, join: Join, live: Live) -> None:
    member_id = join.row.member_id
    after.joins[member_id] = join
    after.count(join.names, join.row, +1)
    if join.is_new:
        after.fresh += 1
        after.beats[member_id] = live.beats[member_id]
        if join.row.instance_id is not None:
            after.instances[join.row.instance_id] = member_id


def _dropped(durable: Durable, live: Live, still: set[Ticket]) -> dict[Ticket, Reply]:
    """The answers to tickets that are invalid after the reload."""
    answers: dict[Ticket, Reply] = {}
    holders = {row.instance_id: row.member_id for row in durable.members.values()}
    for member_id, join in live.joins.items():
        if join.ticket is not None and join.ticket not in still:
            code = _code(member_id, join.row.instance_id, durable, holders)
            answers[join.ticket] = Joined(error=code, member_id=member_id)
    for member_id, held in live.syncs.items():
        if held.ticket is not None and held.ticket not in still:
            answers[held.ticket] = _late_sync(member_id, durable, live)
    return answers


def _code(
    member_id: str, instance_id: str | None, durable: Durable, holders: dict[str | None, str]
) -> ErrorCode:
    if member_id in durable.members:
        return ErrorCode.REBALANCE_IN_PROGRESS
    if instance_id is not None and instance_id in holders:
        return ErrorCode.FENCED_INSTANCE_ID
    return ErrorCode.UNKNOWN_MEMBER_ID


def _late_sync(member_id: str, durable: Durable, live: Live) -> Synced:
    """The reply to a held sync: its assignment, if the rows contain it."""
    row, group = durable.members.get(member_id), durable.group
    if row is None:
        return Synced(error=ErrorCode.UNKNOWN_MEMBER_ID)
    if group.state != STABLE or group.generation != live.generation:
        return Synced(error=ErrorCode.REBALANCE_IN_PROGRESS)
    return Synced(
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        assignment=row.assignment,
    )


def rearmed(live: Live, now: Millis, missed: Millis) -> Live:
    """Exclude the missed time from silences and waits (``forgiven``)."""

    def anew(at: Millis) -> Millis:
        return forgiven(at, now, missed)

    after = live.copy()
    after.floor = anew(live.floor)
    after.beats = SharedDict(forgiven_beats(live.beats, now, missed))
    joins, pending = live.joins.items(), live.pending.items()
    after.joins = SharedDict((m, replace(join, since=anew(join.since))) for m, join in joins)
    after.pending = SharedDict((m, replace(p, since=anew(p.since))) for m, p in pending)
    if after.join_phase is not None:
        window = after.join_phase.window
        if window is not None:
            window = replace(window, last_join=anew(window.last_join))
        after.join_phase = replace(
            after.join_phase, armed_at=anew(after.join_phase.armed_at), window=window
        )
    if after.sync is not None:
        after.sync = replace(after.sync, armed_at=anew(after.sync.armed_at))
    return after
