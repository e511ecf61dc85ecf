"""How consumers are removed: by LeaveGroup, by an operator, by timeout."""

from collections.abc import Iterable, Sequence

from groups.core.draft import awaited, join_phase
from groups.core.draft.states import PREPARING
from groups.core.draft.work import Work
from groups.core.errors import ErrorCode
from groups.core.events import IdsAbandoned, LeaveGroup, MembersRefused
from groups.core.facts import Departure
from groups.core.journal import Trigger
from groups.core.rebalance_cause import Cause
from groups.core.removals import departure, removals
from groups.core.replies import DraftJoined, Left
from groups.core.rows import MemberRow


def leave_group(work: Work, event: LeaveGroup) -> None:
    """Remove each leaver by its consumer id, with one rebalance for all."""
    codes: list[ErrorCode] = []
    left = []
    removed: list[tuple[MemberRow, str]] = []
    for leaver in event.members:
        known = leaver.member_id in work.members
        codes.append(ErrorCode.NONE if known else ErrorCode.UNKNOWN_MEMBER_ID)
        if known:
            client_id = work.members[leaver.member_id].client_id
            left.append((leaver.member_id, client_id, leaver.reason or ""))
            removed.append((work.members[leaver.member_id], leaver.reason or ""))
            how = departure(event.author, work.members[leaver.member_id])
            remove(work, leaver.member_id, Trigger.MEMBER_LEFT, how)
    work.answer(event.ticket, Left(ErrorCode.NONE, tuple(codes)))
    work.journal.extend(removals(event.author, removed, work.row.generation))
    if left:
        cause = Cause(Trigger.MEMBER_LEFT, "it left the group", *left[0])
        rebalance(work, cause, [row for row, _ in removed])


def remove(work: Work, consumer_id: str, trigger: str, how: Departure) -> None:
    """Delete its row; a held join of it ends."""
    awaited.removed(work, consumer_id, trigger)
    work.ended(consumer_id, how)
    live = work.change()
    join = live.joins.pop(consumer_id, None)
    if join is not None:
        error = ErrorCode.UNKNOWN_MEMBER_ID
        work.answer(join.ticket, DraftJoined(error=error, consumer_id=consumer_id))
    live.suspects.pop(consumer_id, None)
    live.beats.pop(consumer_id)
    del work.change_members()[consumer_id]


def ids_abandoned(work: Work, event: IdsAbandoned) -> None:
    """The connection of a held join has ended. A consumer without a row is gone: nobody would send
    a heartbeat under the id that it would get. A member comes again under its own."""
    newcomers = work.live.newcomers
    others = [join for join in newcomers if join.ticket is None or join.ticket != event.join]
    if len(others) < len(newcomers):
        work.change().newcomers = others


def members_refused(work: Work, event: MembersRefused) -> None:
    """A new consumer's row cannot be written. New consumers have no ids yet to tell them apart, so
    all waiting ones are refused; members are not changed."""
    if work.state != PREPARING or not set(event.member_ids) - work.members.keys():
        return
    waiting, work.change().newcomers = work.live.newcomers, []
    for join in waiting:
        work.answer(join.ticket, DraftJoined(error=ErrorCode.INVALID_REQUEST, consumer_id=""))
    if waiting:
        join_phase.maybe_complete(work)


def remove_all(work: Work, consumer_ids: Iterable[str]) -> None:
    """Delete the rows of several silent consumers."""
    for consumer_id in consumer_ids:
        remove(work, consumer_id, Trigger.SESSION_EXPIRED, Departure.EXPIRED)


def rebalance(work: Work, cause: Cause, gone: Sequence[MemberRow]) -> None:
    """Members were removed: rebalance, and record that for the next owner."""
    left = [row.member_id for row in gone]
    join_phase.start(work, cause, owed=True, left=left, who=gone)
