"""How members are removed: LeaveGroup, eviction, an expired session, no room (KIP-345, KIP-800).

``remove`` is the only way out of the group besides the end of a join phase. Its callers decide
afterwards, once per batch of removals, whether the group rebalances.
"""

from groups.core.authors import Author
from groups.core.classic import awaited, ownership
from groups.core.classic.join_phase import (
    count_departure,
    maybe_complete,
    note_departure,
    rebalance_or_go_on,
)
from groups.core.classic.live import Cause
from groups.core.classic.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import IdsAbandoned, LeaveGroup, Leaver, MembersRefused, Ticket
from groups.core.explanation import End
from groups.core.facts import DEPARTURES, Departure
from groups.core.journal import Trigger
from groups.core.removals import departure, removals
from groups.core.replies import Joined, Left, Synced
from groups.core.rows import MemberRow


def leave_group(work: Work, event: LeaveGroup) -> None:
    """Remove each named member, with a code for each, and one rebalance for all."""
    codes: list[ErrorCode] = []
    gone: list[tuple[MemberRow, Leaver]] = []
    ids_released = False
    for leaver in event.members:
        try:
            row = _leave(work, leaver, event.author)
        except Refuse as refusal:
            codes.append(refusal.code)
            continue
        codes.append(ErrorCode.NONE)
        ids_released = ids_released or row is None
        if row is not None:
            gone.append((row, leaver))
    work.answer(event.ticket, Left(ErrorCode.NONE, tuple(codes)))
    removed = [(row, leaver.reason or "") for row, leaver in gone]
    work.journal.extend(removals(event.author, removed, work.row.generation))
    if gone:
        rebalance_or_go_on(work, _cause(gone))
    elif ids_released:
        maybe_complete(work)


def _leave(work: Work, leaver: Leaver, author: Author | None) -> MemberRow | None:
    """Remove one member and return it; None if the id was only handed out."""
    member_id = leaver.member_id
    if not member_id and leaver.instance_id is not None:  # the instance's member (KIP-345)
        member_id = work.live.instances.get(leaver.instance_id, "")
    if member_id in work.live.pending:
        awaited.id_ended(work, member_id, End.LEFT)
        work.take_back(member_id)
        return None
    work.member_or_refuse(member_id, leaver.instance_id)
    how = departure(author, work.row_of(member_id))
    return remove(work, member_id, Trigger.MEMBER_LEFT, how=how)


def remove(
    work: Work,
    member_id: str,
    trigger: str,
    code: ErrorCode = ErrorCode.UNKNOWN_MEMBER_ID,
    how: Departure | None = None,
) -> MemberRow:
    """Remove a member, parked or not; its parked requests are answered with the code. ``how`` its
    life ended: by default, as the trigger says."""
    how = how or DEPARTURES[trigger]
    awaited.removed(work, member_id, trigger)
    join = work.unpark(member_id)
    if join is not None:
        # Kafka returns no id here, so that the client starts over.
        work.answer(join.ticket, Joined(error=code))
    if member_id in work.live.syncs:
        sync = work.change().syncs.pop(member_id)
        work.answer(sync.ticket, Synced(error=code))
    if join is not None and join.is_new:
        count_departure(work, member_id)
        ownership.came_to_nothing(work, join, how)
        return join.row
    row = work.remove_row(member_id, how)
    note_departure(work, member_id, trigger)
    return row


def remove_for_size(work: Work, member_id: str) -> None:
    """A join was refused for lack of room: if its sender is a member, remove it (KIP-389), and give
    its partitions to others."""
    if work.has(member_id):
        gone = [remove(work, member_id, Trigger.MEMBER_REFUSED)]
        _refused(work, gone, "there was no room for a member")
    elif member_id in work.live.pending:
        awaited.id_ended(work, member_id, End.REFUSED)
        work.take_back(member_id)
        maybe_complete(work)


def ids_abandoned(work: Work, event: IdsAbandoned) -> None:
    """The clients that received these member ids are gone: no rebalance waits for them any more. Of
    one that has not received its id the member is gone, too."""
    for member_id in event.member_ids:
        awaited.id_ended(work, member_id, End.ABANDONED)
        work.await_no_more(member_id)
    if event.join is not None:
        _nobodys(work, event.join)
    maybe_complete(work)


def _nobodys(work: Work, ticket: Ticket) -> None:
    """Remove the new member of a parked join: nobody would sync, or send a heartbeat, for it."""
    found = (m for m, join in work.live.joins.items() if join.ticket == ticket and join.is_new)
    member_id = next(found, None)
    if member_id is None:
        return
    row = remove(work, member_id, Trigger.SESSION_EXPIRED)
    what = "a member's connection ended before it had its id"
    ids, named = (row.member_id,), awaited.named([row])
    cause = Cause(Trigger.SESSION_EXPIRED, what, row.member_id, row.client_id, ids, named=named)
    awaited.because(work, cause)


def members_refused(work: Work, event: MembersRefused) -> None:
    """Remove members with parked joins whose rows cannot be written; their clients must not try
    again."""
    gone = [
        remove(work, member_id, Trigger.MEMBER_REFUSED, ErrorCode.INVALID_REQUEST)
        for member_id in event.member_ids
        if member_id in work.live.joins
    ]
    if gone:
        _refused(work, gone, "what a member sent could not be stored")


def _refused(work: Work, gone: list[MemberRow], what: str) -> None:
    ids, named, first = tuple(row.member_id for row in gone), awaited.named(gone), gone[0]
    cause = Cause(Trigger.MEMBER_REFUSED, what, first.member_id, first.client_id, ids, named=named)
    rebalance_or_go_on(work, cause)


def _cause(gone: list[tuple[MemberRow, Leaver]]) -> Cause:
    row, leaver = gone[0]
    what = "a member left" if len(gone) == 1 else f"{len(gone)} members left"
    ids = tuple(row.member_id for row, _ in gone)
    client_reason = leaver.reason or ""
    named = awaited.named([row for row, _ in gone])
    return Cause(Trigger.MEMBER_LEFT, what, row.member_id, row.client_id, ids, client_reason, named)
