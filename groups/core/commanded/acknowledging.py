"""AcknowledgeCommand: a consumer has carried out a command. ``rebalance`` decides what follows."""

from groups.core import commands
from groups.core.commanded import awaited, rounds
from groups.core.commanded.work import LAST_COMMAND, Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import AcknowledgeCommand
from groups.core.explanation import End
from groups.core.replies import Acknowledged
from groups.core.rows import GroupRow


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
        rounds.acknowledged(work, row)
    work.put(after)
    work.answer(event.ticket, Acknowledged())


def was_sent(row: GroupRow, command_id: int) -> bool:
    """Whether the group has ever sent a command with this id."""
    return 0 < command_id <= int(row.details.get(LAST_COMMAND, 0))
