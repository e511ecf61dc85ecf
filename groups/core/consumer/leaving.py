"""How members of a consumer group go: by their word, by silence, by an operator (KIP-848).

A departure raises the group epoch but computes no target: the group is Assigning until the
next heartbeat.
"""

from dataclasses import replace

from groups.core.consumer.member import LEFT_FOR_NOW, NOTHING, Member
from groups.core.consumer.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import (
    ConsumerHeartbeat,
    EvictMember,
    ForceRebalance,
    LeaveGroup,
    Tick,
)
from groups.core.group import Millis
from groups.core.replies import ConsumerBeaten, Left


def leave(work: Work, event: ConsumerHeartbeat) -> None:
    """Epoch -1: the member goes. Epoch -2: a static member goes for now and keeps its place."""
    if not work.exists:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "The group does not exist.")
    member = _leaver(work, event)
    if event.member_epoch == LEFT_FOR_NOW:
        away = replace(member, epoch=LEFT_FOR_NOW, previous_epoch=member.epoch, revoking=NOTHING)
        work.put(away)
        work.live.timers.pop(event.member_id, None)
    else:
        remove(work, member, "member-left", "a member left")
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


def remove(work: Work, member: Member, trigger: str, reason: str) -> None:
    """Take a member out; its partitions are free and the epoch rises."""
    work.take(member.row.member_id)
    work.bump(trigger, reason, member)


def leave_group(work: Work, event: LeaveGroup) -> None:
    """The classic request: nobody here is a member of the classic protocol."""
    codes = (ErrorCode.UNKNOWN_MEMBER_ID,) * len(event.members)
    work.answer(event.ticket, Left(ErrorCode.NONE, codes))


def tick(work: Work, _event: Tick) -> None:
    """Sessions and rebalance timers that have ended fence their members."""
    for member_id, timer in list(work.live.timers.items()):
        if work.now >= timer.deadline:
            member = work.members[member_id]
            del work.live.timers[member_id]
            if member.epoch == timer.epoch:
                remove(work, member, "rebalance-timeout", "a member gave nothing up in time")
    for member_id in list(work.members):
        if work.now >= session_end(work, member_id):
            remove(work, work.members[member_id], "session-expired", "a member was not heard of")


def session_end(work: Work, member_id: str) -> Millis:
    """When a member that stays silent is removed."""
    heard = max(work.live.beats[member_id].at, work.live.floor)
    return heard + work.rules.group_consumer_session_timeout_ms


def force_rebalance(work: Work, event: ForceRebalance) -> None:
    """An operator's verb: the epoch rises and the target is computed anew, even if it is equal."""
    if not work.members:
        detail = "the group has no members"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    expected, generation = event.expected_generation, work.row.generation
    if expected is not None and expected != generation:
        detail = f"the group epoch is {generation}, not {expected}"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    work.bump("operator", f"{event.actor} forced it: {event.reason}")
    work.assign()
    work.operated(event.operation_id, ErrorCode.NONE, "the target was computed anew")


def evict_member(work: Work, event: EvictMember) -> None:
    """An operator's verb: the member is fenced."""
    member = work.members.get(event.member_id)
    if member is None:
        detail = "the group has no such member"
        work.operated(event.operation_id, ErrorCode.INVALID_REQUEST, detail)
        return
    remove(work, member, "operator", f"{event.actor} evicted a member: {event.reason}")
    work.operated(event.operation_id, ErrorCode.NONE, "the member was removed")
