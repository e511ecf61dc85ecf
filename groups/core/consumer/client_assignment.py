"""A member assigns: it is handed what the group is, and installs what it worked out (KIP-848).

Only the member that the open round asks (``client_rounds``) is heard, and only for the group epoch
that is. An answer that cannot be gone by changes nothing. No heartbeat is counted here: who assigns
must be heard of like everybody else.
"""

from collections.abc import Mapping
from typing import NoReturn

from groups.core.assignors.client_side import named
from groups.core.assignors.task import AssignorFailed
from groups.core.assignors.types import Parts
from groups.core.consumer import client_rounds, guards, rebalance, target_schedule, targets, votes
from groups.core.consumer.member import Member
from groups.core.consumer.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import InstallAssignment, PrepareAssignment
from groups.core.journal import EntryKind
from groups.core.replies import Installed, Prepared, PreparedMember


def prepare(work: Work, event: PrepareAssignment) -> None:
    """Hand the asked member everything that its assignor may want to know."""
    _asked(work, event)
    elected = work.live.client_round.elected
    assert elected is not None
    catalogue = work.index.catalogue
    subscribers = targets.Subscribers(work.index)
    members = []
    for member_id in sorted(work.members):
        member = work.members[member_id]
        seen = subscribers.of(member)
        said = named(member.client_assignors, elected.name)
        members.append(PreparedMember(seen, member.epoch, said))
    topics = {name: catalogue[name] for name in sorted(catalogue)}
    reply = Prepared(
        group_epoch=work.row.generation,
        assignor=elected.name,
        members=tuple(members),
        topics=topics,
        racks=work.live.racks,
    )
    work.answer(event.ticket, reply)


def install(work: Work, event: InstallAssignment) -> None:
    """Go by what the asked member worked out, or ask another where it says that it cannot."""
    member = _asked(work, event)
    epoch = work.row.generation
    if event.group_epoch != epoch:
        detail = f"The group epoch is {epoch}, not {event.group_epoch}."
        raise Refuse(ErrorCode.ILLEGAL_GENERATION, detail)
    if event.failure is not None:
        _give_up(work, event.failure)
    else:
        _go_by(work, member, event.targets)
    work.answer(event.ticket, Installed())


def tick(work: Work) -> None:
    """Whoever is asked has had its time: somebody else is asked, or the coordinator assigns."""
    if not client_rounds.is_late(work):
        return
    if not work.members or guards.holds(work):
        client_rounds.close(work)
    elif not client_rounds.goes_on(work):
        target_schedule.want(work)  # of the coordinator, then
    elif client_rounds.is_late(work):
        _give_up(work, "said nothing in time")


def _give_up(work: Work, why: str) -> None:
    """The asked member gives no target; after some of these the coordinator works one out."""
    if client_rounds.failed(work, why):
        return
    try:
        rebalance.work_out(work, by_members=False)
    except AssignorFailed as error:  # nobody waits for this answer, so nobody is refused
        target_schedule.failed(work, votes.vote(work), str(error))


def _asked(work: Work, event: PrepareAssignment | InstallAssignment) -> Member:
    """The member, if it is the one that is asked."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "The group does not exist.")
    member = work.members.get(event.member_id)
    if member is None:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID, "The member is not in the group.")
    if event.member_epoch not in (member.epoch, member.previous_epoch):
        detail = f"The member epoch is {member.epoch}, not {event.member_epoch}."
        raise Refuse(ErrorCode.STALE_MEMBER_EPOCH, detail)
    if guards.holds(work) or not client_rounds.goes_on(work):
        _not_asked("No member is asked to assign.")
    if work.live.client_round.asked != event.member_id:
        _not_asked("Another member is asked to assign, or none yet.")
    return member


def _not_asked(sentence: str) -> NoReturn:
    raise Refuse(ErrorCode.ILLEGAL_GENERATION, sentence)


def _go_by(work: Work, member: Member, shares: Mapping[str, Parts]) -> None:
    now = work.live.client_round
    assert now.elected is not None
    question = targets.question(work, now.elected.name, lambda *_told: shares)
    try:
        checked = question.answer()
    except AssignorFailed as error:
        raise Refuse(ErrorCode.INVALID_REQUEST, str(error)) from None
    targets.go_by(work, question, checked, by=member)
    work.note(
        EntryKind.ASSIGNMENT_INSTALLED,
        member_id=member.row.member_id,
        client_id=member.row.client_id,
        duration_ms=work.now - now.since,
        facts={"assignor": question.name},
    )
