"""Commands to members are rows of their member: put, kept, removed and read again with it."""

from dataclasses import replace

import psycopg

from groups.core import commands
from groups.core.rows import CommandRow, Durable, MemberRow
from groups.postgres.connections import Connection
from groups.store import apply, load
from tests.factories import batch, birth, death, decision, durable, member, written

STOP = CommandRow(3, commands.STOP, reason='it\'s "why"')
START = CommandRow(7, commands.START, 2, {"orders": {0: "m-1-0", 11: "m-1-1"}}, "a reason")


def after(before: Durable, *members: MemberRow) -> apply.Write:
    """A write that leaves these members."""
    then = replace(before, members={row.member_id: row for row in members})
    return apply.Write(before, decision(then))


async def ids(connection: psycopg.AsyncConnection[tuple[int]]) -> list[int]:
    cursor = await connection.execute("SELECT command_id FROM rollcall_command ORDER BY command_id")
    return [row[0] for row in await cursor.fetchall()]


async def test_reloaded_rows_equal_the_written_commands(connection: Connection) -> None:
    sent = commands.send(commands.send(member("m-1"), STOP), START)
    sent = commands.send_again(sent, 8)
    await apply.apply(connection, batch(birth("g", sent, member("m-2", position=1))))
    found = await load.groups_by_id(connection, ["g"])
    assert found == {"g": durable("g", [sent, member("m-2", position=1)], revision=1)}


async def test_an_acknowledged_command_is_deleted_and_the_rest_stays(
    connection: Connection,
) -> None:
    busy = commands.send(commands.send(member("m-1"), STOP), START)
    first = birth("g", busy)
    await apply.apply(connection, batch(first))
    before = written(first)
    await apply.apply(connection, batch(after(before, commands.acknowledge(busy, 3))))
    assert await ids(connection) == [7]


async def test_commands_are_deleted_with_their_member_and_group(connection: Connection) -> None:
    busy = commands.send(member("m-1"), STOP)
    other = commands.send(member("m-2", position=1), START)
    first = birth("g", busy, other)
    await apply.apply(connection, batch(first))
    second = after(written(first), other)
    await apply.apply(connection, batch(second))
    assert await ids(connection) == [7]
    await apply.apply(connection, batch(death(written(second))))
    assert await ids(connection) == []
