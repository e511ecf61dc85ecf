"""What a node reads before it takes slots."""

import asyncio
from dataclasses import replace

import psycopg
import pytest

from groups.postgres.connections import Connection
from groups.store import apply, load
from tests.factories import batch, birth, decision, member, written
from tests.store.test_guard import waits_for_a_lock

RENAME = "ALTER TABLE rollcall_{} RENAME TO rollcall_{}"
TABLES = ("group", "member", "command", "pending_offset", "group_config", "pause")


async def test_a_rehearsed_load_reads_every_table_of_a_slot(database_url: str) -> None:
    """A node that could read all but one of them would be given slots that it cannot load."""
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as owner:
        await load.rehearse(owner)
        for table in TABLES:
            await owner.execute(RENAME.format(table, "other").encode())
            try:
                with pytest.raises(psycopg.errors.UndefinedTable):
                    await load.rehearse(owner)
            finally:
                await owner.execute(RENAME.format("other", table).encode())


async def test_a_group_and_its_members_are_of_one_snapshot(
    connection: Connection, other: Connection
) -> None:
    """They are read one after the other; meanwhile a member leaves, in the next generation."""
    birth_of_g = birth("g", member("m-1"), member("m-2", position=1))
    await apply.apply(other, batch(birth_of_g))
    before = written(birth_of_g)
    group = replace(before.group, generation=before.group.generation + 1)
    after = replace(before, group=group, members={"m-1": before.members["m-1"]})
    async with other.transaction():
        await other.execute("LOCK TABLE rollcall_member")
        reading = asyncio.create_task(load.groups_by_id(connection, ["g"]))
        await waits_for_a_lock(other, connection.info.backend_pid)
        for text, parameters in apply.statements(batch(apply.Write(before, decision(after)))):
            await other.execute(text.encode(), parameters)

    assert await reading == {"g": before}
    found = (await load.groups_by_id(connection, ["g"]))["g"]
    assert (found.group.generation, found.members) == (group.generation, after.members)
