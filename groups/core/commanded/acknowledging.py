"""AcknowledgeCommand: a consumer has carried out a command. ``rebalance`` decides what follows.

A consumer works on nothing from its acknowledgement that it has stopped to the one that it has
started: for so long its partitions stood still (``groups.core.rounds``).
"""

from groups.core import commands
from groups.core.assignment import count_of
from groups.core.commanded import awaited
from groups.core.commanded.states import COMPLETING, PREPARING
from groups.core.commanded.work import LAST_COMMAND, Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import AcknowledgeCommand
from groups.core.explanation import End
from groups.core.replies import Acknowledged
from groups.core.rows import GroupRow, MemberRow
from groups.core.values import SharedDict


def acknowledge(work: Work, event: AcknowledgeCommand) -> None:
    """Remove the command from the member; one that is not there was acknowledged before."""
    row = work.members.get(event.member_id)
    if row is None or commands.is_expelled(row):
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    if not was_sent(work.row, event.command_id):
        raise Refuse(ErrorCode.INVALID_REQUEST, "no such command was sent")
    work.hear(row.member_id)
    after = commands.acknowledge(row, event.command_id)
    if row.commands and not after.commands:
        awaited.ended(work, row, End.ACKNOWLEDGED)
        _stood_still(work, row)
    work.put(after)
    work.answer(event.ticket, Acknowledged())


def was_sent(row: GroupRow, command_id: int) -> bool:
    """Whether the group has ever sent a command with this id."""
    return 0 < command_id <= int(row.details.get(LAST_COMMAND, 0))


def _stood_still(work: Work, row: MemberRow) -> None:
    """A consumer has stopped, or has started."""
    live = work.change()
    if work.state == PREPARING:
        live.stopped[row.member_id] = work.now
    elif work.state == COMPLETING:
        live.idle = live.idle.stopped((work.now - live.phase_since) * count_of(row.assignment))


def all_stopped(work: Work) -> None:
    """Every consumer has stopped, and none has its new partitions yet."""
    live, now = work.change(), work.now
    stopped = ((at, work.members.get(consumer)) for consumer, at in live.stopped.items())
    still = sum((now - at) * count_of(row.assignment) for at, row in stopped if row is not None)
    live.idle, live.stopped = live.idle.stopped(still), SharedDict()
