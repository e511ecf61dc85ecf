"""A static member returns without its member id, and takes its place again (KIP-345, KIP-814).

The previous member with the instance id is fenced. In Stable the group is not disturbed if the
selected protocol stays the same.
"""

from collections import Counter
from dataclasses import replace

from groups.core.classic import awaited, guards, ownership
from groups.core.classic.join_phase import (
    everyone,
    maybe_complete,
    rebalance_or_go_on,
    select_protocol,
)
from groups.core.classic.live import Cause, Join
from groups.core.classic.states import COMPLETING, PREPARING, STABLE
from groups.core.classic.work import Work
from groups.core.errors import ErrorCode
from groups.core.events import JoinGroup
from groups.core.facts import Departure, Origin
from groups.core.group import Beat
from groups.core.journal import EntryKind, Trigger
from groups.core.replies import Joined, Synced
from groups.core.rows import MemberRow
from groups.core.subscription import protocol_names
from groups.core.values import replaced


def replace_member(work: Work, event: JoinGroup, old_id: str, wished: MemberRow) -> None:
    """Assign the instance to a new member id; ``wished`` is the member's row from the join."""
    old_leader = work.row.leader
    held = _fence(work, old_id)
    before = work.row_of(old_id)
    row = replace(wished, position=before.position, assignment=before.assignment)
    work.note(
        EntryKind.MEMBER_REPLACED,
        trigger=Trigger.MEMBER_REPLACED,
        reason="a static member came back under a new member id",
        client_reason=event.reason or "",
        member_id=row.member_id,
        client_id=row.client_id,
        joined=(row.member_id,),
        left=(old_id,),
    )
    is_new = held is not None and held.is_new
    names = tuple(name for name, _ in event.protocols)
    first = work.now if held is None else held.first
    join = Join(row, names, event.ticket, first, work.now, is_new, event.client)
    if held is not None and held.is_new:
        work.unpark(old_id)
        ownership.came_to_nothing(work, held, Departure.REPLACED)
        phase = work.live.join_phase
        if phase is not None and phase.cause.member_id == old_id:
            work.set_join_phase(cause=replaced(phase.cause, member_id=row.member_id))
    else:
        work.ended(old_id, Departure.REPLACED)
        work.facts.append(ownership.began(work, join, Origin.RETURNED))
        _rename(work, old_id, row)
    _go_on(work, join, old_leader, event)


def _fence(work: Work, old_id: str) -> Join | None:
    """Answer the replaced member's parked requests: it is fenced, and must not wait for them."""
    held = work.live.joins.get(old_id)
    if held is not None:
        work.answer(held.ticket, Joined(error=ErrorCode.FENCED_INSTANCE_ID, member_id=old_id))
    if old_id in work.live.syncs:
        awaited.had_synced(work, old_id)
        sync = work.change().syncs.pop(old_id)
        work.answer(sync.ticket, Synced(error=ErrorCode.FENCED_INSTANCE_ID))
    return held


def _rename(work: Work, old_id: str, row: MemberRow) -> None:
    """Move the row to the new id at once, in its old position; other changes wait in the join."""
    work.unpark(old_id)
    renamed = replace(work.members[old_id], member_id=row.member_id)
    rows = {
        (row.member_id if member_id == old_id else member_id): (
            renamed if member_id == old_id else member
        )
        for member_id, member in work.members.items()
    }
    work.set_members(rows)
    if work.row.leader == old_id:
        work.set_row(leader=row.member_id)
    live = work.change()
    live.beats.pop(old_id, None)
    live.told.pop(old_id, None)
    live.beats[row.member_id] = Beat(work.now)
    if row.instance_id is not None:
        live.instances[row.instance_id] = row.member_id
    if old_id in live.unsynced:
        del live.unsynced[old_id]
        live.unsynced[row.member_id] = None


def _go_on(work: Work, join: Join, old_leader: str | None, event: JoinGroup) -> None:
    row = join.row
    if work.state == STABLE and not join.is_new and _may_go_on(work, join, event):
        settle(work, row)
        work.answer(event.ticket, _answer(work, row.member_id, old_leader, event))
        return
    work.park(join)
    if work.state == PREPARING:
        maybe_complete(work)
    elif not join.is_new:  # a new member's rebalance is put off already
        assert work.state in (COMPLETING, STABLE)
        rebalance_or_go_on(work, _cause(row, event))


def _cause(row: MemberRow, event: JoinGroup) -> Cause:
    reason = "a static member came back and the group must agree anew"
    who, said = (row.member_id, row.client_id), event.reason or ""
    return Cause(Trigger.MEMBER_REPLACED, reason, *who, client_reason=said)


def _may_go_on(work: Work, join: Join, event: JoinGroup) -> bool:
    """Whether the member gets its place again without a rebalance; a rebalance that must wait is
    recorded."""
    if _keeps_protocol(work, join):
        return True
    held = guards.holds(work, Trigger.MEMBER_REPLACED) and work.row.protocol_name in join.names
    if held:
        guards.owe(work, _cause(join.row, event))
    return held


def _keeps_protocol(work: Work, join: Join) -> bool:
    """Whether the members would select the same protocol with the new list."""
    old = protocol_names(work.members[join.row.member_id].subscription)
    preferences = Counter(work.live.preferences)
    preferences.subtract([old])
    preferences.update([join.names])
    return select_protocol(+preferences) == work.row.protocol_name


def settle(work: Work, row: MemberRow) -> None:
    """Add the returned member to the current generation."""
    members = work.change_members()
    live = work.change()
    before = members[row.member_id]
    live.count(protocol_names(before.subscription), before, -1)
    live.count(protocol_names(row.subscription), row, +1)
    members[row.member_id] = row


def _answer(work: Work, member_id: str, old_leader: str | None, event: JoinGroup) -> Joined:
    """The current generation. A leader that may skip the assignment stays the leader (KIP-814).

    Before v9 it must not know that it leads, or it would assign again: it receives the leader's old
    id, which no member has any more.
    """
    group = work.row
    leads = group.leader == member_id
    skips = leads and event.can_skip_assignment
    return Joined(
        member_id=member_id,
        generation_id=group.generation,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        leader=(old_leader if leads and not skips else group.leader) or "",
        members=everyone(work) if skips else (),
        skip_assignment=skips,
    )
