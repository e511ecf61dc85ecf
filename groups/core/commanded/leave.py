"""How consumers are removed: by LeaveGroup, without acknowledgement, by an operator, by timeout.

A consumer that reports that it has stopped, or was silent for a session, is removed at once: it
works on nothing any more (a consumer stops itself: docs/commanded.md). Any other one is *expelled*:
it gets no commands, its polls are refused, and its partitions stay unassigned until its session has
ended, or it reports that it knows. Until then the others continue without them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from groups.core import commands
from groups.core.commanded import awaited, rebalance, thread_offers
from groups.core.commanded.states import COMPLETING
from groups.core.commanded.work import Work
from groups.core.errors import ErrorCode
from groups.core.events import LeaveGroup
from groups.core.explanation import REMOVALS
from groups.core.facts import DEPARTURES, Departure
from groups.core.journal import NAMED_MAX, EntryKind, Trigger
from groups.core.rebalance_cause import Cause
from groups.core.removals import departure, removals
from groups.core.replies import Left
from groups.core.rows import MemberRow


def leave_group(work: Work, event: LeaveGroup) -> None:
    """Remove each leaver by its consumer id; it has stopped its fetchers before."""
    codes: list[ErrorCode] = []
    left: list[tuple[MemberRow, str]] = []
    for leaver in event.members:
        row = work.members.get(leaver.member_id)
        codes.append(ErrorCode.UNKNOWN_MEMBER_ID if row is None else ErrorCode.NONE)
        if row is not None:
            left.append((row, leaver.reason or ""))
            remove(work, row.member_id, Trigger.MEMBER_LEFT, departure(event.author, row))
    work.answer(event.ticket, Left(ErrorCode.NONE, tuple(codes)))
    work.journal.extend(removals(event.author, left, work.row.generation))
    if left:
        first, client_reason = left[0]
        what = "a consumer left the group"
        cause = Cause(Trigger.MEMBER_LEFT, what, first.member_id, first.client_id, client_reason)
        gone(work, cause, [row for row, _ in left])


def remove(work: Work, member_id: str, trigger: str, how: Departure | None = None) -> None:
    """Delete its row and its commands. ``how`` its life ended: by default, as the trigger says."""
    awaited.ended(work, work.members[member_id], REMOVALS[trigger])
    work.drop(member_id, how or DEPARTURES[trigger])
    live = work.change()
    live.left = (*live.left, member_id)


def gone(work: Work, cause: Cause, who: Sequence[MemberRow] = ()) -> None:
    """Members were removed: the others rebalance. If none is left, this is the cause."""
    if not work.members or (who and work.state == COMPLETING):
        awaited.because(work, cause, who)
    if work.members:
        rebalance.queue(work, cause, who=who)
    else:
        work.emptied_by = cause


def expel(work: Work, row: MemberRow, cause: Cause) -> None:
    """Expel the consumer without replacing it yet; one without partitions has nothing to stop, and
    is removed."""
    if not thread_offers.parts_in(row):
        remove(work, row.member_id, cause.trigger)
        gone(work, cause, [row])
        return
    awaited.ended(work, row, REMOVALS[cause.trigger])
    awaited.because(work, cause, [row])
    details = {**row.details, commands.EXPELLED: cause._asdict()}
    work.put(replace(row, commands=(), details=details))


def give_up(work: Work, late: Iterable[MemberRow]) -> None:
    """The last retry failed: ConsumerRebalanceFailed. Consumers that have not acknowledged are
    expelled; the others continue without the partitions that these may still work on."""
    late = list(late)
    option, first = late[0].commands[0].option, late[0]
    retries = work.rules.rebalance_max_retries
    who = "a consumer" if len(late) == 1 else f"{len(late)} consumers"
    reason = f"{who} did not acknowledge {option} after {retries} retries"
    ids = [row.member_id for row in late]
    work.note(
        EntryKind.CONSUMER_REBALANCE_FAILED,
        trigger=Trigger.NOT_ACKNOWLEDGED,
        reason=reason,
        member_id=first.member_id,
        client_id=first.client_id,
        duration_ms=work.now - work.live.started_at,
        left=tuple(ids[:NAMED_MAX]),
        details={"option": option, "retries": retries, "left": len(late)},
    )
    for row in late:
        expel(work, row, Cause(Trigger.NOT_ACKNOWLEDGED, reason, row.member_id, row.client_id))
