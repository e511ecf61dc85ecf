"""Commands to members in an owner's batch: which rows to drop, and which to put.

Pure, a part of what ``groups.store.apply`` sends. What a command means is told in
``groups.core.commands``.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from groups.core.rows import CommandRow, MemberRow
from groups.postgres.array_literals import array
from groups.store.sql import commands as sql

KEY = ("group_id", "member_id", "command_id")
COLUMNS = (*KEY, "option", "generation", "ownership", "reason", "series")

Statement = tuple[str, Mapping[str, Any]]

Moved = tuple[str, MemberRow | None, MemberRow | None]
"""A group's id and a member of it before and after the batch; None: not there."""


def changes(moved: Iterable[Moved]) -> Iterator[Statement]:
    """What was sent is put, what was acknowledged goes; the commands of who is gone go with it."""
    gone: list[tuple[Any, ...]] = []
    put: list[tuple[Any, ...]] = []
    for group_id, before, after in moved:
        old, new = _commands(before), _commands(after)
        gone += [(group_id, *at) for at in old.keys() - new.keys()]
        put += [(group_id, *at, *_columns(new[at])) for at in new.keys() - old.keys()]
    if gone:
        yield sql.DROP, _arrays(KEY, sorted(gone))
    if put:
        yield sql.PUT, _arrays(COLUMNS, sorted(put, key=itemgetter(0, 1, 2)))


def _commands(member: MemberRow | None) -> dict[tuple[str, int], CommandRow]:
    """What a member has to do, by its id and the command's."""
    if member is None:
        return {}
    return {(member.member_id, each.command_id): each for each in member.commands}


def _columns(command: CommandRow) -> tuple[Any, ...]:
    owned = command.ownership
    return (
        command.option,
        command.generation,
        None if owned is None else json.dumps({topic: dict(of) for topic, of in owned.items()}),
        command.reason,
        command.series,
    )


def _arrays(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    columns = zip(*rows, strict=True)
    return {name: array(column) for name, column in zip(names, columns, strict=True)}


def command_of(
    command_id: int, option: str, generation: int, ownership: Any, reason: str, series: int
) -> CommandRow:
    """A row as ``groups.store.load`` reads it. JSON knows no numbers as keys."""
    owned = ownership
    if ownership is not None:
        owned = {topic: {int(p): name for p, name in of.items()} for topic, of in ownership.items()}
    return CommandRow(command_id, option, generation, owned, reason, series)
