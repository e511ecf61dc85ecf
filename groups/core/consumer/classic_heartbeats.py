"""When a member of the classic protocol must join again, in a group of the consumer protocol.

Such a member learns by its heartbeat that something waits for it (REBALANCE_IN_PROGRESS), and
moves on with JoinGroup alone. Here is the question, and the timer that runs while it is called;
what a join does stands in ``classic_members``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groups.core.consumer import guards
from groups.core.consumer.index import Index
from groups.core.consumer.live import TargetSchedule
from groups.core.consumer.member import UNRELEASED, UNREVOKED, Member
from groups.core.errors import ErrorCode
from groups.core.events import JoinGroup, SyncGroup
from groups.core.group import Beat, HeartbeatView, Millis
from groups.core.rows import GroupRow
from groups.core.signs_of_life import ClassicHeartbeat

if TYPE_CHECKING:
    from groups.core.consumer.work import Live, Timer, Work


def is_behind(row: GroupRow, schedule: TargetSchedule, index: Index, member: Member) -> bool:
    """Whether there is a newer target than the member's.

    An epoch without a target does not count: the next heartbeat of a member of the consumer
    protocol computes it, or the batch that it waits for. Where there is neither a join does,
    unless it has to wait: then the member would come back in a loop.
    """
    waits = index.modern > 0 or guards.is_put_off(row) or schedule.is_wanted or schedule.asked
    newest: int = row.details["target_epoch"] if waits else row.generation
    return member.epoch < newest


def must_join(row: GroupRow, schedule: TargetSchedule, index: Index, member: Member) -> bool:
    """Whether the member's heartbeat is answered REBALANCE_IN_PROGRESS.

    It is behind, or has to give something up, or all that it waits for has become free.
    """
    if is_behind(row, schedule, index, member) or member.state == UNREVOKED:
        return True
    if member.state != UNRELEASED:
        return False
    return not any(part in index.holders for part in member.target - member.assigned)


def renew(work: "Work") -> None:
    """Start the timer of every member that is called from now on; stop it where it has come.

    The timer starts when the group decides to call, not with the heartbeat that hears it:
    heartbeats are answered without a step (docs/decisions/0015-migration.md).
    """
    index = work.index
    row, schedule = work.row, work.live.schedule
    called = {m for m in index.classic if must_join(row, schedule, index, work.members[m])}
    if called == work.live.calls.keys():
        return
    live = work.change()
    kept = {m: timer for m, timer in live.calls.items() if m in called}
    live.calls = {m: kept[m] if m in kept else work.timer(work.members[m]) for m in called}


def is_sign_of_life(
    member: Member, holder: str | None, sign: ClassicHeartbeat | JoinGroup | SyncGroup
) -> bool:
    """Whether a request that is not decided shows that this member is alive; a join names no
    epoch. ``holder``: the member that has the instance id of the request."""
    if not member.is_classic or (sign.instance_id is not None and holder != member.row.member_id):
        return False
    return isinstance(sign, JoinGroup) or sign.generation_id == member.epoch


def over(timers: "Mapping[str, Timer]", now: Millis) -> list[str]:
    """Whose timer has ended."""
    return [member_id for member_id, timer in timers.items() if now >= timer.deadline]


@dataclass(frozen=True, slots=True)
class MixedView(HeartbeatView):
    """The view of a consumer group that has classic members: each has an epoch and an answer of
    its own. ``beats`` are theirs alone: nobody else sends this heartbeat."""

    members: Mapping[str, tuple[int, ErrorCode]]

    def find(
        self, member_id: str, instance_id: str | None, generation_id: int
    ) -> tuple[ErrorCode, Beat | None]:
        """What to answer one heartbeat, and the beat that it raises if it is right."""
        epoch, code = self.members.get(member_id, (generation_id, ErrorCode.NONE))
        own = HeartbeatView(epoch, code, self.beats, self.instances)
        return own.find(member_id, instance_id, generation_id)


def heartbeat_view(
    row: GroupRow, members: Mapping[str, Member], index: Index, live: "Live"
) -> HeartbeatView:
    """What the fast path may say to the classic members of a group."""
    told: dict[str, tuple[int, ErrorCode]] = {}
    for member_id in index.classic:
        member = members[member_id]
        called = must_join(row, live.schedule, index, member)
        code = ErrorCode.REBALANCE_IN_PROGRESS if called else ErrorCode.NONE
        told[member_id] = (member.epoch, code)
    theirs = {member_id: live.beats[member_id] for member_id in told}
    return MixedView(-2, ErrorCode.UNKNOWN_MEMBER_ID, theirs, index.instances, told)
