"""Loads groups from rows: what a node reads when it takes slots or its memory is in doubt.

Only reads, except for ``fence``, which comes before the reads; the counterpart of
``groups.store.apply``.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import psycopg

from groups.core.earlier import Interruption, Noted
from groups.core.pauses import Pause, Pauses, Target
from groups.core.rows import CommandRow, Durable, GroupRow, MemberRow, slot_of
from groups.event_loop import Slices
from groups.store.sql import commands as sql_commands
from groups.store.sql import configs, group_rows, liveness, pauses, transactions, waiting
from groups.store.sql import slots as sql_slots

Row = tuple[Any, ...]

ROWS_AT_ONCE = 200
"""Rows that are converted between two checks of the time: a millisecond or two."""


class SlotService(NamedTuple):
    """The end of a slot's service under its last owner. ``served_ms``: its service time then;
    ``is_noted``: all last heartbeats are in rows; ``away_ms``: since then, None if unknown."""

    slot: int
    served_ms: int
    is_noted: bool
    away_ms: int | None
    interruptions: tuple[Interruption, ...]


OF_SLOTS = (
    group_rows.LOAD_GROUPS_OF_SLOTS,
    group_rows.LOAD_MEMBERS_OF_SLOTS,
    sql_commands.LOAD_OF_SLOTS,
)
BY_ID = (group_rows.LOAD_GROUP, group_rows.LOAD_MEMBERS, sql_commands.LOAD)
"""Queries for groups, their members, and their members' commands."""


async def groups_of_slots(
    connection: psycopg.AsyncConnection[Any], slots: Sequence[int]
) -> dict[str, Durable]:
    """Every group of the slots, by id, in one snapshot."""
    parameters = {"slots": list(slots)}
    return await _load(connection, OF_SLOTS, parameters)


async def groups_with_pending(
    connection: psycopg.AsyncConnection[Any], slots: Sequence[int]
) -> set[str]:
    """The groups of the slots that have pending transactional offsets."""
    query = transactions.GROUPS_OF_SLOTS.encode()
    cursor = await connection.execute(query, {"slots": list(slots)})
    return {group_id for (group_id,) in await cursor.fetchall()}


async def groups_by_id(
    connection: psycopg.AsyncConnection[Any], group_ids: Sequence[str]
) -> dict[str, Durable]:
    """The groups that have rows, by id, in one snapshot."""
    return await _load(connection, BY_ID, {"group_ids": list(group_ids)})


async def fence(
    connection: psycopg.AsyncConnection[Any], epochs: Mapping[int, int], group_ids: Sequence[str]
) -> set[str]:
    """Raise the revision of each group, so that no unanswered write for it can still commit;
    returns the groups for which one still may."""
    slots = sorted({slot_of(group_id) for group_id in group_ids} & epochs.keys())
    query = group_rows.RAISE_REVISIONS.encode()
    parameters = {
        "slots": slots,
        "epochs": [epochs[slot] for slot in slots],
        "group_ids": sorted(group_ids),
    }
    cursor = await connection.execute(query, parameters)
    return {group_id for (group_id,) in await cursor.fetchall()}


async def configs_of_slots(
    connection: psycopg.AsyncConnection[Any], slots: Sequence[int]
) -> dict[str, dict[str, str]]:
    """The own settings of groups in the slots (``groups.runtime.group_configs``): name to
    value, by group id."""
    return await _configs(connection, configs.OF_SLOTS, {"slots": list(slots)})


async def configs_by_id(
    connection: psycopg.AsyncConnection[Any], group_ids: Sequence[str]
) -> dict[str, dict[str, str]]:
    """The own settings of the groups that have some."""
    return await _configs(connection, configs.OF_GROUPS, {"group_ids": list(group_ids)})


async def pauses_of_slots(
    connection: psycopg.AsyncConnection[Any], slots: Sequence[int]
) -> dict[str, Pauses]:
    """The pauses in groups of the slots, by group id."""
    return await _pauses(connection, pauses.OF_SLOTS, {"slots": list(slots)})


async def pauses_by_id(
    connection: psycopg.AsyncConnection[Any], group_ids: Sequence[str]
) -> dict[str, Pauses]:
    """The pauses in these groups, of those that have some."""
    return await _pauses(connection, pauses.OF_GROUPS, {"group_ids": list(group_ids)})


async def services_of_slots(
    connection: psycopg.AsyncConnection[Any], slots: Sequence[int]
) -> list[SlotService]:
    """How long each of the slots has been served, and its interruptions."""
    cursor = await connection.execute(sql_slots.SERVICE.encode(), {"slots": list(slots)})
    return [
        SlotService(slot, served_ms, is_noted, away_ms, tuple(Interruption(*each) for each in past))
        for slot, served_ms, is_noted, away_ms, past in await cursor.fetchall()
    ]


