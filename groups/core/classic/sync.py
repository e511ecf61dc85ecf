"""SyncGroup: the leader sends the assignment of all members, each receives its own (KIP-62,
KIP-559).

The assignment is durable before any member receives it: all replies of the step are sent after its
commit. The coordinator does not interpret the bytes.
"""

from collections.abc import Mapping, Sequence

from groups.core.assignment import numbers_of, partitions_of
from groups.core.classic import awaited, ownership
from groups.core.classic.live import HeldSync
from groups.core.classic.states import COMPLETING, EMPTY, PREPARING, STABLE, UNASSIGNED
from groups.core.classic.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import SyncGroup
from groups.core.facts import NOTHING as NOTHING_OWNED
from groups.core.facts import Owned, known
from groups.core.group import NO_GUARDS
from groups.core.journal import EntryKind
from groups.core.replies import Synced
from groups.core.rows import NOTHING, MemberRow
from groups.core.values import replaced


def sync_group(work: Work, event: SyncGroup) -> None:
    """Reply with the member's assignment, or hold the request until the leader sends it."""
    _check(work, event)
    if work.state == PREPARING:
        raise Refuse(ErrorCode.REBALANCE_IN_PROGRESS)
    work.hear(event.member_id)
    if event.member_id not in work.members:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)  # a new member, in no generation yet
    if work.state == STABLE:
        _synced(work, event.member_id)
        ownership.synced(work, event.member_id)
        work.answer(event.ticket, assignment_of(work, event.member_id))
    else:
        assert work.state == COMPLETING
        _hold(work, event)
        if event.member_id == work.row.leader:
            _assign(work, event.assignments)


def _check(work: Work, event: SyncGroup) -> None:
    """Refuse in Kafka's order: form, member, generation, protocol."""
    named = (event.protocol_type, event.protocol_name)
    if event.names_protocol and None in named:
        raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    if work.state == EMPTY:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    work.member_or_refuse(event.member_id, event.instance_id)
    if event.generation_id != work.row.generation:
        raise Refuse(ErrorCode.ILLEGAL_GENERATION)
    if event.names_protocol and named != (work.row.protocol_type, work.row.protocol_name):
        raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def _hold(work: Work, event: SyncGroup) -> None:
    live, at = work.change(), work.now
    older = live.syncs.get(event.member_id)
    if older is not None:  # the member asked again: answer the older request
        work.answer(older.ticket, Synced(error=ErrorCode.REBALANCE_IN_PROGRESS))
        at = older.at
    live.syncs[event.member_id] = HeldSync(event.ticket, at)
    _synced(work, event.member_id)


def _synced(work: Work, member_id: str) -> None:
    """The member has synced; after the last one the sync timer ends."""
    if member_id not in work.live.unsynced:
        return
    live = work.change()
    del live.unsynced[member_id]
    if not live.unsynced and work.state == STABLE:
        live.sync = None


def _assign(work: Work, assignments: Mapping[str, bytes]) -> None:
    """Store the leader's assignment, and answer all held requests; the group is Stable."""
    members = work.change_members()
    moved, withheld = 0, _withheld(work, members, assignments)
    stays: dict[str, ownership.Stays] = {}
    for member_id, row in members.items():
        assignment = assignments.get(member_id, b"")  # the leader may omit members
        if row.assignment != assignment or row.details:
            gained, same = _compared(row.assignment, assignment)
            stays[member_id] = row.assignment, same
            moved += gained
            members[member_id] = replaced(row, assignment=assignment, details=NOTHING)
    work.move_to(STABLE)
    work.set_details(synced=True, follow_up=withheld or None, causes=None, **{UNASSIGNED: None})
    ownership.assigned(work, stays)
    live = work.change()
    live.settled_at = work.now
    started = work.now if live.sync is None else live.sync.started_at
    why = awaited.explained_sync(work)
    ownership.round_ended(work, why, moved)
    for member_id, held in live.syncs.items():
        work.hear(member_id)
        work.answer(held.ticket, assignment_of(work, member_id))
    live.syncs.clear()
    live.episode = None
    if not live.unsynced:
        live.sync = None
    work.note(
        EntryKind.STABLE,
        member_id=work.row.leader,
        duration_ms=work.now - started,
        details={
            "members": len(members),
            "assigned": sum(1 for member_id in assignments if member_id in members),
            "unsynced": len(live.unsynced),
            "moved": moved,
        },
        why=why,
    )


def _withheld(
    work: Work, members: Mapping[str, MemberRow], assignments: Mapping[str, bytes]
) -> bool:
    """Whether assigned partitions have no owner now: a cooperative leader assigns them only after
    their previous owners have joined again (KIP-429). Needed only if rebalances may be put off."""
    if work.rules.guards == NO_GUARDS:
        return False
    before = [partitions_of(row.assignment) for row in members.values()]
    after = [partitions_of(assignments.get(member_id, b"")) for member_id in members]
    return not set().union(*filter(None, before)) <= set().union(*filter(None, after))


def _compared(before: bytes, after: bytes) -> tuple[int, Owned]:
    """The number of partitions that the member did not have before, and those that it had; none if
    the facts cannot have them."""
    old, new = numbers_of(before), numbers_of(after)
    if not old or not new:
        some = {} if old is None or new is None else new
        return sum(len({*numbers}) for numbers in some.values()), NOTHING_OWNED
    gained, stays = 0, dict[str, Sequence[int]]()
    for topic, numbers in new.items():
        fresh = {*numbers}.difference(old.get(topic, ()))
        gained += len(fresh)
        if len(fresh) < len(numbers):
            stays[topic] = sorted({*numbers} - fresh)
    return gained, stays if stays and known(new) else NOTHING_OWNED


def assignment_of(work: Work, member_id: str) -> Synced:
    """The reply to SyncGroup in Stable: the same bytes for every request."""
    return Synced(
        protocol_type=work.row.protocol_type,
        protocol_name=work.row.protocol_name,
        assignment=work.members[member_id].assignment,
    )
