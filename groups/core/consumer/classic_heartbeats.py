"""When a member of the classic protocol must join again, in a group of the consumer protocol.

Such a member learns from its heartbeat's response (REBALANCE_IN_PROGRESS) that it has to join, and
gets a new assignment only by JoinGroup. This module decides that, and runs the timer until it
joins; ``classic_members`` handles the join.
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

    An epoch without a target does not count if the target will come without this member: from a
    heartbeat of a member of the consumer protocol, or after a wait. Otherwise this member's join
    computes it; a member that joined during a wait would repeat its join in a loop.
    """
    waits = (
        index.modern > 0 or guards.is_put_off(row) or schedule.is_wanted or schedule.requested_epoch
    )
    newest: int = row.details["target_epoch"] if waits else row.generation
    return member.epoch < newest


def must_join(row: GroupRow, schedule: TargetSchedule, index: Index, member: Member) -> bool:
    """Whether the response to the member's heartbeat is REBALANCE_IN_PROGRESS.

    So if it is behind, or has to revoke partitions, or all partitions that it waits for are free.
    """
    if is_behind(row, schedule, index, member) or member.state == UNREVOKED:
        return True
    if member.state != UNRELEASED:
        return False
    return not any(part in index.holders for part in member.target - member.assigned)


def renew(work: "Work") -> None:
    """Start the timer of every member that must join from now on; stop those of members that
    joined.

    The timer starts when the group decides this, not with the member's next heartbeat: heartbeats
    are answered without a step (docs/decisions/0015-migration.md).
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
    """Whether a request that is not decided shows that this member is alive; a join has no epoch.
    ``holder``: the member with the request's instance id."""
    if not member.is_classic or (sign.instance_id is not None and holder != member.row.member_id):
        return False
    return isinstance(sign, JoinGroup) or sign.generation_id == member.epoch


def over(timers: "Mapping[str, Timer]", now: Millis) -> list[str]:
    """The members whose timer has ended."""
    return [member_id for member_id, timer in timers.items() if now >= timer.deadline]


@dataclass(frozen=True, slots=True)
class MixedView(HeartbeatView):
    """The view of a consumer group with classic members: each has its own epoch and error code.
    ``beats`` has only theirs: other members do not send this heartbeat."""

    members: Mapping[str, tuple[int, ErrorCode]]

    def find(
        self, member_id: str, instance_id: str | None, generation_id: int
    ) -> tuple[ErrorCode, Beat | None]:
        """The answer to one heartbeat, and the beat to set if it is valid."""
        epoch, code = self.members.get(member_id, (generation_id, ErrorCode.NONE))
        own = HeartbeatView(epoch, code, self.beats, self.instances)
        return own.find(member_id, instance_id, generation_id)


def heartbeat_view(
    row: GroupRow, members: Mapping[str, Member], index: Index, live: "Live"
) -> HeartbeatView:
    """What the fast path may answer to classic members."""
    codes: dict[str, tuple[int, ErrorCode]] = {}
    for member_id in index.classic:
        member = members[member_id]
        called = must_join(row, live.schedule, index, member)
        code = ErrorCode.REBALANCE_IN_PROGRESS if called else ErrorCode.NONE
        codes[member_id] = (member.epoch, code)
    theirs = {member_id: live.beats[member_id] for member_id in codes}
    return MixedView(-2, ErrorCode.UNKNOWN_MEMBER_ID, theirs, index.instances, codes)
