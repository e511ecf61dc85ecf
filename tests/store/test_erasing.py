"""The offsets of a topic that is deleted during a commit to it."""

import asyncio
import json

import pytest

from groups.postgres import connections
from groups.postgres.connections import Connection
from groups.store.sql import catalogue

PUT = (
    "INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch,"
    " metadata, committed_at) SELECT 'g', 'orders', n, 1, -1, '', now()"
    " FROM generate_series(0, 2) AS n"
)
WAITS = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'"


PATIENT = "\n".join(
    f"SET {each} = 0;"
    for each in (
        "lock_timeout",
        "statement_timeout",
        "transaction_timeout",
        "idle_in_transaction_session_timeout",
    )
)
"""Both wait until somebody has seen it: on a busy machine longer than a node would."""


@pytest.mark.parametrize("ending", ["COMMIT", "ROLLBACK"])
async def test_an_uncommitted_commit_is_deleted_with_the_topic(
    connection: Connection, other: Connection, ending: str
) -> None:
    """What it wrote is in the journal, where it committed."""
    await other.execute(PUT)
    await other.execute(PATIENT.encode())
    await other.execute("BEGIN")
    await other.execute("UPDATE rollcall_offset SET committed_offset = 7 WHERE partition = 1")
    said = {"name": "orders", "node_id": 0, "author": json.dumps({})}
    await connection.execute(PATIENT.encode())
    erasing = asyncio.create_task(connection.execute(catalogue.ERASE_OFFSETS.encode(), said))
    async with await connections.connect("watch", options="") as watch:
        pid = [connection.info.backend_pid]
        while (await (await watch.execute(WAITS, pid)).fetchone()) != (1,):
            await asyncio.sleep(0.002)
    await other.execute(ending.encode())
    await erasing

    assert await (await other.execute("SELECT FROM rollcall_offset")).fetchall() == []
    entries = await other.execute("SELECT details -> 'before' FROM rollcall_journal")
    offset = 7 if ending == "COMMIT" else 1
    assert await entries.fetchall() == [({"orders": {"0": 1, "1": offset, "2": 1}},)]
