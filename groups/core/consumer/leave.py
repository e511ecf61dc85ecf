"""How members of a consumer group are removed: they leave, or are removed (KIP-848).

A removal raises the group epoch but computes no target: the group is Assigning until the next
heartbeat.
"""

from collections.abc import Sequence
from dataclasses import replace

from groups.core.assignors.types import NOTHING
from groups.core.authors import Author
from groups.core.consumer import (
    awaited,
    client_rounds,
    draining,
    rebalance,
    target_schedule,
    targets,
)
from groups.core.consumer.member import LEFT_FOR_NOW, STABLE, Member
from groups.core.consumer.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import ConsumerHeartbeat, LeaveGroup, Leaver, TargetComputed
from groups.core.facts import DEPARTURES
from groups.core.journal import Trigger
from groups.core.removals import departure, removals
from groups.core.replies import ConsumerBeaten, Left


def leave(work: Work, event: ConsumerHeartbeat) -> None:
    """Epoch -1: the member leaves. Epoch -2: a static member leaves temporarily and keeps its
    place."""
    if not work.is_there:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "The group does not exist.")
    member = _leaver(work, event)
    if event.member_epoch == LEFT_FOR_NOW:
        # As in Kafka: when it returns, it counts as having had its partitions since epoch 0.
        work.put(replace(away(member), since=dict.fromkeys(member.assigned, 0)))
        work.disarm(event.member_id)
        client_rounds.gone(work, event.member_id)
    else:
        remove(work, [member], Trigger.MEMBER_LEFT, "a member left")
    work.answer(
        event.ticket,
        ConsumerBeaten(member_id=event.member_id, member_epoch=event.member_epoch),
    )


def _leaver(work: Work, event: ConsumerHeartbeat) -> Member:
    if event.instance_id is not None:
        holder = work.holder(event.instance_id)
        if holder is None:
            raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID, "No member has this instance id.")
        if holder.row.member_id != event.member_id:
            raise Refuse(ErrorCode.FENCED_INSTANCE_ID, "The instance id has another member.")
        return holder
    member = work.members.get(event.member_id)
    if member is None:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID, "The member is not in the group.")
    return member


def away(member: Member) -> Member:
    """The member while it is away: partitions that it had to revoke are free, the others stay
    held."""
    since = member.since or {}
    return replace(
        member,
        epoch=LEFT_FOR_NOW,
        previous_epoch=member.epoch,
        state=STABLE,
        revoking=NOTHING,
        since={part: since[part] for part in member.assigned},
    )


def remove(
    work: Work,
    gone: Sequence[Member],
    trigger: str,
    reason: str,
    client_reason: str = "",
    author: Author | None = None,
) -> None:
    """Remove members; their partitions are free, and the epoch rises once for all of them.
    ``author``: who requested it."""
    awaited.removed(work, gone, trigger)
    for member in gone:
        # A silent member is assumed to have worked on nothing since its last request.
        silent_since = work.live.beats[member.row.member_id].heard_at
        since = silent_since if trigger == Trigger.SESSION_EXPIRED else None
        how = departure(author, member.row) if author is not None else DEPARTURES[trigger]
        draining.keep(work, member, how)
        rebalance.remove(work, member.row.member_id, how, since)
    work.set_details(assignor=rebalance.choice(work))
    ids = [member.row.member_id for member in gone]
    rebalance.bump(work, trigger, reason, gone[0], ids, client_reason=client_reason, gone=gone)


def leave_group(work: Work, event: LeaveGroup) -> None:
    """LeaveGroup of the classic protocol.

    An administrator may remove any member, of either protocol, by its id, or a static one by its
    instance id alone (KIP-345).
    """
    codes: list[ErrorCode] = []
    gone: list[Member] = []
    reasons: list[str] = []
    for leaver in event.members:
        member = _named(work, leaver)
        codes.append(_code_of(leaver, member))
        if member is not None and codes[-1] is ErrorCode.NONE and member not in gone:
            gone.append(member)
            reasons.append(leaver.reason or "")
    removed = [(member.row, reason) for member, reason in zip(gone, reasons, strict=True)]
    work.journal.extend(removals(event.author, removed, work.row.generation))
    if gone:
        what = "a member left" if len(gone) == 1 else f"{len(gone)} members left"
        remove(work, gone, Trigger.MEMBER_LEFT, what, reasons[0], event.author)
    work.answer(event.ticket, Left(ErrorCode.NONE, tuple(codes)))


def _named(work: Work, leaver: Leaver) -> Member | None:
    if leaver.instance_id is not None:
        return work.holder(leaver.instance_id)
    return work.members.get(leaver.member_id)


def _code_of(leaver: Leaver, member: Member | None) -> ErrorCode:
    if member is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    if leaver.member_id in ("", member.row.member_id):
        return ErrorCode.NONE
    return ErrorCode.FENCED_INSTANCE_ID


def target_computed(work: Work, event: TargetComputed) -> None:
    """Install a target that was computed outside of the step, if it was the last one requested."""
    question = event.question
    if not work.exists or work.live.schedule.requested_epoch != question.epoch:
        return
    if event.targets is None:
        target_schedule.failed(work, question.name, event.error)
    elif question.epoch > work.target_epoch:
        targets.go_by(work, question, event.targets, event.ready)
