"""AcknowledgeCommand: a consumer has done what it was told. What follows stands in
``rebalance``."""

from groups.core import commands
from groups.core.commanded import thread_offers
from groups.core.commanded.work import LAST_COMMAND, Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import AcknowledgeCommand
from groups.core.replies import Acknowledged
from groups.core.rows import GroupRow


def acknowledge(work: Work, event: AcknowledgeCommand) -> None:
    """Take the command from the channel; one that is gone from it was acknowledged before."""
    row = work.members.get(event.member_id)
    if row is None or thread_offers.is_expelled(row):
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    if not was_sent(work.row, event.command_id):
        raise Refuse(ErrorCode.INVALID_REQUEST, "no such command was sent")
    work.hear(row.member_id)
    work.put(commands.acknowledge(row, event.command_id))
    work.answer(event.ticket, Acknowledged())


def was_sent(row: GroupRow, command_id: int) -> bool:
    """Whether the group has ever had a command of this number."""
    return 0 < command_id <= int(row.details.get(LAST_COMMAND, 0))