async def silences_of_slots(
    connection: psycopg.AsyncConnection[Any], slots: Sequence[int]
) -> dict[str, dict[str, Noted]]:
    """What is noted about the members of groups in the slots."""
    found: dict[str, dict[str, Noted]] = defaultdict(dict)
    cursor = await connection.execute(liveness.SILENCES.encode(), {"slots": list(slots)})
    async for group_id, member_id, age_ms, since_ms in _rows(cursor, Slices()):
        found[group_id][member_id] = Noted(age_ms, since_ms)
    return found


async def waits_of_slots(
    connection: psycopg.AsyncConnection[Any], slots: Sequence[int]
) -> dict[str, dict[str, int]]:
    """Since when groups of the slots wait for something, in service time."""
    cursor = await connection.execute(waiting.OF_SLOTS.encode(), {"slots": list(slots)})
    return dict(await cursor.fetchall())


async def rehearse(connection: psycopg.AsyncConnection[Any]) -> None:
    """Execute all statements of a load, for no slot: raises any error that would prevent a load."""
    await groups_of_slots(connection, [])
    await groups_with_pending(connection, [])
    await configs_of_slots(connection, [])
    await pauses_of_slots(connection, [])
    await services_of_slots(connection, [])
    await silences_of_slots(connection, [])
    await waits_of_slots(connection, [])


async def _pauses(
    connection: psycopg.AsyncConnection[Any], query: str, parameters: Mapping[str, Any]
) -> dict[str, Pauses]:
    found: dict[str, dict[Target, Pause]] = defaultdict(dict)
    cursor = await connection.execute(query.encode(), parameters)
    for group_id, scope, name, *rest in await cursor.fetchall():
        target = Target(scope, name)
        found[group_id][target] = Pause(target, *rest)
    return dict(found)


async def _configs(
    connection: psycopg.AsyncConnection[Any], query: str, parameters: Mapping[str, Any]
) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    cursor = await connection.execute(query.encode(), parameters)
    for group_id, name, value in await cursor.fetchall():
        found[group_id][name] = value
    return dict(found)


async def _load(
    connection: psycopg.AsyncConnection[Any],
    queries: tuple[str, str, str],
    parameters: Mapping[str, Any],
) -> dict[str, Durable]:
    # All from one snapshot, or there could be a member without its group. And in one pipeline: the
    # loop does nothing else during the transaction, since PostgreSQL ends idle ones.
    async with connection.pipeline(), connection.transaction():
        await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        groups, members, commands = [
            await connection.execute(query.encode(), parameters) for query in queries
        ]
    slices = Slices()
    sent = commands_of([row async for row in _rows(commands, slices)])
    found: dict[str, dict[str, MemberRow]] = defaultdict(dict)
    async for row in _rows(members, slices):
        add_member(found, row, sent)
    return {row[0]: durable(row, found) async for row in _rows(groups, slices)}


async def _rows(cursor: psycopg.AsyncCursor[Any], slices: Slices) -> AsyncIterator[Row]:
    """The rows, converted in slices: a slot may have many."""
    while part := await cursor.fetchmany(ROWS_AT_ONCE):
        for row in part:
            yield row
        if slices.is_over:
            await slices.pause()


Commands = Mapping[tuple[str, str], tuple[CommandRow, ...]]


def commands_of(rows: Iterable[Row]) -> Commands:
    """The commands sent to each member, by group and member id."""
    commands: dict[tuple[str, str], tuple[CommandRow, ...]] = defaultdict(tuple)
    for group_id, member_id, *rest in rows:
        commands[group_id, member_id] += (command_of(*rest),)
    return commands


def add_member(members: dict[str, dict[str, MemberRow]], row: Row, sent: Commands) -> None:
    """Add a member to its group."""
    group_id, member_id, *rest = row
    member = MemberRow(member_id, *_plain(rest))
    commands = sent.get((group_id, member_id))
    members[group_id][member_id] = (
        member if commands is None else replace(member, commands=commands)
    )


def durable(row: Row, members: Mapping[str, Mapping[str, MemberRow]]) -> Durable:
    """A group's row with its members."""
    return Durable(GroupRow(*row[:8]), members.get(row[0], {}), revision=row[8])


def _plain(values: Iterable[Any]) -> Iterable[Any]:
    return (bytes(v) if isinstance(v, memoryview) else v for v in values)


def command_of(
    command_id: int, option: str, generation: int, ownership: Any, reason: str, series: int
) -> CommandRow:
    """A command from its row. JSON objects have no numbers as keys."""
    owned = ownership
    if ownership is not None:
        owned = {topic: {int(p): name for p, name in of.items()} for topic, of in ownership.items()}
    return CommandRow(command_id, option, generation, owned, reason, series)
