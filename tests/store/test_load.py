"""What a node reads before it takes slots."""

import psycopg
import pytest

from groups.store import load

RENAME = "ALTER TABLE rollcall_{} RENAME TO rollcall_{}"
TABLES = ("group", "member", "command", "pending_offset", "group_config", "pause")


async def test_a_rehearsal_reads_every_table_that_a_slot_is_loaded_from(database_url: str) -> None:
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
