"""Commands to members, for every kind of group: what one is, sending, hearing, acknowledging.

A member's commands are part of its row and go with it. They are done in the order of their ids,
which only rise; what has been acknowledged is no row any more (the design of 2012:
"sequential persistent; created by coordinator, removed by consumer"). No kind of group is known
here, and who may command whom is the kind's affair.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from groups.core.rows import CommandRow, MemberRow

STOP: Final = "stop-fetcher"
START: Final = "start-fetcher"
"""The two options of the design. Others are for whoever sends them to name."""

Ownership = Mapping[str, Mapping[int, str]]
"""Topic to partition to consumer thread."""


def send(row: MemberRow, command: CommandRow) -> MemberRow:
    """The member with one command more."""
    last = row.commands[-1].command_id if row.commands else 0
    assert command.command_id > last, "the ids of commands rise"
    return replace(row, commands=(*row.commands, command))


def send_again(row: MemberRow, command_id: int) -> MemberRow:
    """The member with its last command once more, under a new id. Whichever of the two it does,
    it has done both."""
    last = row.commands[-1]
    return send(row, replace(last, command_id=command_id, series=last.first_id))


def acknowledge(row: MemberRow, command_id: int) -> MemberRow:
    """The member without this command, every one before it, and the repetitions of any of them.

    The very object where that is none: an acknowledgement that comes twice changes nothing.
    """
    done = {command.first_id for command in row.commands if command.command_id <= command_id}
    if not done:
        return row
    return replace(row, commands=tuple(c for c in row.commands if c.first_id not in done))


def behind(row: MemberRow, command_id: int) -> tuple[CommandRow, ...]:
    """What the member has to do, and has not received yet by what it says."""
    return tuple(command for command in row.commands if command.command_id > command_id)
