"""Commands to members, for every kind of group: sending, polling, acknowledging.

A member's commands belong to its row. They are carried out in the order of their ids, which only
increase; acknowledged ones are deleted (the design of 2012: "sequential persistent; created by
coordinator, removed by consumer"). This module knows no kind of group; each kind decides which
commands it sends.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from groups.core.group import Group, Millis
from groups.core.rows import CommandRow, MemberRow
from groups.core.signs_of_life import CommandPoll

STOP: Final = "stop-fetcher"
START: Final = "start-fetcher"
"""The two options of the design. Senders may define others."""

EXPELLED: Final = "expelled"
"""The mark, in a member's details, of one that was expelled and may not know it yet."""

Ownership = Mapping[str, Mapping[int, str]]
"""Topic to partition to consumer thread."""


def send(row: MemberRow, command: CommandRow) -> MemberRow:
    """The member with one more command."""
    last = row.commands[-1].command_id if row.commands else 0
    assert command.command_id > last, "the ids of commands rise"
    return replace(row, commands=(*row.commands, command))


def send_again(row: MemberRow, command_id: int) -> MemberRow:
    """The member with its last command repeated under a new id. Carrying out either one completes
    both."""
    last = row.commands[-1]
    return send(row, replace(last, command_id=command_id, series=last.first_id))


def acknowledge(row: MemberRow, command_id: int) -> MemberRow:
    """The member without this command, all before it, and their repetitions.

    The same object if there are none: a repeated acknowledgement changes nothing.
    """
    done = {command.first_id for command in row.commands if command.command_id <= command_id}
    if not done:
        return row
    return replace(row, commands=tuple(c for c in row.commands if c.first_id not in done))


def behind(row: MemberRow, command_id: int) -> tuple[CommandRow, ...]:
    """The member's commands after the last one that it has received."""
    return tuple(command for command in row.commands if command.command_id > command_id)


def is_expelled(row: MemberRow) -> bool:
    """Whether the member is expelled, and only the end of its session is awaited."""
    return EXPELLED in row.details


def receiver(group: Group, member_id: str) -> MemberRow | None:
    """The member that polls, with its commands. None: it is not in the group, or not any more."""
    row = group.durable.members.get(member_id)
    return None if row is None or is_expelled(row) else row


def polled(group: Group, member_id: str, now: Millis) -> None:
    """Set the member's beat where a poll is a heartbeat, as in commanded groups."""
    beat = group.beat_of(CommandPoll(member_id))
    if beat is not None:
        beat.at = now
