"""A member assigns: it gets the group's state, and installs the target that it computed (KIP-848).

Only requests of the member that the open round asks (``client_rounds``) are accepted, and only for
the current group epoch. An invalid result changes nothing. These requests are no heartbeats: the
member must send those too.
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
    """Return everything that the asked member's assignor may need."""
    _assigning_member(work, event)
    elected = work.live.client_round.elected
    assert elected is not None
    catalogue = work.index.catalogue
    subscribers = targets.Subscribers(work.index)
    members = []
    for member_id in targets.may_have(work):
        member = work.members[member_id]
        seen = subscribers.of(member)
        assignor = named(member.client_assignors, elected.name)
        members.append(PreparedMember(seen, member.epoch, assignor))
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
    """Install the asked member's target, or ask another member if it reports a failure."""
    member = _assigning_member(work, event)
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
    """The asked member's time is over: ask another member, or let the coordinator assign."""
    if not client_rounds.is_late(work):
        return
    if not work.members or guards.holds(work):
        client_rounds.close(work)
    elif not client_rounds.goes_on(work):
        target_schedule.want(work)  # from the coordinator, then
    elif client_rounds.is_late(work):
        _give_up(work, "said nothing in time")


def _give_up(work: Work, why: str) -> None:
    """The asked member gave no target; after several failures the coordinator computes one."""
    if client_rounds.failed(work, why):
        return
    try:
        rebalance.work_out(work, by_members=False)
    except AssignorFailed as error:  # no request waits for an error
        target_schedule.failed(work, votes.vote(work), str(error))


def _assigning_member(work: Work, event: PrepareAssignment | InstallAssignment) -> Member:
    """The member, if it is the one that the round asks."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "The group does not exist.")
    member = work.members.get(event.member_id)
    if member is None:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID, "The member is not in the group.")
    if event.member_epoch not in (member.epoch, member.previous_epoch):
        detail = f"The member epoch is {member.epoch}, not {event.member_epoch}."
        raise Refuse(ErrorCode.STALE_MEMBER_EPOCH, detail)
    if guards.holds(work) or not client_rounds.goes_on(work):
        _refuse_member("No member is asked to assign.")
    if work.live.client_round.assigning_id != event.member_id:
        _refuse_member("Another member is asked to assign, or none yet.")
    return member


def _refuse_member(sentence: str) -> NoReturn:
    raise Refuse(ErrorCode.ILLEGAL_GENERATION, sentence)


def _go_by(work: Work, member: Member, shares: Mapping[str, Parts]) -> None:
    now = work.live.client_round
    assert now.elected is not None
    question = targets.question(work, now.elected.name, lambda *_arguments: shares)
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
